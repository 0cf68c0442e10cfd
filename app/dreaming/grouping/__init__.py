"""Connected premises around open targets: which absent edges the premises point at, how likely each is, and why.

    paths, walking        which nodes are joined in one or two steps, and how closely
    targets               which absent edges may be proposed at all
    rule_counts           how often each shape of path was right
    learning              how likely a target is: signals, folds, blend
    scoring               the open targets, scored by what was learned; in a young team by the best rule
                          (`rule_scoring`)
    candidates            the open targets in order, with the rules that carry them (`explanation`)
    groups                the sets of premises that a cycle looks at, diverse (`diversity`, `split`)
    evaluation            whether that order beats popularity and chance on edges that were held back

Everything here is pure: premises and seeds go in, equal inputs give equal groups to the bit.
"""
