"""The ledger of guesses: what dreams leave behind, beside the semantic ledger and never inside it.

`lifecycle` is the table of states, `independence` the rule that a guess cannot confirm itself, `novelty` the rule
that neither can what it was made from; they are pure and hold no connection. `writes` inserts, reinforces and
stales for the dream cycle, and `standing` tells it which targets are taken or suppressed. `staleness` and `sweep`
find what should be stale and was not told so; `outcomes` counts what became of the guesses. `queries` reads the
ledger back, `record` names the shapes that it gives and `explanation` puts a guess's reasons into names. `echo`
answers the port that `remember` asks before it grants support: does this text merely say one of our guesses again?

States: proposed, reinforced, stale, submitted, rejected. Every step is an append-only event with its actor, its
reason and the source versions seen (Design, section 7). Staleness is recorded by the ledger, in the transaction
that causes it, and checked again whenever a Hypothesis is read: `is_current` says no as soon as one source is not
eligible or the target's own predicate is retired or no longer fits it, also where the event was lost.

Invariants kept here, most of them by the schema:

* nothing in these tables is knowledge: no likelihood, repetition, approval or age moves a row anywhere else;
* one live row per target (`hypotheses_one_live`), and every endpoint, predicate and source is a foreign key
  within the team;
* history is never deleted, and identity, target and text of the statement never change;
* this package never imports `remember`: only `review` connects the two.
"""
