"""Leases on work items: who may work on what, and for how long. Knows no domain word.

A lease is a term. `epoch` names it: it rises at every lease, hand-back, retry and cancel, and every write of an
owner first locks its row by key and epoch (`hold`). A row that does not match, or whose lease has run out by
the database's clock, is LeaseLost, and nothing is written. `attempt` counts leases that ended by expiry or
fault, so that an item which kills its worker is given up; an orderly hand-back costs none.

    due ──lease──> owned ──finish──> finished          any open state ──cancel──> finished
     ^               │ hand_back (no attempt), retry_later (an attempt), expiry (an attempt)
     └───────────────┘

    statements    the SQL
    leases        the protocol over it
    heartbeat     renewing while work goes on, and distrusting the lease before the database does

Teams take turns: a worker leases one item a team before any team's second, so a backlog delays nobody else; of a
team that is closed nothing is leased. Rows are acknowledged by primary key and epoch only. Finished rows stay, out
of the partial index: nothing is deleted.
Design, section 6, "Leases".
"""
