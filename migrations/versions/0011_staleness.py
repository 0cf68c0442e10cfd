"""Staleness in the transaction that causes it: a deferred trigger on the event that says so.

Deferred, so that every change locks Relationships first and Hypotheses last, as persisting a dream does.

Lock: SHARE ROW EXCLUSIVE on relationship_transitions for the moment in which the trigger is made.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # What makes a guess pointless has one home. A scoped position is another claim than an unscoped guess; so is a
    # state whose window has closed or is yet to open, for the guess is about today. Events stay. A plain SQL
    # function without settings is inlined like a view.
    op.execute("""
        CREATE FUNCTION settled_positions(team text, at timestamptz)
        RETURNS TABLE (
            relationship_id text, target_identity text, polarity text, subject_entity_id text,
            predicate_key text, object_entity_id text, object_value_id text
        ) LANGUAGE sql STABLE AS $$
            SELECT r.id, r.target_identity, r.polarity, r.subject_entity_id, r.predicate_key,
                   r.object_entity_id, r.object_value_id
            FROM public.relationships AS r
            JOIN public.predicates AS p
              ON p.team_id = r.team_id AND p.predicate_key = r.predicate_key AND p.is_current
            WHERE r.team_id = team AND r.status = 'active' AND r.scope IS NULL
              AND (p.relationship_kind = 'event'
                   OR coalesce(r.valid_from <= at, true) AND coalesce(at < r.valid_to, true))
        $$
    """)
    op.execute("""
        CREATE FUNCTION stale_dependents() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        DECLARE
            changed public.relationships%ROWTYPE;
            cause text;
            moment timestamptz := clock_timestamp();
        BEGIN
            SELECT * INTO STRICT changed FROM public.relationships
            WHERE team_id = NEW.team_id AND id = NEW.relationship_id;

            IF NEW.effect = 'reassess' THEN
                UPDATE public.hypotheses AS h SET needs_reassessment = true
                WHERE h.team_id = NEW.team_id AND h.status IN ('proposed', 'reinforced')
                  AND h.id IN (SELECT s.hypothesis_id FROM public.hypothesis_sources AS s
                               WHERE s.team_id = NEW.team_id AND s.relationship_id = NEW.relationship_id AND s.is_current);
                RETURN NULL;
            ELSIF NEW.effect = 'became_active' THEN
                IF NOT EXISTS (SELECT FROM public.settled_positions(NEW.team_id, moment) AS settled
                               WHERE settled.relationship_id = NEW.relationship_id) THEN
                    RETURN NULL;
                END IF;
                cause := CASE changed.polarity WHEN '+' THEN 'target_active' ELSE 'target_contradicted' END;
                PERFORM public.lock_target(NEW.team_id, changed.target_identity);
            ELSE
                cause := 'source_lost';
                -- It may have come back before the transaction ended.
                IF EXISTS (SELECT FROM public.eligible_relationships AS e
                           WHERE e.team_id = NEW.team_id AND e.relationship_id = NEW.relationship_id) THEN
                    RETURN NULL;
                END IF;
            END IF;

            WITH dependent AS (
                SELECT h.id, h.status FROM public.hypotheses AS h
                WHERE h.team_id = NEW.team_id AND h.status IN ('proposed', 'reinforced')
                  AND CASE WHEN cause = 'source_lost'
                      THEN h.id IN (SELECT s.hypothesis_id FROM public.hypothesis_sources AS s
                                    WHERE s.team_id = NEW.team_id
                                      AND s.relationship_id = NEW.relationship_id AND s.is_current)
                      ELSE h.target_identity = changed.target_identity END
                ORDER BY h.id FOR UPDATE
            ), staled AS (
                UPDATE public.hypotheses AS h
                SET status = 'stale', needs_reassessment = false, row_version = h.row_version + 1,
                    updated_at = clock_timestamp()
                FROM dependent WHERE h.team_id = NEW.team_id AND h.id = dependent.id
                RETURNING h.id, dependent.status AS from_status
            )
            INSERT INTO public.hypothesis_events
                (team_id, hypothesis_id, event, from_status, to_status, reason, actor_kind, versions_seen)
            SELECT NEW.team_id, staled.id, cause, staled.from_status, 'stale', NEW.reason, 'ledger',
                   jsonb_build_object(NEW.relationship_id, NEW.version)
            FROM staled;
            RETURN NULL;
        END $$
    """)
    # Whoever makes a target active and whoever persists a guess about it take turns.
    op.execute("""
        CREATE FUNCTION lock_target(team text, target_identity text) RETURNS void
        LANGUAGE sql VOLATILE SET search_path = pg_catalog, public AS $$
            SELECT pg_advisory_xact_lock(hashtextextended(team || '/' || target_identity, 0))
        $$
    """)
    op.execute("""
        CREATE CONSTRAINT TRIGGER relationship_transitions_stale_dependents
        AFTER INSERT ON relationship_transitions DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.effect <> 'harmless') EXECUTE FUNCTION stale_dependents()
    """)


def downgrade() -> None:
    op.execute("DROP TRIGGER relationship_transitions_stale_dependents ON relationship_transitions")
    op.execute("DROP FUNCTION lock_target(text, text)")
    op.execute("DROP FUNCTION stale_dependents()")
    op.execute("DROP FUNCTION settled_positions(text, timestamptz)")
