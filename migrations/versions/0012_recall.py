"""What recall searches: positions as of a moment, full text, names, statements of guesses.

Row security keeps text operators off their indexes, because they are not leakproof. The three search functions
therefore run as the owner with a fixed search path and repeat the team filter themselves; an unset team finds
nothing. They give ids and scores only.

Lock: SHARE on hypotheses while its index is built; the rest creates functions only.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

SEARCHES = (
    "search_documents(text, timestamptz, timestamptz, integer)",
    "search_names(text[], text[], integer)",
    "search_hypotheses(text, integer)",
)


def upgrade() -> None:
    # The planner takes this apart: a plain SQL function without settings is inlined like a view.
    op.execute("""
        CREATE FUNCTION held_relationships(team text, at timestamptz, known timestamptz)
        RETURNS TABLE (
            relationship_id text, semantic_group_key text, subject_entity_id text, predicate_key text,
            predicate_version integer, object_entity_id text, object_value_id text, polarity text, scope text,
            valid_from timestamptz, valid_to timestamptz, tier text, is_disputed boolean, changed_at timestamptz
        ) LANGUAGE sql STABLE AS $$
            SELECT r.id, r.semantic_group_key, r.subject_entity_id, r.predicate_key, r.predicate_version,
                   r.object_entity_id, r.object_value_id, r.polarity, r.scope, r.valid_from, seen.valid_to,
                   seen.tier, seen.status = 'disputed', r.changed_at
            FROM public.relationships AS r
            JOIN public.predicates AS p ON p.team_id = r.team_id
                 AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version
            LEFT JOIN LATERAL (
                SELECT t.to_tier, t.to_status FROM public.relationship_transitions AS t
                WHERE t.team_id = r.team_id AND t.relationship_id = r.id AND t.created_at <= known
                ORDER BY t.version DESC LIMIT 1
            ) AS past ON known IS NOT NULL
            CROSS JOIN LATERAL (
                SELECT CASE WHEN known IS NULL THEN r.tier ELSE past.to_tier END AS tier,
                       CASE WHEN known IS NULL THEN r.status ELSE past.to_status END AS status,
                       -- Nobody knew of the end that a later supersession set.
                       CASE WHEN r.status = 'superseded' AND past.to_status <> 'superseded' THEN NULL
                            ELSE r.valid_to END AS valid_to
            ) AS seen
            WHERE r.team_id = team
              AND seen.tier IN ('validated_claim', 'fact')
              AND (r.valid_from IS NULL OR r.valid_from <= at)
              -- A state holds inside its window, an event stays true once it has begun. A superseded state
              -- still answers for the time before its window was closed.
              AND CASE WHEN seen.status IN ('active', 'disputed')
                       THEN p.relationship_kind = 'event' OR seen.valid_to IS NULL OR at < seen.valid_to
                       WHEN seen.status = 'superseded'
                       THEN p.relationship_kind = 'state' AND seen.valid_to IS NOT NULL AND at < seen.valid_to
                       ELSE false END
        $$
    """)
    op.execute("""
        CREATE FUNCTION search_documents(wanted text, at timestamptz, known timestamptz, most integer)
        RETURNS TABLE (semantic_group_key text, score real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        DECLARE
            team text := current_setting('densemem.team_id', true);
            all_words tsquery := plainto_tsquery('english', wanted);
            words tsquery;
        BEGIN
            IF numnode(all_words) = 0 THEN
                RETURN;
            END IF;
            -- Documents that hold some of the words only answer where none holds all of them.
            FOREACH words IN ARRAY ARRAY[all_words, replace(all_words::text, ''' & ''', ''' | ''')::tsquery]
            LOOP
                RETURN QUERY
                SELECT held.semantic_group_key, max(ranked.rank) AS best
                FROM (
                    -- Whether a position holds is dear, so a word that is everywhere asks it of the best only.
                    SELECT d.relationship_id, ts_rank(d.search, words, 1) AS rank
                    FROM public.relationship_documents AS d
                    WHERE d.team_id = team AND d.search @@ words
                    ORDER BY rank DESC, d.relationship_id LIMIT 25 * most
                ) AS ranked
                -- OFFSET 0 keeps this a look-up by key for each of them, whatever the statistics say.
                CROSS JOIN LATERAL (
                    SELECT h.semantic_group_key FROM public.held_relationships(team, at, known) AS h
                    WHERE h.relationship_id = ranked.relationship_id OFFSET 0
                ) AS held
                GROUP BY held.semantic_group_key
                ORDER BY best DESC, held.semantic_group_key LIMIT most;
                EXIT WHEN FOUND;
            END LOOP;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION search_names(exact text[], alike text[], most integer)
        RETURNS TABLE (entity_id text, folded_name text, score real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        DECLARE
            team text := current_setting('densemem.team_id', true);
            word text;
        BEGIN
            RETURN QUERY
            SELECT n.entity_id, n.folded_name, 1::real FROM public.entity_names AS n
            WHERE n.team_id = team AND n.folded_name = ANY (exact)
            ORDER BY n.entity_id, n.folded_name LIMIT most;
            -- One word at a time: for a join over several the planner leaves the trigram index alone.
            FOREACH word IN ARRAY alike LOOP
                RETURN QUERY
                SELECT n.entity_id, n.folded_name, public.similarity(n.folded_name, word) AS likeness
                FROM public.entity_names AS n
                WHERE n.folded_name OPERATOR(public.%>) word AND n.team_id = team
                ORDER BY likeness DESC, n.entity_id, n.folded_name LIMIT most;
            END LOOP;
        END $$
    """)
    op.execute("""
        CREATE INDEX hypotheses_statement ON hypotheses
        USING gin (to_tsvector('english'::regconfig, statement))
    """)
    op.execute("""
        CREATE FUNCTION search_hypotheses(wanted text, most integer)
        RETURNS TABLE (hypothesis_id text, score real)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            -- A query without a searchable word matches nothing.
            SELECT h.id, ts_rank(to_tsvector('english', h.statement), plainto_tsquery('english', wanted), 1)
            FROM public.hypotheses AS h
            WHERE h.team_id = current_setting('densemem.team_id', true)
              AND h.status IN ('proposed', 'reinforced')
              AND to_tsvector('english', h.statement) @@ plainto_tsquery('english', wanted)
            ORDER BY 2 DESC, 1 LIMIT most
        $$
    """)
    for search in SEARCHES:
        op.execute(f"REVOKE ALL ON FUNCTION {search} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {search} TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP INDEX hypotheses_statement")
    for search in reversed(SEARCHES):
        op.execute(f"DROP FUNCTION {search}")
    op.execute("DROP FUNCTION held_relationships(text, timestamptz, timestamptz)")
