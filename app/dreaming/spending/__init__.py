"""What dreaming may cost and has cost: budgets, a permit before each call of a provider, a charge after it.

`budgets` are the team's settings, lowered by whoever started the run; `purse` decides, purely, whether one
more call fits, and is the port for it; `usage` is the durable ledger behind that port; `costs` sums it up
by day and model.
"""
