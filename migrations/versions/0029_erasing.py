"""Erasing a team, and restoring one: the two times that history is rewritten, both by the owner for one team.

DELETE stays nobody's privilege. `erase_team_rows` is the owner's; `erase_team` is the application's and asks for the
digest of a live admin key, which the application itself can't read. Which tables there are is asked of the catalogue.

Lock: SHARE ROW EXCLUSIVE on relationship_transitions, predicates, hypothesis_events, cycle_runs and ingests while their
triggers are made anew.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

# Trigger, table, function and condition of what follows an insertion; a row that is restored was followed before.
_FOLLOWERS = (
    (
        "relationship_transitions_stale_dependents",
        "relationship_transitions",
        "stale_dependents",
        "NEW.effect <> 'harmless'",
    ),
    ("predicates_stale_unfit_targets", "predicates", "stale_unfit_targets", "NEW.version > 1"),
    ("relationship_transitions_note_event", "relationship_transitions", "note_event", "true"),
    ("hypothesis_events_note_event", "hypothesis_events", "note_event", "true"),
    ("cycle_runs_note_start", "cycle_runs", "note_event", "true"),
    ("ingests_note_start", "ingests", "note_event", "true"),
)


def upgrade() -> None:
    # Only the owner rewrites: a setting alone is anybody's to set.
    op.execute("""
        CREATE FUNCTION is_rewriting(team text) RETURNS boolean LANGUAGE sql STABLE
        SET search_path = pg_catalog, public AS $$
            SELECT current_setting('densemem.rewriting', true) = team
               AND EXISTS (SELECT FROM pg_class AS c
                           WHERE c.oid = 'public.teams'::regclass AND pg_get_userbyid(c.relowner) = current_user)
        $$
    """)
    _make_guards("IF TG_OP = 'DELETE' AND is_rewriting(to_jsonb(OLD) ->> 'team_id') THEN RETURN OLD; END IF;")
    # The settings are compared first: they cost nothing, and nobody else rewrites.
    unless = (
        "(coalesce(current_setting('densemem.rewriting', true), '') <> NEW.team_id"
        " OR NOT is_rewriting(NEW.team_id))"
    )
    _make_followers(unless)
    # One statement: references are checked when it ends, so the order of the tables doesn't matter.
    op.execute("""
        CREATE FUNCTION erase_team_rows(team text) RETURNS bigint LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        DECLARE
            parts text;
            counts text;
            erased bigint;
        BEGIN
            PERFORM set_config('densemem.rewriting', team, true);
            PERFORM FROM public.teams AS t WHERE t.id = team FOR UPDATE;
            DELETE FROM public.rate_buckets AS b USING public.api_keys AS k
            WHERE k.team_id = team AND b.name = k.id;
            SELECT string_agg(format('%I AS (DELETE FROM public.%I WHERE team_id = $1 RETURNING 1)',
                                     'gone_' || c.relname, c.relname), ', ' ORDER BY c.relname),
                   string_agg(format('(SELECT count(*) FROM %I)', 'gone_' || c.relname), ' + ')
            INTO parts, counts
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
              AND a.attname = 'team_id' AND NOT a.attisdropped;
            EXECUTE 'WITH ' || parts || ', gone AS (DELETE FROM public.teams WHERE id = $1 RETURNING 1) SELECT '
                    || counts || ' + (SELECT count(*) FROM gone)'
            INTO erased USING team;
            PERFORM set_config('densemem.rewriting', '', true);
            RETURN erased;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION erase_team(team text, admin_digest text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        BEGIN
            IF NOT EXISTS (SELECT FROM public.authenticate(admin_digest) AS a WHERE a.scopes = '{admin}') THEN
                RAISE EXCEPTION 'only an admin erases a team' USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN public.erase_team_rows(team);
        END $$
    """)
    op.execute("REVOKE ALL ON FUNCTION erase_team_rows(text), erase_team(text, text) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION erase_team(text, text) TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION erase_team(text, text)")
    op.execute("DROP FUNCTION erase_team_rows(text)")
    _make_followers("true")
    _make_guards("")
    op.execute("DROP FUNCTION is_rewriting(text)")


def _make_guards(exception: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION forbid_change() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        BEGIN
            {exception}
            IF TG_OP = 'DELETE' OR
                    (to_jsonb(OLD) - coalesce(TG_ARGV, '{{}}')) IS DISTINCT FROM
                    (to_jsonb(NEW) - coalesce(TG_ARGV, '{{}}')) THEN
                RAISE EXCEPTION 'rows of % keep their history: % is refused', TG_TABLE_NAME, TG_OP
                    USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$
    """)
    op.execute(f"""
        CREATE OR REPLACE FUNCTION keep_finished_run() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        BEGIN
            {exception}
            RAISE EXCEPTION 'cycle run % has ended as %: it stays as it is', OLD.id, OLD.status
                USING ERRCODE = 'restrict_violation';
        END $$
    """)


def _make_followers(unless: str) -> None:
    for name, table, function, condition in _FOLLOWERS:
        op.execute(f"DROP TRIGGER {name} ON {table}")
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {name} AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED"
            f" FOR EACH ROW WHEN ({condition} AND {unless}) EXECUTE FUNCTION {function}()"
        )
