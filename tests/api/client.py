"""A client of the HTTP door for each key, and what requests are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from fastapi import FastAPI

from app.api.app import build_openapi
from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller, KeyScope
from app.tenancy.keys import KeyDraft, NewKey, create_key, revoke_key
from tests.admin_keys import make_admin_key

ALL_SCOPES: Final[tuple[KeyScope, ...]] = ("read", "write", "operate")
# Well-formed and never made: a ULID of the year 1970.
NOBODYS_ULID: Final = "00000000000000000000000000"


@dataclass(frozen=True, slots=True)
class Operation:
    """One route as the contract publishes it."""

    operation_id: str
    method: str
    path: str
    has_body: bool
    is_open: bool
    takes_key: bool
    refusals: frozenset[int]

    def url(self, ids: Mapping[str, str]) -> str:
        """Return the path with the parameters filled in."""
        return self.path.format_map(ids)


@dataclass(frozen=True, slots=True)
class Api:
    """The door under test."""

    app: FastAPI
    database: Database

    def anonymous(self) -> httpx2.AsyncClient:
        """Return a client without a key."""
        return self.holding(None)

    def holding(self, key: str | None) -> httpx2.AsyncClient:
        """Return a client that sends this key."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        transport = httpx2.ASGITransport(self.app)
        return httpx2.AsyncClient(transport=transport, base_url="http://door", headers=headers)

    async def client(self, caller: Caller, *, scopes: Iterable[KeyScope] = ALL_SCOPES) -> httpx2.AsyncClient:
        """Return a client that holds a new key of the caller's profile."""
        return self.holding((await self.make_key(caller, scopes=scopes)).secret)

    async def make_key(self, caller: Caller, *, scopes: Iterable[KeyScope] = ALL_SCOPES) -> NewKey:
        """Return a new key of the caller's profile."""
        draft = KeyDraft(
            profile_id=caller.profile_id, scopes=frozenset(scopes), max_authority=caller.max_authority
        )
        return await self.database.unit_of_work(
            Scope("app", caller.team_id),
            lambda writing: create_key(writing, caller.team_id, draft),
        )

    async def admin(self) -> httpx2.AsyncClient:
        """Return a client that holds a new admin key."""
        new = await make_admin_key(self.database)
        return self.holding(new.secret)


def operations() -> list[Operation]:
    """Return every route of the contract."""
    return [
        Operation(
            operation_id=described["operationId"],
            method=method.upper(),
            path=path,
            has_body="requestBody" in described,
            is_open="security" not in described,
            takes_key=any(one["name"] == "Idempotency-Key" for one in described.get("parameters", [])),
            refusals=frozenset(int(status) for status in described["responses"] if int(status) >= 400),
        )
        for path, methods in build_openapi()["paths"].items()
        for method, described in methods.items()
    ]


async def revoke_keys(api: Api, caller: Caller) -> tuple[str, str]:
    """Return two revoked keys of the caller: one that was never used, and one that was let in before."""
    unused, known = [await api.make_key(caller) for _ in range(2)]
    assert (await api.holding(known.secret).get("/v1/predicates")).status_code == 200
    for one in (unused, known):
        await api.database.unit_of_work(Scope("app"), lambda w, one=one: revoke_key(w, one.key_id))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
    return unused.secret, known.secret


def read_problem(response: httpx2.Response) -> dict[str, Any]:  # A problem, as JSON.
    """Return the problem without the id of its request."""
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body.pop("correlation_id") == response.headers["x-request-id"]
    return body


def example_submission(**changes: object) -> dict[str, Any]:  # JSON.
    """Return a body of `remember` that the lexical verifier entails."""
    body: dict[str, Any] = {
        "evidence": [{"content": "FastAPI depends on Starlette.", "authority": "primary"}],
        "proposal": {
            "entities": [{"ref": "fastapi", "name": "FastAPI"}, {"ref": "starlette", "name": "Starlette"}],
            "relationships": [
                {
                    "proposal_id": "p1",
                    "subject_ref": "fastapi",
                    "predicate": "depends_on",
                    "object_ref": "starlette",
                    "evidence": [{"evidence_index": 0, "start": 0, "end": 29}],
                }
            ],
        },
    }
    return body | changes


def with_relationship(**changes: object) -> dict[str, Any]:  # JSON.
    """Return the body of `example_submission` with other fields in its Relationship."""
    body = example_submission()
    body["proposal"]["relationships"][0] |= changes
    return body
