"""The winning groups in words: who says it, what it says, what was quoted for it."""

from collections.abc import Mapping, Sequence
from typing import Final, LiteralString

from app.kernel.database import Params, Reading, Row
from app.ledger.predicates.phrases import negated_statement, statement
from app.ledger.vocabulary import Predicate
from app.recall.model import Moment, Quote, RecalledNode, RecallResult
from app.recall.ranking import Fused

MAX_QUOTES: Final = 5
# How many times the wanted number of groups is looked at in one step.
AT_ONCE: Final = 2


async def read_results(
    reading: Reading, team_id: str, groups: Sequence[Fused], moment: Moment, *, limit: int
) -> tuple[RecallResult, ...]:
    """Return at most `limit` results in the order of the groups, without those that are only disputed."""
    members: dict[str, tuple[str, ...]] = {}
    chosen: list[Fused] = []
    # Few groups are only disputed, so the first ones nearly always are enough.
    for begin in range(0, len(groups), AT_ONCE * limit):
        part = groups[begin : begin + AT_ONCE * limit]
        members |= await read_members(reading, team_id, [group.key for group in part], moment)
        chosen += [group for group in part if members.get(group.key)]
        if len(chosen) >= limit:
            break
    del chosen[limit:]
    speakers = {group.key: members[group.key][0] for group in chosen}
    if not chosen:
        return ()
    # One quote a member at least, so five members are enough.
    group_of = {one: group.key for group in chosen for one in members[group.key][:MAX_QUOTES]}
    rows, quoted = await reading.fetch_each(
        _ask_descriptions(team_id, list(speakers.values()), moment),
        _ask_quotes(team_id, list(group_of), moment),
    )
    described, quotes = _by_id(rows), _by_group(quoted, group_of)
    return tuple(
        _result(described[speakers[group.key]], members[group.key][1:], quotes.get(group.key, ()), group)
        for group in chosen
        if speakers[group.key] in described
    )


async def read_members(
    reading: Reading, team_id: str, group_keys: Sequence[str], moment: Moment
) -> dict[str, tuple[str, ...]]:
    """Return the undisputed Relationships of each group: strongest tier first, then oldest."""
    members: dict[str, tuple[str, ...]] = {}
    if group_keys:
        params = _as_of(team_id, moment) | {"group_keys": list(group_keys)}
        for row in await reading.fetch_all(_MEMBERS, params):
            members[row["semantic_group_key"]] = tuple(row["relationship_ids"])
    return members


async def describe(
    reading: Reading, team_id: str, relationship_ids: Sequence[str], moment: Moment
) -> Mapping[str, Row]:
    """Return what is shown of each Relationship that holds as of the moment, by id, with its `statement`."""
    if not relationship_ids:
        return {}
    return _by_id(await reading.fetch_all(*_ask_descriptions(team_id, relationship_ids, moment)))


def _ask_descriptions(
    team_id: str, relationship_ids: Sequence[str], moment: Moment
) -> tuple[LiteralString, Params]:
    return _DESCRIPTIONS, _as_of(team_id, moment) | {"relationship_ids": list(relationship_ids)}


def _by_id(rows: Sequence[Row]) -> Mapping[str, Row]:
    return {row["relationship_id"]: row | {"statement": _statement(row)} for row in rows}


def _ask_quotes(
    team_id: str, relationship_ids: Sequence[str], moment: Moment
) -> tuple[LiteralString, Params]:
    """Return what asks for the quotes of what supported the Relationships then, in their order."""
    params = {
        "team_id": team_id,
        "relationship_ids": list(relationship_ids),
        "known": moment.known_at,
        "most": MAX_QUOTES,
    }
    return (_QUOTES if moment.known_at is None else _QUOTES_KNOWN_THEN), params


def _by_group(rows: Sequence[Row], group_of: Mapping[str, str]) -> dict[str, tuple[Quote, ...]]:
    """Return at most five different quotes of each group, its speaker's first."""
    quotes: dict[str, dict[Quote, None]] = {}
    for row in rows:
        quote = Quote(row["evidence_id"], row["quote"])
        quotes.setdefault(group_of[row["relationship_id"]], {})[quote] = None
    return {key: tuple(found)[:MAX_QUOTES] for key, found in quotes.items()}


def _result(row: Row, equivalents: Sequence[str], quotes: tuple[Quote, ...], group: Fused) -> RecallResult:
    return RecallResult(
        relationship_id=row["relationship_id"],
        equivalent_relationship_ids=tuple(equivalents),
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
        statement=row["statement"],
        evidence=quotes,
        score=group.score,
        matched_by=group.matched_by,
    )


def _statement(row: Row) -> str:
    predicate = Predicate(row["predicate_key"], row["predicate_version"], row["label"], row["verb_phrase"])
    said = statement if row["polarity"] == "+" else negated_statement
    return said(row["subject_name"], predicate, row["object_name"])


def _as_of(team_id: str, moment: Moment) -> dict[str, object]:
    return {"team_id": team_id, "at": moment.valid_at, "known": moment.known_at}


_MEMBERS: LiteralString = """
    SELECT held.semantic_group_key,
           array_agg(held.relationship_id ORDER BY held.tier = 'fact' DESC, held.relationship_id)
               AS relationship_ids
    FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
    WHERE held.semantic_group_key = ANY (%(group_keys)s) AND NOT held.is_disputed
    GROUP BY held.semantic_group_key
"""
_DESCRIPTIONS: LiteralString = """
    SELECT held.*, predicate.label, predicate.verb_phrase, subject.name AS subject_name,
           coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name,
           value.value_type, value.canonical, value.unit
    FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
    JOIN predicates AS predicate ON predicate.team_id = %(team_id)s
         AND predicate.predicate_key = held.predicate_key AND predicate.version = held.predicate_version
    JOIN entities AS subject ON subject.team_id = %(team_id)s AND subject.id = held.subject_entity_id
    LEFT JOIN entities AS object ON object.team_id = %(team_id)s AND object.id = held.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = %(team_id)s AND value.id = held.object_value_id
    WHERE held.relationship_id = ANY (%(relationship_ids)s)
"""
_QUOTES: LiteralString = """
    SELECT wanted.relationship_id, found.evidence_id, found.quote
    FROM unnest(%(relationship_ids)s::text[]) WITH ORDINALITY AS wanted (relationship_id, place)
    CROSS JOIN LATERAL (
        SELECT support.evidence_id, citation.quote
        FROM effective_supports AS support
        JOIN citations AS citation
          ON citation.team_id = support.team_id AND citation.id = support.citation_id
        WHERE support.team_id = %(team_id)s AND support.relationship_id = wanted.relationship_id
        ORDER BY citation.id LIMIT %(most)s
    ) AS found
    ORDER BY wanted.place, found.evidence_id, found.quote
"""
_QUOTES_KNOWN_THEN: LiteralString = """
    SELECT wanted.relationship_id, found.evidence_id, found.quote
    FROM unnest(%(relationship_ids)s::text[]) WITH ORDINALITY AS wanted (relationship_id, place)
    CROSS JOIN LATERAL (
        SELECT citation.evidence_id, citation.quote
        FROM supports_known(%(team_id)s, wanted.relationship_id, %(known)s::timestamptz) AS known
        JOIN citations AS citation ON citation.team_id = %(team_id)s AND citation.id = known.citation_id
        WHERE known.is_effective
        ORDER BY citation.id LIMIT %(most)s
    ) AS found
    ORDER BY wanted.place, found.evidence_id, found.quote
"""
