"""The semantic ledger: nodes, predicates, Relationships, evidence, events, conflicts, reviews.

What it holds is knowledge: positions of profiles, each resting on verbatim evidence. `remember` is the only
way in; the dreamer's role can write none of these tables.

* `nodes/`: entities (names are not unique; finding returns all, and follows merges) and Values (one row each).
* `predicates/`: every team's registry (versioned; key, symmetry and inverse are for good), and the words for it.
* `evidence/`: sources (revisions are compared and set), items (what was held and never released is shown to its
  submitter and to operators only), and what they support, with the tier that follows.
* `relationships/`: positions. Each change is one version and one transition, whose `effect` tells a deferred
  trigger what to do with the Hypotheses that depend on it. `reweigh` says what happens when evidence stops
  counting, `retraction` takes back.
* `conflicts/` between profiles, `reviews` of ambiguities: decisions. Reading back: `trace`.

States of a Relationship:

    pending_evidence ──support──▶ active ──later window, correction──▶ superseded
          │  ▲                     │  ▲
          │  └──support lost───────┘  │ review resolved
          │                           │
          └──contradicted──▶ rejected │        needs_review, quarantined, disputed: held; retracted: withdrawn

    open, overdue ──decided──▶ resolved, dismissed ──the position decided against gains──▶ open
          └───────no two sides left────┴──▶ dismissed as `position_withdrawn`, which decides nothing

States of evidence: `active` or, held, `quarantined`; from there by a decision on record `active` or `discarded`;
`retracted` from any, for good. Triggers keep it.

Invariants: nothing is deleted; at every commit what is active has the supports of its tier, counted by the
database's own functions as placing counts them (`counted_group`, `counted_text`, `supported_tier`), and what was
taken back or rejected has none that count; each change has its transition, a support its verdict, one that comes
back a newer one (deferred triggers, which also let who grants and who takes away wait for each other); a
transition or an event has its change, its effect is the one that its states have, a quote stands in its evidence,
a position rests on what its owner said (at once, for each statement); identities, evidence and events never
change, what is final stays so (triggers); no reference leaves its team (composite foreign keys); only its owner
changes a Relationship, but for what follows from a conflict, a merge or a changed predicate. A conflict case
changes no tier and no status: it takes its positions out of eligibility while it is open.

Decisions where the design is silent:

* A source group counts where there is a source to look up, or a document or observation; manual and conversation
  texts without a source key are one voice of their profile, whatever groups it names. A client that lies about its
  sources still gets only as far as its key's `max_authority` and one profile's fact.
* A retraction revokes the position's supports by an event each: new evidence brings the position back, and counts
  alone. Retracting what superseded an older position does not bring that one back; stated again, it is reviewed.
* A previous revision that is not named is compared with nothing. An unchanged document gives its revision another
  name, which may be named as previous from then on.
* An older revision comes back by being submitted again as the one that follows the current one, and is read like
  any new one: of what it said the first time nothing counts that it does not say again. Submitted without a
  previous one it is late, and counts no more than it did.
* A decided case stays decided while positions only change harmlessly. It opens again when one that was not
  preferred gains: another owner, the tier of a fact, another window, or it holds anew.
* `disputed` is a profile's own decision about two opposite positions of its own; it ends when one of them does.
  It takes both out of eligibility, not out of cases with other owners. What comes back by its end, by a merge or
  by its undoing enters as any newcomer does (`conflicts.entrance`), but supersedes nothing: beside another of its
  owner's it waits for a review.
* A position that has ended takes its open reviews along as `withdrawn`. Only whether a superseded one holds again
  may be asked, once at a time.
* A predicate that lets one hold only from now on, or whose new inverse does, is held against what stands: of an
  owner's rivals the oldest stays and the others wait for reviews, other owners' open cases. Where many may hold
  again such cases close as `position_withdrawn`; what waits for a review waits until its owner answers. The first
  hundred are settled with the change, the rest by a worker.

Lock order: work item, entities, turns for names (advisory), evidence and its source revision, the team's
predicates (advisory, shared but for who changes one), turns for slots (advisory), Relationships by id, cases and
reviews, then Hypotheses by id.

Pure modules: `vocabulary`, `identity`, `names`, `values`, `phrases`, `inflections`, `slots`, `seed`,
`draft`, `phrase_shape`, `wordings`.
"""
