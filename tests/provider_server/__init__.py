"""A local server that speaks the provider's protocol over real HTTP: messages, streams, counting, models, batches.

`server` listens on a free loopback port and answers by script; `replies` says what an answer looks like on the
wire, faults included. Used through the real SDK. Every request is kept as it came in: a test may read the wire.
"""
