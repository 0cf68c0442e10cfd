"""When teams dream: the rule that a team names, the windows it comes to in a zone, and the runs queued for them.

`cron` reads an expression, `schedule` turns a rule into instants, `planning` queues one run a window
however many processes look at the clock. The first two are pure.
"""
