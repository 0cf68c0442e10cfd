"""The semantic ledger: nodes, predicates, Relationships, evidence, events, conflicts, reviews.

What it holds is knowledge: positions of profiles, each resting on verbatim evidence. `remember` is the only
way in; the dreamer's role can write none of these tables.

* Nodes: `entities` (names are not unique; finding returns all), `typed_values` (one row per value),
  `predicates` (versioned; key, symmetry and inverse are for good).
* Evidence: `sources`, `evidence`; `supports` links citations to Relationships and says which tier follows.
* Positions: `relationships`. Each change is one version and one transition, whose `effect` tells a deferred
  trigger what to do with the Hypotheses that depend on it. `slots` says which positions can meet,
  `reweigh` what happens when evidence stops counting, `refit` when a predicate changes.
* Decisions: `cases` between profiles, `reviews` of ambiguities. Reading back: `trace`.

States of a Relationship:

    pending_evidence ──support──▶ active ──later window, correction──▶ superseded
          │  ▲                     │  ▲
          │  └──support lost───────┘  │ review resolved
          │                           │
          └──contradicted──▶ rejected │        needs_review, quarantined, disputed: held; retracted: withdrawn

Invariants: nothing is deleted; an active Relationship has effective support (a CHECK); identities, evidence
and events never change (triggers); no reference leaves its team (composite foreign keys); only its owner
changes a Relationship, but for what follows from somebody's conflict. A conflict case changes no tier and no
status: it takes its positions out of eligibility while it is open.

Lock order: turns for names and slots (advisory), evidence and its source revision, Relationships by id, then
Hypotheses by id.

Pure modules: `vocabulary`, `identity`, `names`, `values`, `phrases`, `inflections`, `slots`, `seed`,
`predicate_draft`, `phrase_shape`, `wordings`.
"""
