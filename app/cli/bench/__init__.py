"""Measuring this machine: `densemem bench …`.

    remember    Relationships per second, submitted and placed, beside the raw insert rate of the very same rows
    rows        those rows, and their raw insert

On DATABASE_URL, or on a fresh embedded server in a folder of its own that is gone afterwards. Each measurement
founds teams of its own and leaves everybody else's alone.
"""
