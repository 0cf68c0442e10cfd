"""The feed of a team: what happened to its Relationships, Hypotheses, ingests and cycle runs, in commit order.

The database numbers events itself. Deferred triggers note them when a transaction is about to commit, and a second
round of deferred triggers numbers them from the team's counter, whose row stays locked until the commit is
visible. So whoever sees number n sees every smaller one, and a reader that remembers its last number misses
nothing. The counter is locked after everything else, so it can't take part in a deadlock; the price is that the
commits of one team queue up behind each other.

`feed` reads; `hub` polls once a process for all its readers. NOTIFY is not used: it would make the commits of all
teams queue up. Events name an id and nothing else; they are never deleted, as little as what they tell of.
"""
