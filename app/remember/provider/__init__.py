"""The verifier that understands language: a model is asked whether a citation carries a claim.

`question` puts one claim and one citation into words and reads the answer back; `verifier` asks, behind the port
of `verify`; `usage` keeps what it cost. What is sent: the names of the two ends, the predicate, the evidence text
and the cited parts, as fenced data. No id of ours, nobody's key, no other evidence.

Never: a verdict for anything but a whole answer of exactly the schema; a repaired answer; a second opinion that
outvotes the first. Every fault is a failure, which leaves the item in the placement ledger for another try. Only a
refusal is final: the same text would be refused again.

The rationale is stored with the verdict. It is no evidence, and no dream ever reads it.
"""
