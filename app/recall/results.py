"""The winning groups in words: who says it, what it says, what was quoted for it."""

from collections.abc import Mapping, Sequence
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Reading, Row
from app.ledger.predicates.phrases import negated_statement, statement
from app.ledger.vocabulary import Predicate
from app.recall.model import Moment, Quote, RecalledNode, RecallResult
from app.recall.moments import Timed, timed
from app.recall.ranking import Fused

MAX_QUOTES: Final = 5
# How many groups more than the wanted number are looked at in one step: few are only disputed.
SPARE: Final = 5


async def read_results(
    reading: Reading, team_id: str, groups: Sequence[Fused], moment: Moment, *, limit: int
) -> tuple[RecallResult, ...]:
    """Return at most `limit` results in the order of the groups, without those that are only disputed."""
    results, _ = await read_results_beside(reading, team_id, groups, moment, limit=limit)
    return results


async def read_results_beside(
    reading: Reading,
    team_id: str,
    groups: Sequence[Fused],
    moment: Moment,
    *beside: tuple[Query, Params],
    limit: int,
) -> tuple[tuple[RecallResult, ...], list[list[Row]]]:
    """Return what `read_results` does, and the rows of the statements that were asked on the way."""
    if not groups:
        return (), [[] for _ in beside]
    results: list[RecallResult] = []
    step = limit + SPARE
    rows, *others = await reading.fetch_each(_ask(team_id, groups[:step], moment, limit), *beside)
    for begin in range(0, len(groups), step):
        part = {group.key: group for group in groups[begin : begin + step]}
        # Few groups are only disputed, so the first ones nearly always are enough.
        if begin:
            left = limit - len(results)
            rows = await reading.fetch_all(*_ask(team_id, list(part.values()), moment, left))
        results += [_result(row, part[row["semantic_group_key"]]) for row in rows]
        if len(results) >= limit:
            break
    return tuple(results), others


async def describe(
    reading: Reading, team_id: str, relationship_ids: Sequence[str], moment: Moment
) -> Mapping[str, str]:
    """Return the statement of each Relationship that holds as of the moment, by id."""
    if not relationship_ids:
        return {}
    params = _as_of(team_id, moment) | {"relationship_ids": list(relationship_ids)}
    rows = await reading.fetch_all(_DESCRIPTIONS.of(moment), params)
    return {row["relationship_id"]: _statement(row) for row in rows}


def _ask(team_id: str, groups: Sequence[Fused], moment: Moment, limit: int) -> tuple[Query, Params]:
    return _RESULTS.of(moment), _as_of(team_id, moment) | {
        "group_keys": [group.key for group in groups],
        "quoted": MAX_QUOTES,
        "limit": limit,
    }


def _result(row: Row, group: Fused) -> RecallResult:
    quotes = dict.fromkeys(map(Quote, row["evidence_ids"] or (), row["quotes"] or ()))
    return RecallResult(
        relationship_id=row["relationship_id"],
        equivalent_relationship_ids=tuple(row["relationship_ids"][1:]),
        subject=RecalledNode(row["subject_name"], entity_id=row["subject_entity_id"]),
        predicate_key=row["predicate_key"],
        predicate_label=row["label"],
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
        statement=_statement(row),
        evidence=tuple(quotes)[:MAX_QUOTES],
        score=group.score,
        matched_by=group.matched_by,
    )


def _statement(row: Row) -> str:
    predicate = Predicate(row["predicate_key"], row["predicate_version"], row["label"], row["verb_phrase"])
    said = statement if row["polarity"] == "+" else negated_statement
    return said(row["subject_name"], predicate, row["object_name"])


def _as_of(team_id: str, moment: Moment) -> dict[str, object]:
    return {"team_id": team_id, "at": moment.valid_at, "known": moment.known_at}


# What a Relationship says in words. OFFSET 0 keeps the planner at looks by key, whatever the statistics say.
_WORDS: Final[LiteralString] = """
    predicate.label, predicate.verb_phrase, subject.name AS subject_name,
    coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name
"""
_WORDED: Final[LiteralString] = """
    CROSS JOIN LATERAL (
        SELECT label, verb_phrase FROM predicates
        WHERE team_id = %(team_id)s AND predicate_key = held.predicate_key AND version = held.predicate_version
        OFFSET 0
    ) AS predicate
    CROSS JOIN LATERAL (
        SELECT name FROM entities WHERE team_id = %(team_id)s AND id = held.subject_entity_id OFFSET 0
    ) AS subject
    LEFT JOIN LATERAL (
        SELECT name FROM entities WHERE team_id = %(team_id)s AND id = held.object_entity_id OFFSET 0
    ) AS object ON true
    LEFT JOIN LATERAL (
        SELECT value_type, canonical, unit FROM typed_values
        WHERE team_id = %(team_id)s AND id = held.object_value_id OFFSET 0
    ) AS value ON true
"""
_DESCRIPTIONS: Final[Timed] = timed(f"""
    SELECT held.relationship_id, held.predicate_key, held.predicate_version, held.polarity, {_WORDS}
    FROM unnest(%(relationship_ids)s::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
        SELECT * FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS one
        WHERE one.relationship_id = wanted.id OFFSET 0
    ) AS held
    {_WORDED}
""")
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
    # A member has one quote at least, so the first few members are enough.
    return f"""
        SELECT held.*, {_WORDS}, value.value_type, value.canonical, value.unit, told.evidence_ids, told.quotes
        FROM (
            SELECT ranked.* FROM (
                SELECT one.*, row_number() OVER strongest AS rank,
                       array_agg(one.relationship_id) OVER (
                           strongest ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
                       ) AS relationship_ids
                FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS one
                WHERE one.semantic_group_key = ANY (%(group_keys)s) AND NOT one.is_disputed
                WINDOW strongest AS (
                    PARTITION BY one.semantic_group_key ORDER BY one.tier = 'fact' DESC, one.relationship_id)
            ) AS ranked
            WHERE ranked.rank = 1
            ORDER BY array_position(%(group_keys)s::text[], ranked.semantic_group_key) LIMIT %(limit)s
        ) AS held
        {_WORDED}
        CROSS JOIN LATERAL (
            SELECT array_agg(found.evidence_id) AS evidence_ids, array_agg(found.quote) AS quotes
            FROM (
                SELECT quote.evidence_id, quote.quote
                FROM unnest(held.relationship_ids[:%(quoted)s]) WITH ORDINALITY AS member (id, place)
                CROSS JOIN LATERAL ({supported} ORDER BY citation.id LIMIT %(quoted)s) AS quote
                ORDER BY member.place, quote.evidence_id, quote.quote
            ) AS found
        ) AS told
        ORDER BY array_position(%(group_keys)s::text[], held.semantic_group_key)
    """


_RESULTS: Final = Timed(timed(_results(_SUPPORTED)).now, _results(_SUPPORTED_THEN))
