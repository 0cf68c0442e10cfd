"""Acting as one of the service's roles with bare SQL, as a faulty or hostile piece of our code could."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import LiteralString

import httpx2
import psycopg
from psycopg import sql

from app.kernel.database import Role
from tests.databases import admin_url, service_url

# A Relationship copied under a scope, all in order but for what is `changed`, a JSON object.
COPY_OF_POSITION: LiteralString = """
    INSERT INTO relationships
        (team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         object_value_id, polarity, modality, scope, valid_from, valid_to, semantic_group_key, target_identity,
         tier, status, version, eligible_since, client_comment, changed_at)
    SELECT copy.team_id, copy.id, copy.owner_profile_id, copy.subject_entity_id, copy.predicate_key,
           copy.predicate_version, copy.object_entity_id, copy.object_value_id, copy.polarity, copy.modality,
           copy.scope, copy.valid_from, copy.valid_to, copy.semantic_group_key, copy.target_identity, copy.tier,
           copy.status, copy.version, copy.eligible_since, copy.client_comment, copy.changed_at
    FROM relationships AS r JOIN predicates AS p
      ON p.team_id = r.team_id AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version
    CROSS JOIN LATERAL jsonb_populate_record(r, jsonb_build_object(
        'id', 'rel_copy', 'scope', 's', 'semantic_group_key', (identities_of(
            r.team_id, r.subject_entity_id, r.predicate_key, r.object_entity_id, r.polarity, 's', p.is_symmetric,
            p.inverse_key))[2]) || {changed}) AS copy
    WHERE r.id = {copied}
"""
Connection = psycopg.Connection[tuple[object, ...]]


@contextmanager
def acting_as(database_name: str, role: Role, team_id: str) -> Iterator[Connection]:
    """Give a transaction in this role and team; nothing of it is kept. Only a superuser may become the owner."""
    url = admin_url if role == "owner" else service_url
    with psycopg.connect(url(database_name)) as connection:
        connection.execute(
            "SELECT set_config('role', %s, true), set_config('densemem.team_id', %s, true)",
            [f"densemem_{role}", team_id],
        )
        try:
            yield connection
        finally:
            connection.rollback()


def refusal(connection: Connection, statement: sql.Composed) -> type[psycopg.Error] | None:
    """Try the statement in a savepoint of its own and return the class of error that refused it, if any."""
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement)
    except psycopg.Error as error:
        return type(error)
    return None


def refusing_rule(connection: Connection, *statements: sql.Composed) -> str | None:
    """Try the statements and their commit in a savepoint; return the rule that refused them, or the error."""
    try:
        with connection.transaction(force_rollback=True):
            for statement in statements:
                connection.execute(statement)
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as error:
        return error.diag.constraint_name or type(error).__name__
    return None


async def at_once(*requests: Awaitable[httpx2.Response]) -> list[int]:
    """Send the requests of several clients at the same time and return their statuses, in order."""
    return [answer.status_code for answer in await asyncio.gather(*requests)]
