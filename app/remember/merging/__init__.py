"""Two entities are one thing, said by an operator, and taken back if that was wrong.

    merge      one entity becomes another; each of its living positions gets a successor there
    unmerge    the latest merge of an entity is undone from its before-image
    successor  entering a position: its supports weighed, reviews and conflicts as for any newcomer
    rows       entities under lock, the event with its before-image

What a Relationship is about never changes, so a merge moves none: the old position is `superseded` by one on the
survivor, which takes over its granted supports and the last verdict on each citation. They were given on the same
claim by the same words, which lead to the survivor from then on. Hypotheses that rest on the old ones become stale
in the same transaction.

Never: a merge by itself, whatever the names (suggestions are only suggestions); a position superseded because of
a merge that its owner had beside it (a review is opened instead); a deletion; a merge while a review holds one of
the positions, since the review would lose what it asks about.

Undoing gives each old position back what it was, as far as its evidence still counts and its owner has not taken
it back meanwhile, and takes from the successors exactly the supports that came with the merge. What was remembered
about the survivor since then stays with the survivor.
"""
