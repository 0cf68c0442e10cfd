"""What processes share beside the ledger: rate limits, wake-ups, and the optional Redis behind both.

`buckets` says what a limit is; `limiter` spends tokens that a process holds, and takes them in blocks from
`postgres_buckets`, or from `redis_buckets` while Redis answers. `redis_wakes`
calls workers. `redis_link` is the only way to Redis: short
time-outs and a circuit breaker, so that a slow, full, dead or flushed Redis costs latency only.

Nothing here is a record: whatever is lost costs at most one more burst, or one poll. No call to Redis is made
inside a transaction. Spec: "Redis may coordinate distributed rate limits or wake workers".
"""
