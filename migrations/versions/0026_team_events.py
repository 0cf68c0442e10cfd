"""The feed of a team, numbered in commit order by deferred triggers; it begins with this migration.

A trigger on each source notes the event, a second one on the note numbers it. Both are deferred: the first waits
for the transaction's own statements, the second for everything that the first round does, which may lock
Hypotheses. So the counter's row is the last lock of any transaction.

Lock: SHARE ROW EXCLUSIVE on the four sources for the moment in which their triggers are made.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import grant, protect

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

# Trigger, table and when it fires.
_NOTES = (
    ("relationship_transitions_note_event", "relationship_transitions", "INSERT", ""),
    ("hypothesis_events_note_event", "hypothesis_events", "INSERT", ""),
    ("cycle_runs_note_start", "cycle_runs", "INSERT", ""),
    ("cycle_runs_note_change", "cycle_runs", "UPDATE", "WHEN (OLD.status IS DISTINCT FROM NEW.status)"),
    ("ingests_note_start", "ingests", "INSERT", ""),
    (
        "ingests_note_change",
        "ingests",
        "UPDATE",
        "WHEN (OLD.processing_state IS DISTINCT FROM NEW.processing_state)",
    ),
)


def upgrade() -> None:
    op.create_table(
        "team_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="team_events_team"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_team_events")),
        sa.UniqueConstraint("team_id", "number", name="team_events_are_numbered"),
    )
    op.create_table(
        "event_counters",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="event_counters_team"),
        sa.PrimaryKeyConstraint("team_id", name=op.f("pk_event_counters")),
        postgresql_with={"fillfactor": 50},
    )
    protect("team_events")
    grant("app", "team_events", select="*")
    grant("app", "event_counters", select="*")
    # A function for each table would say the same four times; a branch is planned for the table that it is for.
    op.execute("""
        CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        DECLARE
            happened text;
            subject text;
        BEGIN
            CASE TG_TABLE_NAME
            WHEN 'relationship_transitions' THEN
                happened := 'relationship.' || NEW.to_status;
                subject := NEW.relationship_id;
            WHEN 'hypothesis_events' THEN
                happened := 'hypothesis.' || NEW.to_status;
                subject := NEW.hypothesis_id;
            WHEN 'cycle_runs' THEN
                happened := 'run.' || NEW.status;
                subject := NEW.id;
            WHEN 'ingests' THEN
                happened := 'ingest.' || NEW.processing_state;
                subject := NEW.id;
            END CASE;
            INSERT INTO public.team_events (team_id, type, subject_id) VALUES (NEW.team_id, happened, subject);
            RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION number_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        DECLARE
            given bigint;
        BEGIN
            INSERT INTO public.event_counters AS counter (team_id, last) VALUES (NEW.team_id, 1)
            ON CONFLICT (team_id) DO UPDATE SET last = counter.last + 1
            RETURNING last INTO given;
            UPDATE public.team_events SET number = given, at = clock_timestamp()
            WHERE team_id = NEW.team_id AND id = NEW.id;
            RETURN NULL;
        END $$
    """)
    for name, table, action, condition in _NOTES:
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {name} AFTER {action} ON {table} DEFERRABLE INITIALLY DEFERRED"
            f" FOR EACH ROW {condition} EXECUTE FUNCTION note_event()"
        )
    op.execute(
        "CREATE CONSTRAINT TRIGGER team_events_number AFTER INSERT ON team_events"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.number IS NULL) EXECUTE FUNCTION number_event()"
    )


def downgrade() -> None:
    for name, table, _, _ in _NOTES:
        op.execute(f"DROP TRIGGER {name} ON {table}")
    op.drop_table("event_counters")
    op.drop_table("team_events")
    op.execute("DROP FUNCTION number_event()")
    op.execute("DROP FUNCTION note_event()")
