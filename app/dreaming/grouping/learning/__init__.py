"""Learned scoring: how likely is each open target, judging by what the team's own premises taught.

The steps, in the order in which data flows:

    holdout         a fifth of the premises is hidden, so that there is something to be right about
    features        how many paths of each shape connect each pair
    best_rules      the highest confidences of rules that reach a pair
    ridge           per predicate, one weight for every shape of path
    witnesses       rules with a constant: "most that depend on A also depend on B"
    similarity      what nodes with the same neighbours have
    factorisation   the tensor of all predicates, compressed
    signals         all of them side by side, for every open pair of a small graph
    blend           one logistic regression over the signals, learned on what was hidden
    degrees         how often an edge would join two nodes if only how busy they are mattered
    hubs            in a large graph, pairs of two common nodes of a predicate
    small, large    these steps for a graph whose every pair can be looked at, and for one that is too large
    judgement       what comes out: open pairs with their likelihoods
    ranking         candidates in total order; carriers: the rules that carry one of them
    measures        how good a judgement is, against edges that it has not seen

A scorer's signal is never believed as such: only what it was worth on hidden premises counts. What comes out is
the `likelihood` that a pair with these signals is a recorded edge. It reads low where memory is incomplete,
because true edges that nobody recorded count as misses. Design, section 6, "Generators".

Learning must never see what it is judged by: hidden premises are taken out of the graph before anything is
counted, and their standing (active, slot) with them. Nothing here draws at random: what looks random is a
digest of group keys, so equal inputs give equal likelihoods, to the last digit that is kept.
"""
