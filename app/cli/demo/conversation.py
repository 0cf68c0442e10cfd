"""The demo's requests: an agent that remembers, dreams, reviews and recalls over HTTP."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import httpx2

from app.cli.demo.evidence import Claim, Document, normalize
from app.cli.output import Json
from app.client import Refused

OPEN_STATES: Final = frozenset({"queued", "processing", "running", "waiting"})
POLL_SECONDS: Final = 0.1


class Conversation:
    """One key's requests to one server."""

    def __init__(self, url: str, key: str) -> None:
        self._http = httpx2.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def get(self, path: str, **params: object) -> Json:
        """Return the answer, or raise Refused."""
        return self._read(await self._http.get(path, params=params))  # type: ignore[arg-type]  # Strings and numbers only.

    async def post(self, path: str, body: Json) -> Json:
        """Return the answer, or raise Refused."""
        return self._read(await self._http.post(path, json=body))

    async def remember(self, documents: Sequence[Document], *, tell: Callable[[int], None]) -> list[Json]:
        """Submit every document, wait until all are placed, and return the placements; `tell` hears the count."""
        ingest_ids = [
            (await self.post("/v1/remember", submission(document.content, document.claims)))["ingest_id"]
            for document in documents
        ]
        placements: list[Json] = []
        for ingest_id in ingest_ids:
            placements.append(await self.placement(ingest_id))
            tell(len(placements))
        return placements

    async def placement(self, ingest_id: str) -> Json:
        """Return the placement once it has ended or waits for a person."""
        return await self._until_ended(f"/v1/placements/{ingest_id}", "processing_state")

    async def dream(self) -> Json:
        """Run one cycle and return its record."""
        run = await self.post("/v1/cycle-runs", {"note": "demo"})
        return await self._until_ended(f"/v1/cycle-runs/{run['run_id']}", "status")

    async def _until_ended(self, path: str, field: str) -> Json:
        while (answer := await self.get(path))[field] in OPEN_STATES:
            await asyncio.sleep(POLL_SECONDS)
        return answer

    @staticmethod
    def _read(response: httpx2.Response) -> Json:
        answer: Json = response.json()
        if not response.is_success:
            raise Refused(response.status_code, answer)
        return answer


def submission(content: str, claims: Sequence[Claim]) -> Json:
    """Return the `remember` body for header lines: each claim cites the `Name:` line and its own."""
    entities: dict[str, Json] = {}

    def refer(kind: str, name: str, spelling: str) -> str:
        ref = f"{kind}:{name}"
        entity = entities.setdefault(ref, {"ref": ref, "name": name, "entity_kind": kind, "aliases": []})
        if spelling != name and spelling not in entity["aliases"]:
            entity["aliases"].append(spelling)
        return ref

    name_line = next(line for line in content.split("\n") if line.startswith("Name:"))
    spelling = name_line.partition(":")[2].strip()
    relationships: list[Json] = []
    for number, claim in enumerate(claims):
        relationship: Json = {
            "proposal_id": f"{claim.predicate}-{number}",
            "subject_ref": refer("product", claim.package, spelling),
            "predicate": claim.predicate,
            "evidence": [cite(content, name_line), cite(content, claim.line)],
        }
        if claim.predicate == "requires_python":
            relationship["object_value"] = {"type": "string", "value": claim.target}
        else:
            kind = OBJECT_KINDS[claim.predicate]
            relationship["object_ref"] = refer(kind, claim.target, claim.spelling)
        relationships.append(relationship)
    return {
        "evidence": [
            {
                "content": content,
                "source_type": "document",
                "authority": "primary",
                "source_group": f"package metadata of {normalize(spelling)}",
            }
        ],
        "proposal": {"entities": list(entities.values()), "relationships": relationships},
    }


def cite(content: str, line: str) -> Json:
    """Return the span of a whole line."""
    start = f"\n{content}\n".index(f"\n{line}\n")
    return {"evidence_index": 0, "start": start, "end": start + len(line)}


OBJECT_KINDS: Final = {"depends_on": "product", "licensed_under": "document", "has_topic": "concept"}
