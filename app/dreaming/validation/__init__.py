"""Every generated item gets exactly one answer: accepted, reinforces, a duplicate, or rejected with its reason.

`validate` asks `shape`, `checks` and `wording` in the order of the design; `current` reads what they are
held against under the locks of the finishing transaction, `validated` says what came of it and `drafts`
puts the survivors in the words of the hypothesis ledger. A generator, ours or a provider's, is believed in
nothing.
"""
