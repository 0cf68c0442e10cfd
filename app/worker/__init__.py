"""The clock's door: places what was submitted, dreams when a team is due.

    loop      one loop a kind of work leases for its free slots and starts the steps; one loop a duty
    work      one leased item from its step to its end, whatever happens
    steps     the kinds of work, wired to the ports that they need
    provider  the models that steps may ask
    duties    what is done at a moment rather than for an item: planning due teams
    wake      what ends a loop's sleep early

An idle loop asks the database when its next item is due and sleeps until then. New work wakes it: LISTEN/NOTIFY
here, calls over Redis where there is one, and whatever else rings a bell of `WakeUps`. While notifications are
heard the longest sleep is `LONGEST_SLEEP_SECONDS`, otherwise `poll_seconds`: a wake-up only saves time, and one
that is lost costs no more than that. Nobody sleeps or waits while holding a connection, and a slot is held by work
alone.

A worker that is told to stop hands back what it holds, without an attempt spent, and is out in
`GRACE_SECONDS`; one that dies lets its leases run out. While PostgreSQL is away it waits.
"""
