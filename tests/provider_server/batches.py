"""The provider's batches: made once, ended when a test says so, results in any order."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from tests.provider_server.replies import Reply, error


@dataclass(slots=True)
class Batch:
    """One batch as the provider keeps it; `results` is set when it ends."""

    batch_id: str
    requests: list[dict[str, Any]]
    results: list[dict[str, Any]] | None = None
    is_cancelled: bool = False
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(slots=True)
class Batches:
    """Every batch that was made, oldest first.

    `on_create` may answer in the provider's place, after making it. `results_at` is another address that its
    results are said to be at, `results` what is answered instead of them, `spoilt` what a list says of a batch
    in place of the truth.
    """

    made: list[Batch] = field(default_factory=list)
    on_create: Callable[[Batch], Reply | None] = lambda batch: None
    results_at: str | None = None
    results: Reply | None = None
    spoilt: dict[str, dict[str, object]] = field(default_factory=dict)

    def answer(self, method: str, path: str, body: bytes, url: str) -> Reply:
        parts = [unquote(part) for part in path.removeprefix("/v1/messages/batches").strip("/").split("/")]
        if method == "POST" and parts == [""]:
            batch = Batch(f"msgbatch_{len(self.made) + 1}", json.loads(body)["requests"])
            self.made.append(batch)
            return self.on_create(batch) or _json(_describe(batch, self.results_at or url))
        if method == "GET" and parts == [""]:
            newest_first = [
                {**_describe(batch, self.results_at or url), **self.spoilt.get(batch.batch_id, {})}
                for batch in reversed(self.made)
            ]
            return _json({"data": newest_first, "has_more": False, "first_id": None, "last_id": None})
        found = [batch for batch in self.made if batch.batch_id == parts[0]]
        if not found:
            return error(404, "not_found_error")
        if parts[1:] == ["results"] and self.results is not None:
            return self.results
        if parts[1:] == ["results"]:
            lines = "".join(json.dumps(result) + "\n" for result in reversed(found[0].results or []))
            return Reply(body=lines.encode(), content_type="application/x-jsonl")
        if parts[1:] == ["cancel"]:
            found[0].is_cancelled = True
        return _json(_describe(found[0], self.results_at or url))


def succeeded(custom_id: str, message: dict[str, object]) -> dict[str, Any]:
    return {"custom_id": custom_id, "result": {"type": "succeeded", "message": message}}


def ended(custom_id: str, kind: str) -> dict[str, Any]:
    """Return a result without an answer: `errored`, `canceled` or `expired`."""
    result: dict[str, Any] = {"type": kind}
    if kind == "errored":
        fault = {"type": "api_error", "message": "You sent: the secret instructions"}
        result["error"] = {"type": "error", "error": fault}
    return {"custom_id": custom_id, "result": result}


def _describe(batch: Batch, url: str) -> dict[str, object]:
    has_ended = batch.results is not None
    running = "canceling" if batch.is_cancelled else "in_progress"
    return {
        "id": batch.batch_id,
        "type": "message_batch",
        "processing_status": "ended" if has_ended else running,
        "request_counts": {
            "processing": 0 if has_ended else len(batch.requests),
            **{
                name: sum(f'"type": "{name}"' in json.dumps(result) for result in batch.results or [])
                for name in ("succeeded", "errored", "canceled", "expired")
            },
        },
        "created_at": batch.created_at.isoformat(),
        "expires_at": (batch.created_at + timedelta(days=1)).isoformat(),
        "ended_at": "2026-11-01T01:00:00Z" if has_ended else None,
        "cancel_initiated_at": None,
        "archived_at": None,
        "results_url": f"{url}/v1/messages/batches/{batch.batch_id}/results" if has_ended else None,
    }


def _json(document: dict[str, Any]) -> Reply:
    return Reply(body=json.dumps(document).encode())
