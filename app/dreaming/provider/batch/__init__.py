"""A run that asks in a batch: handed in once, waited for without a slot, collected by whoever is alive, paid once.

`batching` puts the steps in order. `record` holds an intent before a batch is made and its name after;
`waiting` gives the slot back; `look` finds, reads and pays; `answer` reads what came against the request as
it was; `settlement` pays where the run has ended without its batch.
"""
