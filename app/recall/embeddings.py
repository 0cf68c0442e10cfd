"""Vectors of what is known: made by a duty of the worker, searched by recall, exactly and inside one team.

One row a Relationship, whatever made its vector last; what another model made is not compared. The text is the
first line of the search document, the statement, so a vector holds no more than full text may show. Rows are
derived: an export leaves them out, and the duty makes what is missing.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Final, LiteralString

from app.kernel.database import Database, Reading, Scope, Writing
from app.kernel.errors import Unavailable
from app.recall.embedder import Embedder
from app.recall.model import Moment

BATCH: Final = 32
MAX_MATCHES: Final = 200


async def embed_team(database: Database, embedder: Embedder, team_id: str) -> int:
    """Leave every Relationship of the team that is more than a candidate with a vector of this model.

    Texts are read, embedded and written batch by batch: no transaction is open while a model works. What two
    workers make twice is the same. Returns how many vectors were made.
    """
    scope, model, after, made = Scope("app", team_id), embedder.model, "", 0
    while True:
        async with database.reading(scope) as reading:
            params = {
                "team_id": team_id,
                "model": model.name,
                "version": model.version,
                "after": after,
                "limit": BATCH,
            }
            rows = await reading.fetch_all(_LACKING, params)
        if not rows:
            return made
        texts = [row["text"] for row in rows]
        vectors = await asyncio.to_thread(embedder.embed, texts)
        written: list[dict[str, object]] = [
            {
                "team_id": team_id,
                "id": row["relationship_id"],
                "model": model.name,
                "version": model.version,
                "digest": hashlib.md5(row["text"].encode(), usedforsecurity=False).hexdigest(),
                "vector": vector,
            }
            for row, vector in zip(rows, vectors, strict=True)
        ]

        async def write(writing: Writing, written: list[dict[str, object]] = written) -> None:
            await writing.execute_many(_WRITE, list(written))

        await database.unit_of_work(scope, write)
        after, made = rows[-1]["relationship_id"], made + len(rows)


async def search_embeddings(
    reading: Reading, team_id: str, embedder: Embedder, vector: Sequence[float], moment: Moment
) -> tuple[str, ...]:
    """Return at most 200 groups that hold as of the moment, nearest to the vector first.

    Raises:
        Unavailable: `embeddings_unavailable`, the server has no pgvector.
    """
    row = await reading.fetch_one(_HAS_VECTORS)
    if row is None or not row["has_vectors"]:
        raise Unavailable("The database has no pgvector.", code="embeddings_unavailable")
    params = {
        "team_id": team_id,
        "model": embedder.model.name,
        "version": embedder.model.version,
        "vector": list(vector),
        "at": moment.valid_at,
        "known": moment.known_at,
        "most": 2 * MAX_MATCHES,
        "limit": MAX_MATCHES,
    }
    return tuple(found["semantic_group_key"] for found in await reading.fetch_all(SEARCH, params))


_LACKING: LiteralString = """
    SELECT d.relationship_id, split_part(d.body, E'\\n', 1) AS text
    FROM relationship_documents AS d
    JOIN relationships AS r ON r.team_id = d.team_id AND r.id = d.relationship_id
    LEFT JOIN relationship_embeddings AS e ON e.team_id = d.team_id AND e.relationship_id = d.relationship_id
    WHERE d.team_id = %(team_id)s AND d.relationship_id > %(after)s AND r.tier <> 'candidate'
      AND (e.relationship_id IS NULL OR (e.model_name, e.model_version) <> (%(model)s, %(version)s)
           OR e.text_digest <> md5(split_part(d.body, E'\\n', 1)))
    ORDER BY d.relationship_id LIMIT %(limit)s
"""
# The column is halfvec where the server had pgvector when it was made, else an array; both take an array.
_WRITE: LiteralString = """
    INSERT INTO relationship_embeddings
        (team_id, relationship_id, model_name, model_version, text_digest, vector)
    VALUES (%(team_id)s, %(id)s, %(model)s, %(version)s, %(digest)s, %(vector)s::real[])
    ON CONFLICT (team_id, relationship_id) DO UPDATE
    SET model_name = EXCLUDED.model_name, model_version = EXCLUDED.model_version,
        text_digest = EXCLUDED.text_digest, vector = EXCLUDED.vector, embedded_at = clock_timestamp()
"""
_HAS_VECTORS: LiteralString = "SELECT to_regtype('halfvec') IS NOT NULL AS has_vectors"
# Exact: every vector of the team is looked at, by the key, so row security costs no index.
SEARCH: LiteralString = """
    SELECT held.semantic_group_key
    FROM (
        SELECT e.relationship_id, e.vector::halfvec <#> %(vector)s::real[]::halfvec AS distance
        FROM relationship_embeddings AS e
        WHERE e.team_id = %(team_id)s AND e.model_name = %(model)s AND e.model_version = %(version)s
        ORDER BY distance, e.relationship_id LIMIT %(most)s
    ) AS near
    -- OFFSET 0 keeps this a look-up by key for each of them, whatever the statistics say.
    CROSS JOIN LATERAL (
        SELECT h.semantic_group_key FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS h
        WHERE h.relationship_id = near.relationship_id OFFSET 0
    ) AS held
    GROUP BY held.semantic_group_key
    ORDER BY min(near.distance), held.semantic_group_key LIMIT %(limit)s
"""
