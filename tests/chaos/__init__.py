"""Real faults against real processes: `python -m tests.chaos --rounds 200`, or `make chaos`.

A round gives a team of its own the same work as any other round, lets a worker process come to one of its commit
points (`7-` is right before the seventh commit after its lease, `7+` right after it), inflicts one fault there,
and compares what the team has in the end with what an undisturbed run leaves.

    worker      the worker process: the product's own loop, over a database that stops at the point
    scenarios   the work, and what it leaves, told in words instead of ids
    world       the PostgreSQL server of the rounds and the processes on it
    faults      what may happen at a point
    rounds      one round, and how it is judged
"""
