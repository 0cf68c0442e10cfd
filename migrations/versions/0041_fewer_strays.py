"""A search for words looks at fewer documents where none holds all of the words.

What it finds then is mostly beside the point: a hundred positions that hold are enough to order, and a word of more
than a thousand of the team's documents tells too little to choose by.

Lock: none; a function is replaced.
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_search(everywhere=1_000, enough="CASE step WHEN 1 THEN 2 * most ELSE least(2 * most, 100) END")


def downgrade() -> None:
    _make_search(everywhere=2_000, enough="2 * most")


def _make_search(*, everywhere: int, enough: str) -> None:
    op.execute(rf"""
        CREATE OR REPLACE FUNCTION search_documents(wanted text, at timestamptz, known timestamptz, most integer)
        RETURNS TABLE (semantic_group_key text, score real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        DECLARE
            -- A word of more documents of the team tells too little to choose by.
            everywhere CONSTANT integer := {everywhere};
            team text := current_setting('densemem.team_id', true);
            -- What ranks documents, and what chooses them.
            words tsquery := plainto_tsquery('english', wanted);
            chosen_by tsquery := words;
            word tsquery;
            telling tsquery;
        BEGIN
            IF numnode(words) = 0 THEN
                RETURN;
            END IF;
            FOR step IN 1..2 LOOP
                RETURN QUERY
                SELECT enough.semantic_group_key, max(enough.rank) AS best
                FROM (
                    SELECT held.semantic_group_key, ranked.rank
                    FROM (
                        SELECT d.relationship_id, ts_rank(d.search, words, 1) AS rank
                        FROM public.relationship_documents AS d
                        WHERE d.team_id = team AND d.search @@ chosen_by
                        ORDER BY rank DESC, d.relationship_id LIMIT 25 * most
                    ) AS ranked
                    -- Whether a position holds is dear: it is asked of the best until there are enough. OFFSET 0
                    -- keeps this a look-up by key for each of them, whatever the statistics say.
                    CROSS JOIN LATERAL (
                        SELECT h.semantic_group_key FROM public.held_relationships(team, at, known) AS h
                        WHERE h.relationship_id = ranked.relationship_id OFFSET 0
                    ) AS held
                    ORDER BY ranked.rank DESC, ranked.relationship_id LIMIT {enough}
                ) AS enough
                GROUP BY enough.semantic_group_key
                ORDER BY best DESC, enough.semantic_group_key LIMIT most;
                EXIT WHEN FOUND OR step = 2;
                -- Documents that hold some of the words only answer where none holds all of them.
                words := replace(words::text, ''' & ''', ''' | ''')::tsquery;
                FOR word IN
                    SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
                    FROM unnest(tsvector_to_array(to_tsvector('english', wanted))) AS lexeme
                LOOP
                    CONTINUE WHEN everywhere < (SELECT count(*) FROM (
                        SELECT FROM public.relationship_documents AS d
                        WHERE d.team_id = team AND d.search @@ word LIMIT everywhere + 1) AS found);
                    telling := CASE WHEN telling IS NULL THEN word ELSE telling || word END;
                END LOOP;
                chosen_by := coalesce(telling, words);
            END LOOP;
        END $$
    """)
