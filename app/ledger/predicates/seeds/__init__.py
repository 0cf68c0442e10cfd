"""The predicates that every team has from the start, one module per theme.

They are data, registered as version 1. Endpoint kinds are kind: `entity_kind` is optional and defaults to
`other`, so every seeded predicate takes `other` where it takes an entity, and most take `concept`. Aliases
hold other verb phrases in the third person ("relies on") and record keys ("Requires-Dist"); the lexical
verifier reads both.

Invariants (held by `tests/unit/test_seed.py`): keys, labels and aliases are unique over all, case folded;
inverses name each other with their kinds swapped; a symmetric predicate has equal kinds on both sides, no
inverse and no Values; a verb phrase is third person singular. `current_cardinality` is `one` only where a
second object at the same time would be a contradiction; employment and marriage are `many`, as real lives
are.
"""
