"""The durable record of cycle runs: asked for by hand, begun, interrupted, ended, and read back.

`record` is written by the dreamer under its lease, each call a part of a fenced write; `asking` belongs to
the application, which may queue and cancel and no more. `history` is what clients and operators see.
"""
