"""The groups around entities: one step away, and at the end of a chain of two relations."""

from collections.abc import Sequence
from typing import Final, LiteralString

from app.kernel.database import Params
from app.recall.model import Moment
from app.recall.moments import Timed, timed
from app.recall.naming import NamedEntity
from app.recall.relations import Chain, Relation

MAX_MATCHES: Final = 200
MAX_AROUND_ONE: Final = 200
MAX_STEPS: Final = 30


def ask_around(
    team_id: str, moment: Moment, entities: Sequence[NamedEntity], relations: Sequence[Relation]
) -> tuple[LiteralString, Params]:
    """Return what asks for at most 200 groups with one of these entities at an end, best first.

    A group counts, for each piece of the query that names an end of it, by how well the piece names it and by how
    well its predicate fits what is asked. Of what counts the same each piece has its best in turn: facts
    first, then what changed last.
    """
    return AROUND.of(moment), {
        **_as_of(team_id, moment),
        "entity_ids": [one.entity_id for one in entities],
        "scores": [one.score for one in entities],
        "pieces": [one.piece.start for one in entities],
        "keys": [one.key for one in relations],
        "as_subject": [one.as_subject for one in relations],
        "as_object": [one.as_object for one in relations],
    }


def ask_chains(
    team_id: str, moment: Moment, entities: Sequence[NamedEntity], chains: Sequence[Chain]
) -> tuple[LiteralString, Params]:
    """Return what asks for at most 200 groups that a chain leads to from one of the entities, best first.

    From one entity a chain goes on through at most 30 others.
    """
    return CHAINS.of(moment), {
        **_as_of(team_id, moment),
        "entity_ids": [one.entity_id for one in entities],
        "scores": [one.score for one in entities],
        "firsts": [one.first.key for one in chains],
        "seconds": [one.second.key for one in chains],
        "fits": [one.fit for one in chains],
        "first_as_subject": [_share(one.first.as_subject, one.first) for one in chains],
        "first_as_object": [_share(one.first.as_object, one.first) for one in chains],
        "second_as_subject": [_share(one.second.as_subject, one.second) for one in chains],
        "second_as_object": [_share(one.second.as_object, one.second) for one in chains],
        "steps": MAX_STEPS,
    }


def ask_beyond(
    team_id: str, moment: Moment, group_keys: Sequence[str], asked_for: Sequence[str]
) -> tuple[LiteralString, Params]:
    """Return what asks for at most 200 groups that share an end with these ones, or have an entity asked for.

    Those of entities asked for come first; then facts, then what changed last.
    """
    return BEYOND.of(moment), {
        **_as_of(team_id, moment),
        "group_keys": list(group_keys),
        "asked_for": list(asked_for),
    }


def _as_of(team_id: str, moment: Moment) -> dict[str, object]:
    return {
        "team_id": team_id,
        "at": moment.valid_at,
        "known": moment.known_at,
        "most": MAX_AROUND_ONE,
        "limit": MAX_MATCHES,
    }


def _share(fit: float, relation: Relation) -> float:
    return fit / relation.fit


