"""Dreaming: in the background, propose possible relationships between things that are already known.

What a dream leaves behind is a Hypothesis, in a ledger of its own. The steps, in the order in which data flows:

    timing/              when a team is due in its zone, whatever the clocks there do
    runs/                a window is due, or somebody asks: the run is recorded and queued first of all; one worker
                         works on it, and every write is fenced by its lease's epoch
    inputs/              eligible inputs and the standing of targets, in one read-only moment, then closed
    grouping/            connected premises around open targets, scored and diverse, the places moved a little by
                         how earlier ideas turned out
    generation, choice   groups become proposals, in no transaction and holding no connection: by the `rules`, or
                         by asking a model (`provider/`)
    spending/            what a provider's calls may cost, asked before each, kept whatever becomes of the run
    validation/          every item is accepted, reinforces, is a duplicate, or is rejected with its reason
    persist              sources, targets and Hypotheses locked in that order; written with the run's end

`cycle` puts the steps in order and `faults` says what happens to an interrupted run; `reading` records what one
read, `outcome` and `funnel` how it ended, `status` sums up. `why_not` and `absence` say of any target what stands
in its way today, by the same steps. Everything that decides is pure. A step of several modules is a package, whose
docstring names them.

States of a run: queued → running ⇄ waiting → succeeded, partially_rejected, failed, cancelled or skipped; and
missed, one row for a gap in the schedule. A fault puts a run back to queued, at most three times.

Dreaming must never

* create or change an Entity, a Value, a predicate, a Relationship, a support, a tier or a status: its database
  role has no privilege to;
* read evidence text, quotes or verifier rationales: its role cannot;
* import `remember`, `review` or `recall`: a guess has no way into the ledger;
* hold a transaction or a connection while something is generated;
* repair a bad item, or let it sink the others.

Invariants: a funnel always adds up, also as a constraint; a retry is the same run and makes no second Hypothesis;
one live run a team, one run a window, one live Hypothesis a target; equal inputs give equal dreams; copies of a
position weigh as one.

Decisions beyond the specification:

* An active Relationship makes its target known even where its window has closed; only what is valid now takes
  the slot of a predicate of which one object is current.
* A Hypothesis rests on the sources of its last generation. Earlier ones stay on record, and count as known when
  it is asked whether a premise is new.
* A team's schedule is made with the team, by the database, and due at once: the first tick plans it. A team whose
  settings cannot be followed is left alone until they change.
* An hour field that begins with `*` is a wildcard; every other cron expression names local times, also with
  wildcard minutes. Two times that a clock change moves onto one instant are one window.
* A window that meets a live run of its team is recorded as `skipped`, `run_in_progress`.
* Where a team knows more than a run may read, half goes to premises read least since their last change, the newest
  first, the rest to those read longest ago and to the connected components in turn.
* `inputs_unchanged` compares with every earlier assessment, not with the last alone.
"""
