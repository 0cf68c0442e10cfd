"""Rows of the hypothesis ledger that the dreamer's role might write past our code.

Each statement copies the team's own rows but for the columns that are forged, so that a refusal is about these.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

from psycopg import sql

OTHER_SOURCE: Final = sql.SQL("(SELECT min(id) FROM relationships WHERE id <> relationship_id)")


def forge_guess(forged: Mapping[str, sql.Composable]) -> sql.Composed:
    """Return the statement that adds a Hypothesis about another target, with these columns forged."""
    return sql.SQL(_GUESS).format(**{**_GUESS_COLUMNS, **forged})


def forge_source(forged: Mapping[str, sql.Composable]) -> sql.Composed:
    """Return the statement that adds another source to a Hypothesis, with these columns forged."""
    return sql.SQL(_SOURCE).format(**{**_SOURCE_COLUMNS, **forged})


_GUESS: LiteralString = """
    INSERT INTO hypotheses
        (team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         object_value_id, target_identity, statement, rationale, likelihood, confidence, paths,
         generator_kind, generator_version, status, previous_hypothesis_id)
    SELECT team_id, 'hyp_forged', {cycle_run_id}, {subject_entity_id}, {predicate_key}, {predicate_version},
           {object_entity_id}, {object_value_id}, {target_identity}, statement, rationale, {likelihood},
           confidence, paths, generator_kind, generator_version, {status}, {previous_hypothesis_id}
    FROM hypotheses
"""
_GUESS_COLUMNS: Final[Mapping[str, sql.Composable]] = {
    "target_identity": sql.Literal("forged"),
    "status": sql.Literal("proposed"),
    **{
        column: sql.Identifier(column)
        for column in (
            "cycle_run_id",
            "subject_entity_id",
            "predicate_key",
            "predicate_version",
            "object_entity_id",
            "object_value_id",
            "likelihood",
            "previous_hypothesis_id",
        )
    },
}
_SOURCE: LiteralString = """
    INSERT INTO hypothesis_sources
        (team_id, hypothesis_id, relationship_id, version, semantic_group_key, owner_profile_id, is_candidate)
    SELECT team_id, {hypothesis_id}, chosen.relationship, coalesce(held.now, version),
           coalesce(held.meaning, semantic_group_key), {owner_profile_id}, is_candidate
    FROM hypothesis_sources
    CROSS JOIN LATERAL (SELECT {relationship_id}) AS chosen (relationship)
    LEFT JOIN (SELECT id, version, semantic_group_key FROM relationships) AS held (relationship, now, meaning)
      USING (relationship)
"""
_SOURCE_COLUMNS: Final[Mapping[str, sql.Composable]] = {
    "hypothesis_id": sql.Identifier("hypothesis_id"),
    "relationship_id": OTHER_SOURCE,
    "owner_profile_id": sql.Identifier("owner_profile_id"),
}
