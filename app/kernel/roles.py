"""Database roles: made here, idempotently, not by a migration, because roles belong to the cluster.

`<prefix>_owner` owns every object, `<prefix>_app` and `<prefix>_dreamer` are what transactions act as. None of
them logs in. The service's login is a member of the latter two without inheriting from them: it can do
nothing until a transaction sets its role.
"""

from contextlib import suppress

import psycopg
from psycopg import sql

from app.kernel.errors import SetupError

# Taken for the whole preparation of a database, so that any number of processes may start it at once.
PREPARATION_LOCK = 7_305_318_004_221
# Names that are nearly alike; indexes of words and of parts of names that begin with the team.
EXTENSIONS = ("pg_trgm", "btree_gin")


def ensure_roles(connection: psycopg.Connection, *, prefix: str, service_login: str) -> None:
    """Leave the three roles, their grants and the extensions in place; run it on an autocommit connection.

    Raises:
        SetupError: the login may not create roles; the message holds the SQL for an administrator.
    """
    statements = _role_statements(connection, prefix=prefix, service_login=service_login)
    missing = [statement for statement, is_done in statements if not is_done]
    try:
        for statement in missing:
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        script = ";\n".join(statement.as_string(connection) for statement in missing)
        raise SetupError(
            "This login may not prepare the database. Ask an administrator to run this in the same "
            f"database, then try again:\n\n{script};",
            code="roles_missing",
        ) from error


def offer_vectors(connection: psycopg.Connection) -> None:
    """Leave pgvector in the database where the server has it and the login may add it; nothing needs it."""
    offered = connection.execute(
        "SELECT FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL"
    ).fetchone()
    if offered is not None:
        # The second: the server lists it, but its library is not there.
        with suppress(psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedFile):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")


def _role_statements(
    connection: psycopg.Connection, *, prefix: str, service_login: str
) -> list[tuple[sql.Composed, bool]]:
    owner, app, dreamer = (f"{prefix}_{part}" for part in ("owner", "app", "dreamer"))
    known = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
    (database, admin, version) = connection.execute(
        "SELECT current_database(), current_user, current_setting('server_version_num')::int"
    ).fetchone() or ("", "", 0)
    # Since PostgreSQL 16 membership says by itself whether it is inherited and whether SET ROLE works.
    membership = " WITH INHERIT FALSE, SET TRUE" if version >= 160000 else ""
    statements: list[tuple[sql.Composed, bool]] = [
        (
            sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS").format(
                sql.Identifier(role)
            ),
            role in known,
        )
        for role in (owner, app, dreamer)
    ]
    members = [(owner, admin), (app, service_login), (dreamer, service_login)]
    statements += [
        (
            sql.SQL("GRANT {} TO {}" + membership).format(sql.Identifier(role), sql.Identifier(member)),
            role in known and _may_set_role(connection, member, role),
        )
        for role, member in members
    ]
    may_connect = connection.execute(
        "SELECT has_database_privilege(%s, current_database(), 'CONNECT')", [service_login]
    ).fetchone() == (True,)
    extensions = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
    owner_may_create = owner in known and connection.execute(
        "SELECT has_schema_privilege(%s, 'public', 'CREATE')", [owner]
    ).fetchone() == (True,)
    statements += [
        *(
            (sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(name)), name in extensions)
            for name in EXTENSIONS
        ),
        (
            sql.SQL("GRANT USAGE, CREATE ON SCHEMA public TO {}").format(sql.Identifier(owner)),
            owner_may_create,
        ),
        (
            sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(
                sql.Identifier(database), sql.Identifier(service_login)
            ),
            may_connect,
        ),
    ]
    return statements


def _may_set_role(connection: psycopg.Connection, member: str, role: str) -> bool:
    mode = "SET" if connection.info.server_version >= 160000 else "MEMBER"
    return connection.execute("SELECT pg_has_role(%s, %s, %s)", [member, role, mode]).fetchone() == (True,)
