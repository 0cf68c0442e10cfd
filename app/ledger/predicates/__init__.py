"""Every team's own list of predicates: seeded once, versioned ever after, and the words each is known under.

`registry` reads and writes it, `draft` says what may become a predicate, `names` who owns a name, `refit` what
follows for Relationships. `phrases`, `wordings` and `phrase_shape` make English of a verb phrase and recognise it,
by `inflections`; they are pure, as are `seed` and `draft`.
"""
