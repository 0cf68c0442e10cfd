"""Evidence, its sources and what it supports. Immutable but for its state; only its submitter cites it.

`rows` are the items and their citations, `sources` the revisions, compared and set; `supports` links citations to
Relationships and says which tier follows; `detail` shows one item whole.
"""
