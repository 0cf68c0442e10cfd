"""What monitoring sees, in Prometheus' text form: this process' requests and pools, and the whole instance's work.

`requests` counts as requests pass by; `process` reads what the process' parts count themselves; `instance` is one
bounded statement, at most every few seconds, that the database adds up over all teams. A worker process has no
door: all that it does is on record in the database, so any API process tells of it.

No label names a team, a key or anything that a client chose: what is unknown becomes `other`.
"""
