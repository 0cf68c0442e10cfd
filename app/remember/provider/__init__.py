"""The verifier that understands language: a model is asked whether a citation carries a claim.

`question` puts one claim and one citation into words and reads the answer back; `permits` gives leave to ask, as
far as the team's day has money; `answers` keeps what came; `verifier` asks, behind the port of `verify`; `usage`
reads back what it cost.
What is sent: the names of the two ends, the predicate, the evidence text and the cited parts, as fenced data. No
id of ours, nobody's key, no other evidence.

Never: a verdict for anything but a whole answer of exactly the schema; a repaired answer; a second opinion that
outvotes the first. Every fault is a failure, which leaves the item in the placement ledger for another try, of
what failed only: a verdict is kept when it comes. Who gives no answer (no connection, 429, 529, 5xx, no time) is
asked again without end, because that says nothing about the item. Two things are final: a refusal, since the same
text would be refused again, and the fourth answer to one question that could not be read.

The rationale is stored with the verdict. It is no evidence, and no dream ever reads it. It decides nothing either:
one that is no plain prose is withheld, and the verdict stands.

Money: a permit before each call, at what the dearest answer would cost, so that nobody who dies leaves a call
uncounted; the input is counted first and never longer than the permit says. A call without a permit is a failure.
`auto` verifies lexically while the day has no room for a usual question.
"""
