"""The only way into the ledger: evidence, with a client's proposal of what it says.

Steps, one module each:

    guarding ──▶ intake ──▶ work ──▶ examine ──▶ judging ──▶ resolve ──▶ place ──▶ work
    check        store      begin    predicate   echo,       entities,   decide,   end
    and mask                and load endpoints   verifier    values      write

`submission` is what comes in, `check` what is refused at once; `guarding` leads it through the `guard`, a long
one beside the event loop; `intake` stores it and answers before anything is judged. The worker's `pipeline`
then places one ingest: `examine`, `placement` and `consequences` are pure and decide, `place` applies one
decision in one transaction. `placements` reads the result back. `review_resolution` answers what was held: a
proposal goes through the same steps once more with the choice in place of what was unclear (`review_choices`),
a Relationship is weighed again (`held_positions`). `merging` makes two entities one, and two again.

What a worker in the API's process judges keeps no request waiting: long evidence is judged beside the event loop
(`kernel.aside`), as long quotes are looked through for echoes.

`overlooked` finds submissions that lack the work that would place them, and makes them due again.

`quarantine` is where an operator decides about evidence that the guard held, `quarantined` lists it;
`lost_evidence` ends what was asked about evidence that counts no more.

States of an ingest: `queued` → `processing` → `completed`, or `awaiting_review` where a person has to decide, or
`failed` when its attempts are exhausted. A verifier's failure puts it back to `queued`.

Never: a verdict for a verifier's failure; a guess between several entities or predicates; a Relationship
without a citation; a verifier's call or any other wait inside a transaction; support for a citation that
restates a Hypothesis (`judging.EchoCheck`, a port, because this package knows no Hypotheses).

Invariants: all or nothing per Relationship; what is placed is not placed again, so a crash at any point is
resumed where it was; every write of the worker holds its lease; evidence weighs no more than its key allows,
and only its submitter's Relationships cite it.

Decisions where the design is silent:

* A citation that is an echo is not put to the verifier, so it never becomes an assessed candidate either.
* A verifier's failure hands the lease back without costing an attempt and waits longer each time, up to
  15 minutes: a provider's outage must not turn evidence into failures. One that no retry can help is
  `processing_failed`.
* Entities are created together for a few proposals, after these were judged; one left without a Relationship (a
  crash, two refs that are one thing) is found by its name afterwards.
* A correction target that is missing, another's, changed or closed refuses the proposal with a reason.
* A restatement changes the end of a position's window only with support. One whose window grows over another of
  its owner's is held by a review, active as it was.
* An outcome that waits for the review of a position that has ended meanwhile says where it landed, for the reason
  `review_withdrawn`.
* A placement goes by how many can hold when it is written, whatever the predicate said when it was examined.
* A later window that starts in the future closes the old one but leaves it active until then.
* New support brings a retracted or rejected position back; a superseded one is put to a temporal review.
* An endpoint that is merged between finding and placing leaves its proposal for the next try, which finds the
  survivor. A review that is resolved while the worker is at work does the same.
* A scope and a window are the client's words until the evidence says them. Each citation must hold every word of
  the scope, or a review of kind scope asks (as named, `unscoped`, `reject`). Each cited item must hold the day of
  `valid_from` and `valid_to` in a form of a date Value, in its text or, where it has a source key and so can be
  looked up, in the name of its revision or its metadata; or a review of kind temporal asks (`accept`, `undated`,
  `reject`). The owner may answer either; the answer stays on record. A month or a year gives its first day, and
  the time of day is not looked at (`carried`).
* Held evidence is decided about once: released, its proposals go through all steps from the first; discarded or
  taken back, it ends them, whatever else they cite. Its source revision stays the current one: the source did
  change, and an older revision comes back only by being submitted again, as the one that follows it. A
  confirmation that ended while its evidence was held stays ended; what is placed later is knowledge like any
  other.
* Nobody is asked about a proposal of which no evidence counts: its review is withdrawn in the transaction that
  takes the last away, or never opened, and it ends rejected.
* One answer about an entity serves every proposal of the submission that asks about the same ref.
"""
