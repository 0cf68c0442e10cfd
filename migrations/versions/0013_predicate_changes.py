"""A guess about a target that its predicate no longer takes: seen when it is read, staled when that happens.

A Hypothesis may rest on Relationships of other predicates, so no source of it is lost when its own predicate is
retired or takes fewer kinds. Deferred, as the trigger on transitions is: Relationships first, Hypotheses last.

Lock: SHARE ROW EXCLUSIVE on predicates for the moment in which the trigger is made.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE VIEW hypothesis_targets WITH (security_invoker = true) AS
        SELECT h.team_id, h.id AS hypothesis_id,
            CASE
                WHEN predicate.lifecycle_state = 'retired' THEN 'predicate_retired'
                -- The same question as relationship_eligibility asks of a Relationship.
                WHEN (
                    cardinality(predicate.allowed_subject_kinds || predicate.allowed_object_kinds
                                || predicate.allowed_value_types) = 0 AND object.id IS NOT NULL
                    OR subject.kind = ANY (predicate.allowed_subject_kinds) AND (
                        object.kind = ANY (predicate.allowed_object_kinds)
                        OR value.value_type = ANY (predicate.allowed_value_types))) IS NOT TRUE
                    THEN 'predicate_narrowed'
            END AS fault
        FROM hypotheses AS h
        JOIN entities AS subject ON subject.team_id = h.team_id AND subject.id = h.subject_entity_id
        JOIN predicates AS predicate
          ON predicate.team_id = h.team_id AND predicate.predicate_key = h.predicate_key AND predicate.is_current
        LEFT JOIN entities AS object ON object.team_id = h.team_id AND object.id = h.object_entity_id
        LEFT JOIN typed_values AS value ON value.team_id = h.team_id AND value.id = h.object_value_id
    """)
    op.execute(f"GRANT SELECT ON hypothesis_targets TO {role('app')}, {role('dreamer')}")
    op.execute("""
        CREATE FUNCTION stale_unfit_targets() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        BEGIN
            WITH unfit AS (
                SELECT h.id, h.status FROM public.hypotheses AS h
                WHERE h.team_id = NEW.team_id AND h.predicate_key = NEW.predicate_key
                  AND h.status IN ('proposed', 'reinforced')
                  AND EXISTS (SELECT FROM public.hypothesis_targets AS t
                              WHERE t.team_id = h.team_id AND t.hypothesis_id = h.id AND t.fault IS NOT NULL)
                ORDER BY h.id FOR UPDATE
            ), staled AS (
                UPDATE public.hypotheses AS h
                SET status = 'stale', needs_reassessment = false, row_version = h.row_version + 1,
                    updated_at = clock_timestamp()
                FROM unfit WHERE h.team_id = NEW.team_id AND h.id = unfit.id
                RETURNING h.id, unfit.status AS from_status
            )
            INSERT INTO public.hypothesis_events
                (team_id, hypothesis_id, event, from_status, to_status, reason, actor_kind)
            SELECT NEW.team_id, staled.id, 'target_unfit', staled.from_status, 'stale',
                   (SELECT t.fault FROM public.hypothesis_targets AS t
                    WHERE t.team_id = NEW.team_id AND t.hypothesis_id = staled.id), 'ledger'
            FROM staled;
            RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE CONSTRAINT TRIGGER predicates_stale_unfit_targets
        AFTER INSERT ON predicates DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.version > 1) EXECUTE FUNCTION stale_unfit_targets()
    """)


def downgrade() -> None:
    op.execute("DROP TRIGGER predicates_stale_unfit_targets ON predicates")
    op.execute("DROP FUNCTION stale_unfit_targets()")
    op.execute("DROP VIEW hypothesis_targets")
