"""Measuring this machine: `densemem bench …`.

    remember    Relationships per second, submitted and placed, beside the raw insert rate of the very same rows
    leases      items leased and finished per second, beside pgbench with the same statements
    backend     the server that is measured
    rows        those rows, and their raw insert
    pgbench     those statements
    http        requests per second and how long they take, beside a bare endpoint and beside pgbench
    recall      known answers found among the first ten, beside plain full text and with parts switched off
    schedule    many teams due at one moment: seconds until each has had its run, and whether each had exactly one

On DATABASE_URL, or on a fresh embedded server in a folder of its own that is gone afterwards; `schedule` and
`http` always on the latter. Each measurement founds teams of its own and leaves everybody else's alone.
"""
