"""Feedback on Hypotheses: the one place where the ledger of guesses and `remember` meet.

`feedback` takes a client's decision. `reject`, `stale`, `reinforce` and `ignore` move or note the Hypothesis and
touch nothing else; `confirm_true` and `confirm_false` hand new evidence to `remember` and leave the Hypothesis
`submitted`. Intake, feedback event and state are one transaction; placement follows by itself, and what became of
it is the placement ledger's to tell. `answering` decides whether a proposal is about the Hypothesis, `evidence`
whether the evidence is new; `submissions` ends a submission once its placement has ended; `dream` shows one
Hypothesis with its submissions.

What it must never do: write a Relationship, a support, a tier or a verdict, copy a Hypothesis' text into evidence,
or accept a confirmation that rests on nothing but the guess.

Decisions:

* Refusals come in the order not found, wrong input, version, state. A proposal counts as about the target by
  the identity that the ledger gives it, so a symmetric pair may be swapped and an inverse predicate be used.
  Its ends are what `remember` would make of them today: a homonym of another kind, a name that several have or a
  hint that does not fit is not the Hypothesis' own node, and a proposal with an end that is unclear answers
  nothing.
* What has to be guarded and is wrong by itself is seen to before the transaction. Comparing takes about ten
  microseconds a character, in another thread; more than 200 000 characters of contents and different citations are
  refused, and of long confirmations one is compared at a time, so that they hold one connection together.
* Whether evidence was submitted before is asked after version and state, under the lock: only there is it known
  what came before.
* A confirmation speaks as a plain statement without a scope: a scoped position is another claim.
* Intake runs before the Hypothesis is locked, because it may lock Relationships and those come first everywhere
  (Design, section 3). If the state then forbids the decision, the transaction takes the intake back.
* A submission ends when its placement is completed or failed; one that waits for a review goes on. It ended
  active if a Relationship that answers the decision was placed as a fact or validated claim; what came along with
  it does not count. Until then the target stays taken. A submission that ended without one may be confirmed again
  with other evidence, unless another Hypothesis has taken the target meanwhile.
* Feedback waits at most two seconds for a Hypothesis that another transaction holds, then answers `busy`.
"""
