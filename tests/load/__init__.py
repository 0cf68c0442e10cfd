"""Far more clients than one API process can serve: `python -m tests.load`, or `make load`.

    clients   they ask, some of them hang up in the middle
    streams   feeds that nobody reads, and one that is read to its end
    watching  what the process and its database look like from outside
    trial     all of that at once, and what came of it

The process has a pool of 10. It must answer everybody who waits: with what was asked, or with 429 or 503 and the
time after which to come back; never with 500, and never not at all. Afterwards it is as it was before.
"""
