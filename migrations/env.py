"""Runs the migrations as the owner role, one transaction each.

Needs `url` and `role_prefix` in the configuration's attributes: `app/kernel/migrate.py` gives them.
"""

import psycopg
from alembic import context
from sqlalchemy import create_engine, text
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.engine import Connection
from sqlalchemy.pool import NullPool
from sqlalchemy.types import NullType

from app.tables import metadata

# A column that is halfvec or an array, as the server has pgvector or not, can't be compared with the models.
ischema_names["halfvec"] = NullType
config = context.config
url: str | None = config.attributes.get("url")
role_prefix: str = config.attributes.get("role_prefix", "densemem")


def run(connection: Connection) -> None:
    connection.execute(text(f'SET ROLE "{role_prefix}_owner"'))
    # A migration that waits for a lock queues everybody behind it: better to fail and be tried again.
    connection.execute(text("SET lock_timeout = '10s'"))
    connection.execute(text("SET statement_timeout = '15min'"))
    connection.commit()
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transaction_per_migration=True,
        compare_server_default=False,
        include_object=lambda item, name, kind, reflected, other: (
            not (kind == "table" and name == "alembic_version")
        ),
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    context.configure(dialect_name="postgresql", target_metadata=metadata, literal_binds=True, as_sql=True)
    with context.begin_transaction():
        context.run_migrations()
elif "connection" in config.attributes:
    run(config.attributes["connection"])
else:
    assert url is not None, "migrations are run through `densemem migrate`"
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    with engine.connect() as connection:
        run(connection)
    engine.dispose()
