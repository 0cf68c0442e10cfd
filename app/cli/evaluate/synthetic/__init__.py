"""A large team that nobody has: a random graph in which some things follow from others. Pure and seeded.

    nodes        one for every five edges, of nine kinds; how often a node is drawn falls with its rank to the
                 power of −0.7, so that a few have very many edges
    predicates   60, their sizes by Zipf's law; each leads from one kind to one kind, four of the plain ones to
                 Values
    rules        15 of the predicates follow from two others: wherever a path of the two leads from X to Y, X
                 gets the edge to Y with a probability of .5 to .95, drawn for each rule. Which two is chosen so
                 that the predicate comes out near its size. A fifth of its edges is noise besides
    hidden       a third of what the rules made; then 15 % of everything that is still visible, whatever its
                 predicate

Hiding from every predicate matters: were only planted edges hidden, everything else that is right would count
as wrong. A hit is any hidden edge.

    recipes      how the edges of one predicate are made
    planting     all of them, and what is hidden
    ceiling      what whoever knew the recipes would reach: no ranking can be expected to do better
"""
