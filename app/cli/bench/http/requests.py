"""What is asked, as bytes: of each team as often as it is large."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.cli.bench.http.loading import LoadedTeam

# Enough that no row is still warm from the time before, few enough to make in a moment.
REQUESTS: Final = 2_000
BARE: Final = "bare"
# Let in, and answered without a look at anything.
GREETING: Final = "/v1/placements/none"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whose it is, its method, path and JSON body."""

    team: LoadedTeam
    method: str
    path: str
    body: object | None = None

    def as_bytes(self) -> bytes:
        """Return the whole request of HTTP/1.1."""
        content = b"" if self.body is None else json.dumps(self.body).encode()
        head = f"{self.method} {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Authorization: Bearer {self.team.secret}\r\n"
        if self.body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        return head.encode() + b"\r\n" + content


def make_requests(teams: Sequence[LoadedTeam], *, seed: int, count: int = REQUESTS) -> dict[str, list[Asked]]:
    """Return so many requests for each operation, by its name; the same for the same teams and seed."""
    makers: Mapping[str, Callable[[LoadedTeam, random.Random], Asked]] = {
        "list_dreams": _list_dreams,
        "get_dream": _get_dream,
        "recall": _recall,
        "remember": _remember,
        "feedback": _feedback,
    }
    made: dict[str, list[Asked]] = {}
    for operation, make in makers.items():
        chance = random.Random(f"{operation}/{seed}")
        able = [team for team in teams if team.questions] if operation == "recall" else teams
        weights = [team.relationships for team in able]
        made[operation] = [make(team, chance) for team in chance.choices(able, weights, k=count)]
    return made


def _list_dreams(team: LoadedTeam, _: random.Random) -> Asked:
    return Asked(team, "GET", "/v1/dreams")


def _get_dream(team: LoadedTeam, chance: random.Random) -> Asked:
    return Asked(team, "GET", f"/v1/dreams/{chance.choice(team.hypothesis_ids)}")


def _recall(team: LoadedTeam, chance: random.Random) -> Asked:
    return Asked(team, "POST", "/v1/recall", {"query": chance.choice(team.questions)})


def _remember(team: LoadedTeam, chance: random.Random) -> Asked:
    subject, other = f"Service {chance.randrange(10**9)}", chance.choice(team.product_names)
    line = f"{subject} depends on {other}."
    proposal = {
        "entities": [{"ref": "s", "name": subject}, {"ref": "o", "name": other}],
        "relationships": [
            {
                "proposal_id": "p1",
                "subject_ref": "s",
                "predicate": "depends_on",
                "object_ref": "o",
                "evidence": [{"evidence_index": 0, "start": 0, "end": len(line)}],
            }
        ],
    }
    return Asked(team, "POST", "/v1/remember", {"evidence": [{"content": line}], "proposal": proposal})


def _feedback(team: LoadedTeam, chance: random.Random) -> Asked:
    path = f"/v1/dreams/{chance.choice(team.hypothesis_ids)}/feedback"
    return Asked(team, "POST", path, {"decision": "reinforce"})
