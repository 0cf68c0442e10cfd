"""Reading memory back: knowledge first, guesses beside it and never among it.

Steps of one recall: `naming` says which entities a query names and what it asks of them (`names` cuts it into
possible names, `likeness` weighs misspelt ones, `relations` knows predicates by their words) → `graph` reads
around the entities and along chains of two relations → `primary` puts full text beside it → `ranking` fuses the
three → `results` puts the winners into words with their evidence → `conflicts` adds the cases that they are part
of → `related` finds Hypotheses near the results. `recall` puts the steps in order; what does not wait for another
step's rows is asked together with it. It looks at a few groups more than are wanted, and only where most of these
are disputed asks once more, for all. `moments` gives statements a form for the present. `trace` shows one
Relationship whole, page by page, with the Hypotheses that cite it.

Where a model is configured (`configured_embedder`), `onnx_embedder` turns text into vectors and `embeddings` keeps
and searches them, before the rest and in a transaction of their own; `embedder` is the port between.

What it must never do: list a Hypothesis among the results (they are rows of other tables, read by another
statement), write anything, or let an optional part take the primary result down. Related Hypotheses are such a
part: they are asked for last, in a short time of their own. Where that fails, what is known has been told by then,
and what is missing is named in `degradations`.

Decisions:

* Results are active facts and validated claims as of `valid_at` (default now). A state answers inside its
  half-open window; an event stays true once it has begun; a superseded state answers for the time before its end,
  but not if it was replaced for all of its time (merged, or corrected from its beginning).
  With `known_at`, tier, status and end are those of the last transition up to then, and including it; the evidence
  is what had been submitted, not taken back, and gave support by then; cases stand as their events until then say.
  What one transaction does bears times microseconds apart, so a moment between these may show half of it.
* Equivalent positions are one result: the strongest tier, then the oldest, speaks for its group.
* Embeddings are for queries in other words: they rank what is known around the names in a query that does not say
  which relation is asked for, and everything where it names nothing. Where words say it, meaning did harm only;
  and a chain is in no one statement. Without a configured model nothing is missing; with one that can't be used,
  or takes too long, `degradations` names the part `embeddings`. The worker makes the vectors, within seconds.
* A query in which one name, as it is written, and one relation (or a chain of two) account for every word that
  says something, is answered by what is known around that name, if what it asks for is among that: no word is left
  that could mean anything else. Neither text nor the graph around is asked then; both found only what is about
  others. A misspelt name may be another's, a second name may be a word, and a value may be called like an entity.
* Text answers with documents that hold every word, and with partial matches only where none does and nothing is
  known of what the query names. Where it names entities, text of others comes last, and not at all where a chain
  was followed.
* Names are compared whole and folded ("C++" is not "C"), the longest one wins where several overlap. Only where
  words are left that neither a name nor a predicate explains, runs of words are compared with whole names: the
  database finds some by trigrams, one character changed in four is the limit. No run goes across "is" or
  "which".
* Of several names in a query each has its best in turn, or one with many neighbours would be all of the answer.
* What the query asks of an entity comes first: its predicate by any form of its label, verb phrase or aliases, the
  side by the order of the words, softly. No synonyms but a team's own aliases.
* Graph expansion is one hop around the best results and around the entities that the client names. It adds and
  reorders nothing, so it is left out where as much as is wanted lies around the one entity that a query names.
  Where it names several, what lies around those that the best results are about comes nearer. Two relations in one
  query are followed instead, and what they lead to comes first.
* A Hypothesis is related by a shared source, a shared endpoint, a name in the query or a text match, in that order
  of weight; only proposed and reinforced ones whose sources are all eligible now. They are asked for by the groups
  of the results, so none of these has to be read before. Whether there are any is the team's effective
  configuration, told by the same statement, not the request's. `known_at` gives none: the ledger of guesses has
  no past.
* An entity to expand from that is malformed, missing or another team's is refused as not found.
"""
