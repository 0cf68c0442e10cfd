"""The HTTP door: requests in, problems and answers out.

A request passes these steps, and the first that refuses answers:

    request id → key (401) → scope (403) → body as bytes and JSON (413, 415, 400) → ids in the path (404)
    → closed schema (422) → one transaction of the domain (404, 422, 409) → answer

`app` puts the door together; `door` is what a route gets from its process; `request_id` names each request;
`steps` keeps the order of what a route depends on;
`auth` turns a bearer key into a Caller or an Admin; `proofs` lets no answer out before that key is known to live;
`bodies`, `headers`, `ids` and `queries` read and refuse; `replay` keeps answers for idempotency keys; `waiting`
looks again until a placement is finished; `answers` writes;
`problems` is the only table that knows the statuses of refusals; `readiness` looks around for a probe;
`stream` writes events as they come, `metrics` counts for monitoring; `openapi` derives the published contract.
`wire` holds the models of requests and answers, `routes` one module a family.

What it must never do: decide anything about memory, begin a second transaction for one effect, hold a
connection while it waits, or tell a missing id from another team's.

A request's body is read by our own dependency, not by FastAPI's, because FastAPI parses the body before it
asks who is calling; a stranger would then learn about schemas before being refused. Whose a key is, a process
remembers; whether it still lives is asked in the first round trip of the request's transaction, and where there is
none, before the answer leaves. So the first step costs no round trip of its own.
"""
