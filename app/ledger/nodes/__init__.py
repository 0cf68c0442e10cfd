"""What Relationships stand between: entities, found by name, and typed Values, one row each.

Names are not unique: finding returns all and follows merges. `names` and `values` are pure.
"""
