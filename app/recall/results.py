"""The winning groups in words: who says it, what it says, what was quoted for it."""

from collections.abc import Sequence
from itertools import islice
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Row
from app.ledger.predicates.phrases import negated_statement, statement
from app.recall.model import Moment, Quote, RecalledNode, RecalledPredicate, RecallResult
from app.recall.moments import Timed, timed
from app.recall.ranking import Fused

MAX_QUOTES: Final = 5


def ask_results(team_id: str, groups: Sequence[Fused], moment: Moment, *, limit: int) -> tuple[Query, Params]:
    """Return what asks for the first `limit` of the groups that are not only disputed."""
    return _RESULTS.of(moment), {
        "team_id": team_id,
        "at": moment.valid_at,
        "known": moment.known_at,
        "group_keys": [group.key for group in groups],
        "quoted": MAX_QUOTES,
        "limit": limit,
    }


def read_results(rows: Sequence[Row], groups: Sequence[Fused]) -> tuple[RecallResult, ...]:
    """Return the results in the order of the groups, from the rows that `ask_results` asked for."""
    by_key = {group.key: group for group in groups}
    return tuple(_result(row, by_key[row["semantic_group_key"]]) for row in rows)


def say(row: Row) -> str:
    """Return the statement of a row that tells a predicate's words, the polarity and the names of both ends."""
    said = statement if row["polarity"] == "+" else negated_statement
    return said(row["subject_name"], row["verb_phrase"], row["object_name"])


def _result(row: Row, group: Fused) -> RecallResult:
    quotes = dict.fromkeys(zip(row["evidence_ids"] or (), row["quotes"] or (), strict=True))
    return RecallResult(
        relationship_id=row["relationship_id"],
        equivalent_relationship_ids=tuple(row["relationship_ids"][1:]),
        subject=RecalledNode(row["subject_name"], entity_id=row["subject_entity_id"]),
        predicate=RecalledPredicate(row["predicate_key"], row["label"]),
        object=RecalledNode(
            row["object_name"],
            entity_id=row["object_entity_id"],
            value_id=row["object_value_id"],
            value_type=row["value_type"],
            value=row["canonical"],
            unit=row["unit"],
        ),
        polarity=row["polarity"],
        scope=row["scope"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        tier=row["tier"],
        statement=say(row),
        evidence=tuple(Quote(*quote) for quote in islice(quotes, MAX_QUOTES)),
        score=group.score,
        matched_by=group.matched_by,
    )


_SUPPORTED: Final[LiteralString] = """
    SELECT support.evidence_id, citation.id, citation.quote
    FROM effective_supports AS support
    JOIN citations AS citation ON citation.team_id = support.team_id AND citation.id = support.citation_id
    WHERE support.team_id = %(team_id)s AND support.relationship_id = member.id
"""
_SUPPORTED_THEN: Final[LiteralString] = """
    SELECT citation.evidence_id, citation.id, citation.quote
    FROM supports_known(%(team_id)s, member.id, %(known)s::timestamptz) AS known
    JOIN citations AS citation ON citation.team_id = %(team_id)s AND citation.id = known.citation_id
    WHERE known.is_effective
"""


def _results(supported: LiteralString) -> LiteralString:
    # One group after the other is looked at until there are enough. A member has one quote at least, so the first
    # few members are enough. OFFSET 0 keeps the planner at looks by key, whatever the statistics say.
    return f"""
        SELECT held.relationship_id, held.relationship_ids, held.semantic_group_key, held.predicate_key,
               held.polarity, held.tier, held.scope, held.valid_from, held.valid_to, held.subject_entity_id,
               held.object_entity_id, held.object_value_id, predicate.label, predicate.verb_phrase,
               (
                   SELECT name FROM entities WHERE team_id = %(team_id)s AND id = held.subject_entity_id
               ) AS subject_name,
               coalesce(
                   (SELECT name FROM entities WHERE team_id = %(team_id)s AND id = held.object_entity_id),
                   trim(value.canonical || ' ' || value.unit)) AS object_name,
               value.value_type, value.canonical, value.unit, told.evidence_ids, told.quotes
        FROM (
            SELECT strongest.*, wanted.place
            FROM unnest(%(group_keys)s::text[]) WITH ORDINALITY AS wanted (key, place)
            CROSS JOIN LATERAL (
                SELECT one.*, array_agg(one.relationship_id) OVER (
                           ORDER BY one.tier = 'fact' DESC, one.relationship_id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
                       ) AS relationship_ids
                FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS one
                WHERE one.semantic_group_key = wanted.key AND NOT one.is_disputed
                ORDER BY one.tier = 'fact' DESC, one.relationship_id LIMIT 1
            ) AS strongest
            ORDER BY wanted.place LIMIT %(limit)s
        ) AS held
        CROSS JOIN LATERAL (
            SELECT label, verb_phrase FROM predicates
            WHERE team_id = %(team_id)s AND predicate_key = held.predicate_key AND version = held.predicate_version
            OFFSET 0
        ) AS predicate
        LEFT JOIN LATERAL (
            SELECT value_type, canonical, unit FROM typed_values
            WHERE held.object_value_id IS NOT NULL AND team_id = %(team_id)s AND id = held.object_value_id OFFSET 0
        ) AS value ON true
        CROSS JOIN LATERAL (
            SELECT array_agg(found.evidence_id) AS evidence_ids, array_agg(found.quote) AS quotes
            FROM (
                SELECT quote.evidence_id, quote.quote
                FROM unnest(held.relationship_ids[:%(quoted)s]) WITH ORDINALITY AS member (id, place)
                CROSS JOIN LATERAL ({supported} ORDER BY citation.id LIMIT %(quoted)s) AS quote
                ORDER BY member.place, quote.evidence_id, quote.quote
            ) AS found
        ) AS told
        ORDER BY held.place
    """


_RESULTS: Final = Timed(timed(_results(_SUPPORTED)).now, _results(_SUPPORTED_THEN))
