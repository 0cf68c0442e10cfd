"""Clients that write over HTTP about the same few things, and workers that place what they wrote.

Each writer does at random what a client may do, and says how it was answered. Four profiles with two writers
each, so that sources and positions have rivals with the same and with another owner.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

import httpx2

from app.kernel.database import Database, Reading, Scope
from app.kernel.errors import LeaseLost
from app.ledger.predicates.settling import PREDICATE, settle_predicate
from app.queue.leases import lease_due
from app.remember.claim import Citation, Claim, Judgement
from app.remember.pipeline import place_ingest
from app.remember.verify import VerifierFailure
from app.review.submissions import settle_submissions

NAMES: Final = ("FastAPI", "Starlette", "Pydantic", "AnyIO", "BSD", "MIT")
PREDICATES: Final = ("depends_on", "licensed_under", "part_of", "has_part")
SOURCES: Final = ("https://example.org/a", "https://example.org/b")
YEARS: Final = (None, None, "2022-01-01T00:00:00Z", "2024-01-01T00:00:00Z")
# How a request may end: what a client can act upon. Neither `busy` nor a fault is among them.
EXPLAINED: Final = frozenset(
    {
        *("ok", "stale_revision", "wrong_state", "version_mismatch", "not_owner", "not_found"),
        *(
            "choice_invalid",
            "entity_merged",
            "not_merged",
            "survivor_merged",
            "merged_since",
            "review_open",
            "invalid_input",
        ),
    }
)


@dataclass
class Tally:
    """How often each request ended in which way; what the writers know of each other's revisions and merges."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    placed: int = 0
    revisions: dict[tuple[int, str], str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)

    @property
    def codes(self) -> set[str]:
        return {code for _, code in self.answers}


class HashedVerifier:
    """Decides by the text alone, so that the same claim gets the same verdict: mostly entailed."""

    kind = "scripted"
    version = "hashed-v1"

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        await asyncio.sleep(0)
        match sum(citation.quote.encode()) % 8:
            case 0:
                return Judgement("insufficient", 0.9, "It does not say so.", "not_stated")
            case 1:
                return Judgement("contradicted", 0.9, "It says the opposite.", "negated")
            case _:
                return Judgement("entailed", 1.0, "It says so.", "entailed")


