"""What a provider may say of an answer's model and tokens that nobody can charge."""

from tests.provider_server.replies import MODEL, Said

_COUNTS = {"input_tokens": 120, "output_tokens": 40}
_HOP = {"type": "fallback_message", "model": MODEL}

UNREADABLE = {
    "a model with NUL": Said(model="claude\x00opus"),
    "a model with a control character": Said(model="claude-opus-5-5\n"),
    "a model with half a surrogate pair": Said(model="claude\ud800"),
    "no model": Said(model=""),
    "a long model": Said(model="m" * 129),
    "input beyond reason": Said(usage={**_COUNTS, "input_tokens": 2**40}),
    "output beyond reason": Said(usage={**_COUNTS, "output_tokens": 2**31}),
    "a cache beyond reason": Said(usage={**_COUNTS, "cache_read_input_tokens": 2**40}),
    "a number without end": Said(usage={**_COUNTS, "output_tokens": 10**400}),
    "negative output": Said(usage={**_COUNTS, "output_tokens": -40}),
    "negative cache": Said(usage={**_COUNTS, "cache_creation_input_tokens": -1}),
    "a fraction": Said(usage={**_COUNTS, "output_tokens": 0.5}),
    "a list": Said(usage={**_COUNTS, "input_tokens": [120]}),
    "nothing counted": Said(usage={}),
    "all for free": Said(usage={"input_tokens": 0, "output_tokens": 0}),
    "hops without counts": Said(usage={**_COUNTS, "iterations": [_HOP]}),
    "hops that are less than the whole": Said(
        usage={**_COUNTS, "iterations": [{**_HOP, "input_tokens": 1, "output_tokens": 1}]}
    ),
    "a hop whose model has a NUL": Said(
        usage={**_COUNTS, "iterations": [{**_HOP, **_COUNTS, "model": "a\x00"}]}
    ),
    "more hops than can be": Said(
        usage={
            **_COUNTS,
            "iterations": [{**_HOP, "input_tokens": 9_000_000, "output_tokens": 9_000_000}] * 300,
        }
    ),
}
