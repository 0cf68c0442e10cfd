"""Two entities are one thing, said by an operator, and taken back if that was wrong.

    merge      one entity becomes another; each of its living positions gets a successor there
    unmerge    the latest merge of an entity is undone from its before-image
    brought    what a successor rests on: its own, and what each merge that lasts brought to it
    lending    supports and verdicts handed on to a successor, and taken from it again
    successor  what a merge or its undoing lets go on: sides of a dispute, and what only merges held
    rows       entities under lock, the event with its before-image

What a Relationship is about never changes, so a merge moves none: the old position is `superseded` by one on the
survivor, which takes over its granted supports and the last verdict on each citation. They were given on the same
claim by the same words, which lead to the survivor from then on. Hypotheses that rest on the old ones become stale
in the same transaction.

Never: a merge by itself, whatever the names (suggestions are only suggestions); a position superseded because of
a merge that its owner had beside it (a review is opened instead); a deletion; a merge while a review holds one of
the positions, since the review would lose what it asks about.

A successor rests on what was said of it (`is_own`) and on what each merge that lasts brought to it. Undoing a
merge takes from it the citations that nothing else carries; it ends when nobody ever said anything of it and no
other merge brings it. So merges are undone in any order, and with all of them the ledger is as if there had been
none, but for what somebody decided meanwhile:

* The old position gets back what it was, as far as its evidence still counts. What its owner has taken back of it
  on the successor, by citation, stays taken back, also where the successor has been said anew since; a position
  without a citation is taken back when its successor was. What was superseded there stays superseded.
* What was remembered about the survivor since the merge stays with the survivor.
* What undoing ended was nobody's word: it comes back with a later merge, or with whatever is said of it, like
  something new. What its owner took back comes back by new support only.
* A position that nothing but a merge, or an undoing, has put to a review goes on, the review withdrawn, as soon as
  one of them takes away what it could not hold beside.
* A case that was decided opens again where a side of it was merged and came back: it holds anew.

Before-images of before list as citations only those that the successor lacked; `brought` adds what the old
position still has.
"""
