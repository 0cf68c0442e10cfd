"""Searches look at one team's rows, however many teams there are, and at no more of them than can matter.

The indexes of words and of parts of names held those of all teams together: a search found a word in every team and
threw all but one team's rows away. They begin with the team now. Whether a position holds is asked from the best
document on until there are enough, no longer of all. Where no document holds all words, those that are everywhere
in the team don't choose documents any more, as long as there are others; they still count for the rank.

The planner took every search of Hypotheses for one of a thousand rows, and read all open ones of the team beside it.

Lock: SHARE on relationship_documents, entity_names and hypotheses while their indexes are built.
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_INDEXES = {
    "relationship_documents_search": ("relationship_documents", "search"),
    "entity_names_trigram": ("entity_names", "folded_name gin_trgm_ops"),
    "hypotheses_statement": ("hypotheses", "to_tsvector('english'::regconfig, statement)"),
}
_SEARCH_DOCUMENTS = """
    CREATE OR REPLACE FUNCTION search_documents(wanted text, at timestamptz, known timestamptz, most integer)
    RETURNS TABLE (semantic_group_key text, score real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
"""


def upgrade() -> None:
    for name, (table, column) in _INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {table} USING gin (team_id, {column})")
    op.execute(rf"""
        {_SEARCH_DOCUMENTS} AS $$
        DECLARE
            -- A word of more documents of the team tells too little to choose by.
            everywhere CONSTANT integer := 2000;
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
                    ORDER BY ranked.rank DESC, ranked.relationship_id LIMIT 2 * most
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
    op.execute("ALTER FUNCTION search_hypotheses(text, integer) ROWS 20")


def downgrade() -> None:
    op.execute("ALTER FUNCTION search_hypotheses(text, integer) ROWS 1000")
    op.execute(f"""
        {_SEARCH_DOCUMENTS} AS $$
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
    for name, (table, column) in _INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {table} USING gin ({column})")
