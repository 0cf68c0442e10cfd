"""Words are kept with a mark of their team, so that a search reads nothing of what other teams say.

The indexes had one list for each word, of all teams together, and a search read those of its words beside that of all
that the team says. Now each word begins with the end of the team's id: a list is one team's. As two ids may end alike,
what is found is compared with the team all the same. Ranks are reckoned by the words as they are.

A word takes at most 2 046 bytes, and the mark makes it longer: one of more than 500 characters finds nothing, and long
texts leave it out.

Lock: SHARE on relationship_documents and hypotheses while their indexes are built, about 12 s for a million rows of
each.
"""

from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None

_INDEXES = {
    "relationship_documents_search": ("relationship_documents", "search", "body"),
    "hypotheses_statement": ("hypotheses", "to_tsvector('english'::regconfig, statement)", "statement"),
}
# A word of more documents of the team tells too little to choose by.
_EVERYWHERE = 1_000
_PATH = "SET search_path = pg_catalog, public, pg_temp"


def upgrade() -> None:
    """Mark the words in the indexes and in what is looked for."""
    # Neither is STRICT: then the planner can write it into what calls it.
    op.execute("""
        CREATE FUNCTION words_of_team(team text, body text, words tsvector) RETURNS tsvector
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT pg_catalog.replace(
                ' ' || CASE WHEN pg_catalog.octet_length(body) < 1000 THEN pg_catalog.strip(words)::pg_catalog.text
                            ELSE pg_catalog.regexp_replace(
                                pg_catalog.strip(words)::pg_catalog.text, '''[^ ]{255}[^ ]{247,}', '', 'g') END,
                ' ''', ' ''' || pg_catalog.right(team, 4))::pg_catalog.tsvector
        $$
    """)
    op.execute("""
        CREATE FUNCTION words_wanted_of_team(team text, words tsquery) RETURNS tsquery
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN pg_catalog.length(words::pg_catalog.text) < 500
                             OR words::pg_catalog.text !~ '''[^ ]{255}[^ ]{247}'
                        THEN pg_catalog.replace(' ' || words::pg_catalog.text, ' ''',
                                                ' ''' || pg_catalog.right(team, 4))::pg_catalog.tsquery END
        $$
    """)
    for name, (table, words, body) in _INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        # What was written last would wait in a list that each search reads from end to end.
        op.execute(f"""
            CREATE INDEX {name} ON {table}
            USING gin (words_of_team(team_id, {body}, {words})) WITH (fastupdate = off)
        """)
    # What the words find is the team's but for chance. IS TRUE keeps the planner from looking for all the team's instead.
    _make_searches(
        documents="""
            public.words_of_team(d.team_id, d.body, d.search) @@ public.words_wanted_of_team(team, {wanted})
            AND (d.team_id = team) IS TRUE
        """,
        hypotheses="""
            public.words_of_team(h.team_id, h.statement, to_tsvector('english', h.statement))
            @@ public.words_wanted_of_team(
                   current_setting('densemem.team_id', true), plainto_tsquery('english', wanted))
            AND (h.team_id = current_setting('densemem.team_id', true)) IS TRUE
        """,
        # It expects a share of all that there is, and would call for other processes and a compiler.
        settings=f"{_PATH} SET max_parallel_workers_per_gather = 0 SET jit = off",
    )


def downgrade() -> None:
    """Keep the words of all teams together."""
    for name, (table, words, _) in _INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {table} USING gin (team_id, {words})")
    _make_searches(
        documents="d.search @@ {wanted} AND d.team_id = team",
        hypotheses="""
            to_tsvector('english', h.statement) @@ plainto_tsquery('english', wanted)
            AND h.team_id = current_setting('densemem.team_id', true)
        """,
        settings=_PATH,
    )
    op.execute("DROP FUNCTION words_wanted_of_team(text, tsquery)")
    op.execute("DROP FUNCTION words_of_team(text, text, tsvector)")


def _make_searches(*, documents: str, hypotheses: str, settings: str) -> None:
    _make_search("search_documents", f"chosen_by := words; {_search(documents, '2 * most')}", settings)
    _make_search("search_documents_partly", _some_words(documents), settings)
    op.execute(f"""
        CREATE OR REPLACE FUNCTION search_hypotheses(wanted text, most integer)
        RETURNS TABLE (hypothesis_id text, score real)
        LANGUAGE sql STABLE SECURITY DEFINER {settings} ROWS 20 AS $$
            -- A query without a searchable word matches nothing.
            SELECT h.id, ts_rank(to_tsvector('english', h.statement), plainto_tsquery('english', wanted), 1)
            FROM public.hypotheses AS h
            WHERE {hypotheses} AND h.status IN ('proposed', 'reinforced')
            ORDER BY 2 DESC, 1 LIMIT most
        $$
    """)


def _make_search(name: str, body: str, settings: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION {name}(wanted text, at timestamptz, known timestamptz, most integer)
        RETURNS TABLE (semantic_group_key text, score real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER {settings} AS $$
        DECLARE
            team text := current_setting('densemem.team_id', true);
            -- What ranks documents, and what chooses them.
            words tsquery := plainto_tsquery('english', wanted);
            chosen_by tsquery;
            word tsquery;
        BEGIN
            IF numnode(words) = 0 THEN
                RETURN;
            END IF;
            {body}
        END $$
    """)


def _some_words(documents: str) -> str:
    return rf"""
            words := replace(words::text, ''' & ''', ''' | ''')::tsquery;
            FOR word IN
                SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
                FROM unnest(tsvector_to_array(to_tsvector('english', wanted))) AS lexeme
                WHERE length(lexeme) <= 500
            LOOP
                CONTINUE WHEN {_EVERYWHERE} < (
                    SELECT count(*) FROM (
                        SELECT FROM public.relationship_documents AS d
                        WHERE {documents.format(wanted="word")} LIMIT {_EVERYWHERE} + 1
                    ) AS found
                );
                chosen_by := CASE WHEN chosen_by IS NULL THEN word ELSE chosen_by || word END;
            END LOOP;
            chosen_by := coalesce(chosen_by, words);
            {_search(documents, "least(2 * most, 100)")}
    """


def _search(documents: str, enough: str) -> str:
    # Whether a position holds is dear: it is asked of the best until there are enough. OFFSET 0 keeps this a look-up by
    # key for each of them, whatever the statistics say.
    return f"""
            RETURN QUERY
            SELECT enough.semantic_group_key, max(enough.rank) AS best
            FROM (
                SELECT held.semantic_group_key, ranked.rank
                FROM (
                    SELECT d.relationship_id, ts_rank(d.search, words, 1) AS rank
                    FROM public.relationship_documents AS d
                    WHERE {documents.format(wanted="chosen_by")}
                    ORDER BY rank DESC, d.relationship_id LIMIT 25 * most
                ) AS ranked
                CROSS JOIN LATERAL (
                    SELECT h.semantic_group_key FROM public.held_relationships(team, at, known) AS h
                    WHERE h.relationship_id = ranked.relationship_id OFFSET 0
                ) AS held
                ORDER BY ranked.rank DESC, ranked.relationship_id LIMIT {enough}
            ) AS enough
            GROUP BY enough.semantic_group_key
            ORDER BY best DESC, enough.semantic_group_key LIMIT most;
    """