_HELD: Final[LiteralString] = """
    SELECT held.relationship_id, held.semantic_group_key, held.tier, held.changed_at, held.predicate_key,
           held.is_disputed, held.polarity
    FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
"""
_NEWEST: Final[LiteralString] = "ORDER BY held.changed_at DESC, held.relationship_id LIMIT %(most)s"
# Copies of a position by several profiles count once for each piece. What is asked for is read by itself, so that
# a hub does not push it out, and left out of the rest; each part is an index's first rows, so that it costs no
# more at a hub than elsewhere.
AROUND: Final[Timed] = timed(f"""
    SELECT found.semantic_group_key, max(found.fit) AS fit
    FROM (
        SELECT around.semantic_group_key, entity.piece, max(entity.score * (1 + around.fit)) AS score,
               max(around.fit) FILTER (WHERE NOT around.is_disputed AND around.polarity = '+') AS fit,
               row_number() OVER (PARTITION BY entity.piece ORDER BY max(entity.score * (1 + around.fit)) DESC,
                   bool_or(around.tier = 'fact') DESC, max(around.changed_at) DESC, around.semantic_group_key
               ) AS place
        FROM unnest(%(entity_ids)s::text[], %(scores)s::float8[], %(pieces)s::int[])
             AS entity (id, score, piece)
        CROSS JOIN LATERAL (
            SELECT held.*, asked.fit FROM unnest(%(keys)s::text[], %(as_subject)s::float8[]) AS asked (key, fit)
            CROSS JOIN LATERAL (
                {_HELD} WHERE held.subject_entity_id = entity.id AND held.predicate_key = asked.key {_NEWEST}
            ) AS held
            UNION ALL
            SELECT held.*, asked.fit FROM unnest(%(keys)s::text[], %(as_object)s::float8[]) AS asked (key, fit)
            CROSS JOIN LATERAL (
                {_HELD} WHERE held.object_entity_id = entity.id AND held.predicate_key = asked.key {_NEWEST}
            ) AS held
            UNION ALL
            SELECT held.*, 0 FROM ({_HELD} WHERE held.subject_entity_id = entity.id {_NEWEST}) AS held
            WHERE held.predicate_key <> ALL (%(keys)s)
            UNION ALL
            SELECT held.*, 0 FROM ({_HELD} WHERE held.object_entity_id = entity.id {_NEWEST}) AS held
            WHERE held.predicate_key <> ALL (%(keys)s)
            ORDER BY fit DESC, changed_at DESC, relationship_id
            LIMIT %(most)s
        ) AS around
        GROUP BY around.semantic_group_key, entity.piece
    ) AS found
    GROUP BY found.semantic_group_key
    ORDER BY sum(found.score) DESC, min(found.place), found.semantic_group_key
    LIMIT %(limit)s
""")
BEYOND: Final[Timed] = timed(f"""
    SELECT around.semantic_group_key
    FROM (
        SELECT ends.entity_id, max(ends.score) AS score
        FROM (
            SELECT unnest(ARRAY[r.subject_entity_id, r.object_entity_id]) AS entity_id, 1 AS score
            FROM relationships AS r
            WHERE r.team_id = %(team_id)s AND r.semantic_group_key = ANY (%(group_keys)s)
            UNION ALL
            SELECT unnest(%(asked_for)s::text[]), 2
        ) AS ends
        WHERE ends.entity_id IS NOT NULL
        GROUP BY ends.entity_id
    ) AS entry
    CROSS JOIN LATERAL (
        SELECT held.* FROM ({_HELD} WHERE held.subject_entity_id = entry.entity_id {_NEWEST}) AS held
        UNION ALL
        SELECT held.* FROM ({_HELD} WHERE held.object_entity_id = entry.entity_id {_NEWEST}) AS held
        ORDER BY changed_at DESC, relationship_id
        LIMIT %(most)s
    ) AS around
    GROUP BY around.semantic_group_key
    ORDER BY max(entry.score) DESC, bool_or(around.tier = 'fact') DESC, max(around.changed_at) DESC,
             around.semantic_group_key
    LIMIT %(limit)s
""")
CHAINS: Final[Timed] = timed("""
    SELECT ahead.semantic_group_key
    FROM unnest(%(firsts)s::text[], %(seconds)s::text[], %(fits)s::float8[], %(first_as_subject)s::float8[],
                %(first_as_object)s::float8[], %(second_as_subject)s::float8[], %(second_as_object)s::float8[])
         AS chain (first, second, fit, first_as_subject, first_as_object, second_as_subject, second_as_object)
    CROSS JOIN unnest(%(entity_ids)s::text[], %(scores)s::float8[]) AS entity (id, score)
    CROSS JOIN LATERAL (
        SELECT held.object_entity_id AS entity_id, chain.first_as_subject AS fit, held.relationship_id
        FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
        WHERE held.subject_entity_id = entity.id AND held.predicate_key = chain.first
          AND held.object_entity_id IS NOT NULL
        UNION ALL
        SELECT held.subject_entity_id, chain.first_as_object, held.relationship_id
        FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
        WHERE held.object_entity_id = entity.id AND held.predicate_key = chain.first
        ORDER BY fit DESC, relationship_id LIMIT %(steps)s
    ) AS step
    CROSS JOIN LATERAL (
        SELECT held.relationship_id, held.semantic_group_key, chain.second_as_subject AS fit
        FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
        WHERE held.subject_entity_id = step.entity_id AND held.predicate_key = chain.second
          AND held.object_entity_id IS DISTINCT FROM entity.id
        UNION ALL
        SELECT held.relationship_id, held.semantic_group_key, chain.second_as_object
        FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
        WHERE held.object_entity_id = step.entity_id AND held.predicate_key = chain.second
          AND held.subject_entity_id <> entity.id
        ORDER BY fit DESC, relationship_id LIMIT %(most)s
    ) AS ahead
    GROUP BY ahead.semantic_group_key
    ORDER BY max(entity.score * chain.fit * step.fit * ahead.fit) DESC, ahead.semantic_group_key
    LIMIT %(limit)s
""")
