"""One effect for one idempotency key: the answer is kept in the transaction of the effect and given again."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Header, Request

from app.api.door import Door
from app.api.headers import read_header
from app.api.problems import invalid_request
from app.api.wire.shapes import Answer, Closed
from app.kernel.database import Writing
from app.kernel.errors import FieldError
from app.tenancy.callers import Caller
from app.tenancy.idempotency import MAX_KEY_LENGTH, StoredAnswer, body_digest, find_answer, store_answer

# How a request is delivered, not what it asks for: these fields don't make it another request.
_DELIVERY: Final = {"idempotency_key", "wait_seconds"}


async def _read_key(
    request: Request,
    key: Annotated[
        str | None, Header(alias="Idempotency-Key", min_length=1, max_length=MAX_KEY_LENGTH)
    ] = None,
) -> str | None:
    # FastAPI says how long it may be, and documents it.
    return None if key is None else read_header(request, "Idempotency-Key")


async def _refuse_key(request: Request) -> None:
    if "Idempotency-Key" in request.headers:
        told = "This route keeps no answer to give again: sent twice, the request is done twice."
        wrong = FieldError("Idempotency-Key", "not_taken", told)
        raise invalid_request(wrong)


KeyHeader = Annotated[str | None, Depends(_read_key)]
# For what has an effect and takes no key: whoever sends one relies on it.
NoKey = Annotated[None, Depends(_refuse_key)]


@dataclass(frozen=True, slots=True)
class Once:
    """One request as far as repeating it goes. `key` is None for a request that may simply happen again."""

    operation: str
    key: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it goes out; `is_replayed` when it was stored by an earlier request."""

    status: int
    body: Mapping[str, object]
    is_replayed: bool = False


def once(request: Request, body: Closed, *, key: str | None, key_header: str | None) -> Once:
    """Return what makes this request the same as another: its route's operation, key, validated body and path.

    Raises:
        InvalidInput: the header and the field name different keys.
    """
    if key is not None and key_header is not None and key != key_header:
        wrong = FieldError("idempotency_key", "alias_differs", "The header names another key.")
        raise invalid_request(wrong)
    asked = body.model_dump(mode="json", exclude=_DELIVERY)
    operation: str = request.scope["route"].operation_id
    return Once(operation, key or key_header, body_digest(request.url.path, asked))


async def perform(
    door: Door, caller: Caller, once: Once, effect: Callable[[Writing], Awaitable[tuple[int, Answer]]]
) -> Given:
    """Return the effect's answer after its commit, or the stored one without a second effect.

    Args:
        door: this process's door.
        caller: whose keys are meant; a key is unique per profile and operation.
        once: what makes the request the same as another.
        effect: does the work in the given transaction and returns status (2xx) and body; refusals raise.

    Raises:
        IdempotencyConflict: the key was used with another body.
        InProgress: the same key is being worked on.
    """
    key = once.key

    async def work(writing: Writing) -> Given:
        if key is not None:
            stored = await find_answer(writing, caller, operation=once.operation, key=key, digest=once.digest)
            if stored is not None:
                assert isinstance(stored.body, dict)
                return Given(stored.status, stored.body, is_replayed=True)
        status, answer = await effect(writing)
        body = answer.model_dump(mode="json")
        if key is not None:
            await store_answer(
                writing,
                caller,
                operation=once.operation,
                key=key,
                digest=once.digest,
                answer=StoredAnswer(status, body),
            )
        return Given(status, body)

    return await door.write(caller, work)