@dataclass
class Writer:
    """One client with a key of its own."""

    client: httpx2.AsyncClient
    random: random.Random
    tally: Tally
    profile: int
    number: int
    count: int = 0

    async def write_until(self, end: float) -> None:
        """Do one thing after the other until the time has come."""
        acts = (
            *([self.remember] * 10),
            *(self.retract_relationship, self.retract_evidence, self.change_predicate),
            *([self.resolve_conflict] * 2),
            *([self.resolve_review] * 4),
            *([self.unmerge] * 2),
            # Too many, and everything is one thing.
            *((self.merge,) if self.number == 0 else ()),
        )
        while monotonic() < end:
            act = self.random.choice(acts)
            code = await act()
            if code is not None:
                self.tally.answers[act.__name__, code] += 1

    async def remember(self) -> str | None:
        self.count += 1
        subject, object_name = self.random.sample(NAMES, 2)
        predicate = self.random.choice(PREDICATES)
        polarity = self.random.choice("++++-")
        content = f"{subject} {predicate} {object_name} {polarity} {self.random.randrange(40)}."
        item: dict[str, Any] = {"content": content, "authority": "primary"}  # JSON.
        if self.random.random() < 0.3:
            source = self.random.choice(SOURCES)
            item |= {"source_key": source, "source_revision": f"{self.number}.{self.count}"}
            if (previous := self.tally.revisions.get((self.profile, source))) is not None:
                item["previous_source_revision"] = previous
        else:
            item["source_group"] = self.random.choice(("docs", "wiki"))
        position: dict[str, Any] = {  # JSON.
            "proposal_id": "p1",
            "subject_ref": "s",
            "predicate": predicate,
            "object_ref": "o",
            "polarity": polarity,
            "valid_from": self.random.choice(YEARS),
            "evidence": [{"evidence_index": 0, "start": 0, "end": len(content)}],
        }
        if self.random.random() < 0.15 and (target := await self._any_relationship()) is not None:
            position["correction_target"] = target
        entities = [{"ref": "s", "name": subject}, {"ref": "o", "name": object_name}]
        body = {"evidence": [item], "proposal": {"entities": entities, "relationships": [position]}}
        code = code_of(await self.client.post("/v1/remember", json=body))
        if code == "ok" and "source_key" in item:
            self.tally.revisions[self.profile, item["source_key"]] = item["source_revision"]
        return code

    async def retract_relationship(self) -> str | None:
        target = await self._any_relationship()
        if target is None:
            return None
        return code_of(await self.client.post(f"/v1/relationships/{target['relationship_id']}/retract"))

    async def retract_evidence(self) -> str | None:
        target = await self._any_relationship()
        if target is None:
            return None
        traced = await self.client.get(f"/v1/relationships/{target['relationship_id']}/trace")
        supports = traced.json().get("supports") or []
        if not supports:
            return None
        evidence_id = self.random.choice(supports)["evidence_id"]
        return code_of(await self.client.post(f"/v1/evidence/{evidence_id}/retract"))

    async def resolve_conflict(self) -> str | None:
        found = (await self.client.get("/v1/conflicts", params={"status": "open"})).json()["items"]
        if not found:
            return None
        case = self.random.choice(found)
        body: dict[str, Any] = {"decision": "dismiss"}  # JSON.
        if self.random.random() < 0.7:
            position = self.random.choice(case["positions"])
            body = {"decision": "prefer", "preferred_position_id": position["position_id"]}
        return code_of(await self.client.post(f"/v1/conflicts/{case['conflict_id']}/resolve", json=body))

    async def resolve_review(self) -> str | None:
        found = (await self.client.get("/v1/reviews", params={"status": "open"})).json()["items"]
        if not found:
            return None
        review = self.random.choice(found)
        choice = self.random.choice(("accept", "accept", "reject", "dispute"))
        path = f"/v1/reviews/{review['review_id']}/resolve"
        return code_of(await self.client.post(path, json={"choice": choice}))

    async def change_predicate(self) -> str | None:
        listed = (await self.client.get("/v1/predicates")).json()["items"]
        [predicate] = [one for one in listed if one["predicate_key"] == "depends_on"]
        body = {"label": f"depends on {self.number}.{self.count}", "expected_version": predicate["version"]}
        if self.random.random() < 0.5:
            body["current_cardinality"] = self.random.choice(("one", "many"))
        return code_of(await self.client.patch("/v1/predicates/depends_on", json=body))

    async def merge(self) -> str | None:
        found = (await self.client.get("/v1/entities")).json()["items"]
        if len(found) < 2:
            return None
        one, other = self.random.sample(found, 2)
        body = {"into_entity_id": other["entity_id"]}
        code = code_of(await self.client.post(f"/v1/entities/{one['entity_id']}/merge", json=body))
        if code == "ok":
            self.tally.merged.append(one["entity_id"])
        return code

    async def unmerge(self) -> str | None:
        if not self.tally.merged:
            return None
        merged = self.tally.merged.pop(self.random.randrange(len(self.tally.merged)))
        code = code_of(await self.client.post(f"/v1/entities/{merged}/unmerge"))
        if code in ("survivor_merged", "merged_since"):
            self.tally.merged.append(merged)
        return code

    async def _any_relationship(self) -> dict[str, Any] | None:  # A correction target.
        query = self.random.choice(NAMES)
        answer = await self.client.post("/v1/recall", json={"query": query, "limit": 50})
        results = answer.json().get("results") or []
        if not results:
            return None
        ids = self.random.choice(results)
        relationship_id = self.random.choice([ids["relationship_id"], *ids["equivalent_relationship_ids"]])
        traced = await self.client.get(f"/v1/relationships/{relationship_id}/trace")
        version = traced.json()["relationship"]["version"]
        return {"relationship_id": relationship_id, "expected_version": version}


def code_of(answer: httpx2.Response) -> str:
    """Return `ok`, or the code of the refusal."""
    return "ok" if answer.is_success else str(answer.json()["code"])


async def place_until(
    database: Database,
    tally: Tally,
    name: str,
    writing: "asyncio.Future[Any]",  # Whatever it returns.
) -> None:
    """Do a worker's part until nobody writes any more and nothing is due."""
    verifier = HashedVerifier()
    while True:
        is_over = writing.done()
        leases = await database.unit_of_work(
            Scope("app"), lambda w: lease_due(w, kind="placement", worker=name, seconds=30)
        )
        changed = await database.unit_of_work(
            Scope("app"), lambda w: lease_due(w, kind=PREDICATE, worker=name, seconds=30)
        )
        if not leases and not changed:
            if is_over:
                return
            await asyncio.sleep(0.01)
        for lease in changed:
            await settle_predicate(database, lease)
        for lease in leases:
            try:
                await place_ingest(database, lease, verifier=verifier, echo=no_echo)
            except LeaseLost:
                # A review was resolved, which puts the ingest back into the queue under a new epoch.
                continue
            scope = Scope("app", lease.team_id)
            await database.unit_of_work(scope, lambda w, team=lease.team_id: settle_submissions(w, team))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
            tally.placed += 1


async def no_echo(reading: Reading, team_id: str, quotes: Sequence[str], /) -> bool:
    return False
