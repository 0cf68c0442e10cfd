"""What a cycle reads: eligible premises and the standing of their targets, in one read-only moment, then closed.

`snapshot` reads, `selection` says which premises of a team that knows more than the budget, `standing` what is
known about possible targets, and `digest` names all of it, so that equal inputs are assessed once.
"""
