"""What migrations say about access, in one vocabulary: row security, grants, immutability, rules of change.

Each step only adds; `drop_table` undoes all of them, since policies, grants and triggers go with their table.
"""

from typing import Literal

from alembic import op

Grantee = Literal["app", "dreamer"]


def role(name: Literal["owner", "app", "dreamer"]) -> str:
    """Return the quoted name of one of our roles on this cluster."""
    config = op.get_context().config
    prefix = "densemem" if config is None else config.attributes.get("role_prefix", "densemem")
    return f'"{prefix}_{name}"'


def protect(table: str) -> None:
    """Force row security: app and dreamer see their transaction's team, the owner everything.

    Without the owner's policy a backfill would touch no row, silently. An unset team is '' or NULL and
    matches nothing.
    """
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY team_only ON {table} TO {role('app')}, {role('dreamer')} "
        "USING (team_id = current_setting('densemem.team_id', true)) "
        "WITH CHECK (team_id = current_setting('densemem.team_id', true))"
    )
    op.execute(f"CREATE POLICY owner_all ON {table} TO {role('owner')} USING (true) WITH CHECK (true)")


def restrict(table: str, *, grantee: Grantee, action: Literal["INSERT", "UPDATE"], check: str) -> None:
    """Let a role write only rows for which `check` holds, on top of the team policy."""
    op.execute(
        f"CREATE POLICY {grantee}_{action.lower()} ON {table} AS RESTRICTIVE FOR {action} "
        f"TO {role(grantee)} WITH CHECK ({check})"
    )


def grant(grantee: Grantee, table: str, *, select: str = "", insert: str = "", update: str = "") -> None:
    """Grant column privileges: '*' for the whole table, or a list of columns. DELETE is never granted."""
    for action, columns in (("SELECT", select), ("INSERT", insert), ("UPDATE", update)):
        if columns:
            listed = "" if columns == "*" else f" ({columns})"
            op.execute(f"GRANT {action}{listed} ON {table} TO {role(grantee)}")


def freeze(table: str, *, but: str = "") -> None:
    """Forbid DELETE and every UPDATE, or every UPDATE that changes a column outside the list `but`."""
    if not but:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION forbid_change()"
        )
        return
    kept = ", ".join(f"'{column.strip()}'" for column in but.split(","))
    op.execute(
        f"CREATE TRIGGER {table}_identity BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION forbid_change({kept})"
    )


def refuse(table: str, rule: str, *, when: str, because: str) -> None:
    """Refuse every UPDATE for which `when` holds, a condition on OLD and NEW; `refuse_change` says why."""
    op.execute(
        f"CREATE TRIGGER {rule} BEFORE UPDATE ON {table} FOR EACH ROW WHEN ({when}) "
        f"EXECUTE FUNCTION refuse_change('{because}')"
    )


def demand(
    table: str, rule: str, *, after: Literal["INSERT", "UPDATE"], when: str, exists: str, because: str
) -> None:
    """Refuse the commit of a row for which `when` holds unless the query `exists`, which may read NEW, finds one.

    Deferred, so the order in which a transaction writes is its own business. The rule has a function of its name.
    """
    op.execute(f"""
        CREATE FUNCTION {rule}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
        AS $$
        BEGIN
            IF NOT EXISTS ({exists}) THEN
                {_refusal(because)}
            END IF;
            RETURN NULL;
        END $$
    """)
    op.execute(
        f"CREATE CONSTRAINT TRIGGER {rule} AFTER {after} ON {table} DEFERRABLE INITIALLY DEFERRED "
        f"FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {rule}()"
    )


def examine(table: str, rule: str, *, exists: str, because: str) -> None:
    """Refuse an INSERT with a row for which the query `exists`, which may read `fresh`, finds nothing.

    At once, when the statement ends, for all of its rows together: for what no later statement could mend.
    OFFSET 0 keeps it at one look by key for each row, whatever the planner believes of a team that is new to it. A
    connection keeps a plan; many rows get their own, since the kept one may be of a time of small tables.
    """
    wrong = f"SELECT EXISTS (SELECT FROM added AS fresh WHERE NOT EXISTS ({exists} OFFSET 0))"
    op.execute(f"""
        CREATE FUNCTION {rule}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
        AS $$
        DECLARE
            is_wrong boolean;
        BEGIN
            IF (SELECT count(*) FROM added) > 20 THEN
                EXECUTE $wrong${wrong}$wrong$ INTO is_wrong;
            ELSE
                is_wrong := ({wrong});
            END IF;
            IF is_wrong THEN
                {_refusal(because)}
            END IF;
            RETURN NULL;
        END $$
    """)
    op.execute(
        f"CREATE TRIGGER {rule} AFTER INSERT ON {table} REFERENCING NEW TABLE AS added "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {rule}()"
    )


def _refusal(because: str) -> str:
    return (
        f"RAISE EXCEPTION 'a row of % is refused: {because}', TG_TABLE_NAME"
        " USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;"
    )


def lift(table: str, *rules: str) -> None:
    """Undo `refuse`, `demand` and `examine`."""
    for rule in rules:
        op.execute(f"DROP TRIGGER {rule} ON {table}")
        op.execute(f"DROP FUNCTION IF EXISTS {rule}()")
