"""Every team's own list of predicates: seeded once, versioned ever after, and the words each is known under.

`registry` reads it and holds it still, `changes` writes it, `draft` says what may become a predicate, `names` who
owns a name. What follows for Relationships: `refit`, where it takes fewer kinds or is retired, and `settling`,
where the number of them that can hold has changed. `phrases`, `wordings` and `phrase_shape` make English of a verb
phrase and recognise it, by `inflections`; they are pure, as are `seed` and `draft`.
"""
