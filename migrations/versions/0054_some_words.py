"""Documents that hold some of the words only are searched for by themselves, where nothing else is known.

Each word was looked for among all documents of the team, although the query named things of which something is known,
and what it found came after all of that.

Lock: none; one function is replaced, one made.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0054"
down_revision = "0058"
branch_labels = None
depends_on = None

_SOME = "search_documents_partly(text, timestamptz, timestamptz, integer)"
# A word of more documents of the team tells too little to choose by.
_EVERYWHERE = 1_000


def upgrade() -> None:
    _make("search_documents", _all_words())
    _make("search_documents_partly", _some_words())
    op.execute(f"REVOKE ALL ON FUNCTION {_SOME} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {_SOME} TO {role('app')}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {_SOME}")
    _make("search_documents", f"{_all_words()} IF FOUND THEN RETURN; END IF; {_some_words()}")


def _make(name: str, body: str) -> None:
    op.execute(rf"""
        CREATE OR REPLACE FUNCTION {name}(wanted text, at timestamptz, known timestamptz, most integer)
        RETURNS TABLE (semantic_group_key text, score real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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


def _all_words() -> str:
    return f"chosen_by := words; {_search('2 * most')}"


def _some_words() -> str:
    return rf"""
            words := replace(words::text, ''' & ''', ''' | ''')::tsquery;
            chosen_by := NULL;
            FOR word IN
                SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
                FROM unnest(tsvector_to_array(to_tsvector('english', wanted))) AS lexeme
            LOOP
                CONTINUE WHEN {_EVERYWHERE} < (SELECT count(*) FROM (
                    SELECT FROM public.relationship_documents AS d
                    WHERE d.team_id = team AND d.search @@ word LIMIT {_EVERYWHERE} + 1) AS found);
                chosen_by := CASE WHEN chosen_by IS NULL THEN word ELSE chosen_by || word END;
            END LOOP;
            chosen_by := coalesce(chosen_by, words);
            {_search("least(2 * most, 100)")}
    """


def _search(enough: str) -> str:
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
                    WHERE d.team_id = team AND d.search @@ chosen_by
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
