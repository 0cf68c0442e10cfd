"""Names that are nearly a run of words, found by their trigrams.

`search_names` compared single words with parts of names, so a slip in "Lumen Gateway" found every gateway. It is
left with names as written; a function of its own compares whole names. A longer run has to share more than a short
one, in which one swap costs half of the trigrams.

In a database whose locale is "C" letters beyond ASCII have no trigrams. Names that hold any are compared by the
hexadecimal spelling of their bytes, which has some everywhere, on an index of their own.

Lock: SHARE on entity_names while the index is built.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

SEARCHES = ("search_names(text[], integer)", "search_alike_names(text[], integer)")


def upgrade() -> None:
    op.execute("DROP FUNCTION search_names(text[], text[], integer)")
    op.execute("""
        CREATE FUNCTION search_names(exact text[], most integer)
        RETURNS TABLE (entity_id text, folded_name text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            SELECT n.entity_id, n.folded_name FROM public.entity_names AS n
            WHERE n.team_id = current_setting('densemem.team_id', true) AND n.folded_name = ANY (exact)
            ORDER BY n.entity_id, n.folded_name LIMIT most
        $$
    """)
    op.execute("""
        CREATE FUNCTION spell_bytes(name text) RETURNS text
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT pg_catalog.encode(pg_catalog.convert_to(name, 'UTF8'), 'hex')
        $$
    """)
    op.execute("""
        CREATE INDEX entity_names_bytes_trigram ON entity_names
        USING gin (spell_bytes(folded_name) gin_trgm_ops) WHERE folded_name ~ '[^ -~]'
    """)
    op.execute("""
        CREATE FUNCTION search_alike_names(windows text[], most integer)
        RETURNS TABLE (entity_id text, folded_name text, window_text text, likeness real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
        SET pg_trgm.similarity_threshold = 0.3 AS $$
        DECLARE
            team text := current_setting('densemem.team_id', true);
            wanted text;
        BEGIN
            -- One at a time: for a join over several the planner leaves the trigram index alone.
            FOREACH wanted IN ARRAY windows LOOP
                PERFORM set_config('pg_trgm.similarity_threshold',
                                   CASE WHEN length(wanted) > 10 THEN '0.45' ELSE '0.3' END, true);
                -- Written in full, for an index with a condition is for statements that repeat it.
                IF wanted ~ '[^ -~]' THEN
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted,
                           public.similarity(public.spell_bytes(n.folded_name), public.spell_bytes(wanted)) AS near
                    FROM public.entity_names AS n
                    WHERE public.spell_bytes(n.folded_name) OPERATOR(public.%) public.spell_bytes(wanted)
                      AND n.folded_name ~ '[^ -~]' AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                ELSE
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted, public.similarity(n.folded_name, wanted) AS near
                    FROM public.entity_names AS n
                    WHERE n.folded_name OPERATOR(public.%) wanted AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                END IF;
            END LOOP;
        END $$
    """)
    _let_the_app_search(SEARCHES)


def downgrade() -> None:
    for search in SEARCHES:
        op.execute(f"DROP FUNCTION {search}")
    op.execute("DROP INDEX entity_names_bytes_trigram")
    op.execute("DROP FUNCTION spell_bytes(text)")
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
    _let_the_app_search(("search_names(text[], text[], integer)",))


def _let_the_app_search(searches: tuple[str, ...]) -> None:
    for search in searches:
        op.execute(f"REVOKE ALL ON FUNCTION {search} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {search} TO {role('app')}")
