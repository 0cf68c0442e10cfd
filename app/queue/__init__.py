"""Leases on work items: who may work on what, and for how long. Knows no domain word.

A lease is a term. `epoch` names it: it rises at every lease, hand-back, retry and cancel, and every write of
an owner first locks its row by key and epoch (`hold`). A row that does not match, or whose lease has run out by
the database's clock, is LeaseLost, and nothing is written. `attempt` counts leases that ended by expiry or
fault, so that an item which kills its worker is given up; an orderly hand-back costs none.

Rows are acknowledged by primary key and epoch only: with a status in the condition, stale statistics make the
planner walk the partial index. Finished rows stay, out of the partial index: nothing is ever deleted.
"""
