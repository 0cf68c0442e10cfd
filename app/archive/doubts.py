"""What rows of a file say about each other: a quote its evidence, a key its Relationship, a support its verdict.

The tables refuse such rows as well, but cannot say which line they came from.
"""

from typing import Final, LiteralString, NamedTuple

from app.archive.lines import refuse_file
from app.kernel.database import Writing


class _Doubt(NamedTuple):
    message: str
    first: LiteralString


async def refuse_doubtful(writing: Writing) -> None:
    """Let the rows that wait be moved in only if they fit each other.

    Raises:
        InvalidInput: `archive_invalid`, naming the first line of the first doubt.
    """
    for doubt in _DOUBTS:
        row = await writing.fetch_one(doubt.first)
        if row is not None and row["line"] is not None:
            raise refuse_file(f"Line {row['line']}: {doubt.message}")


_DOUBTS: Final = (
    _Doubt(
        "the evidence does not hold what this citation quotes.",
        """
        SELECT min(c.line_of_file) AS line FROM pg_temp.incoming_citations AS c
        LEFT JOIN pg_temp.incoming_evidence AS e ON e.id = c.evidence_id
        WHERE quote_of(e.content, c.starts, c.ends) IS DISTINCT FROM c.quote
        """,
    ),
    _Doubt(
        "the keys of this Relationship are not those of what it says.",
        """
        SELECT min(r.line_of_file) AS line FROM pg_temp.incoming_relationships AS r
        LEFT JOIN pg_temp.incoming_predicates AS p
          ON p.predicate_key = r.predicate_key AND p.version = r.predicate_version
        WHERE ARRAY[r.target_identity, r.semantic_group_key] IS DISTINCT FROM identities_of(
            r.team_id, r.subject_entity_id, r.predicate_key, coalesce(r.object_entity_id, r.object_value_id),
            r.polarity, r.scope, p.is_symmetric, p.inverse_key)
        """,
    ),
    _Doubt(
        "this verdict is on another profile's evidence than its Relationship's, or on none of the file's.",
        """
        SELECT min(v.line_of_file) AS line FROM pg_temp.incoming_verification_events AS v
        LEFT JOIN pg_temp.incoming_relationships AS r ON r.id = v.relationship_id
        LEFT JOIN pg_temp.incoming_citations AS c ON c.id = v.citation_id
        LEFT JOIN pg_temp.incoming_evidence AS e ON e.id = c.evidence_id
        WHERE (r.owner_profile_id = e.profile_id) IS NOT TRUE
        """,
    ),
    _Doubt(
        "no verdict on its own Relationship entails this support.",
        """
        SELECT min(s.line_of_file) AS line FROM pg_temp.incoming_supports AS s
        WHERE s.is_granted AND NOT EXISTS (
            SELECT FROM pg_temp.incoming_verification_events AS v
            WHERE v.relationship_id = s.relationship_id AND v.citation_id = s.citation_id
              AND v.verdict = 'entailed' AND v.schema_valid)
        """,
    ),
)
