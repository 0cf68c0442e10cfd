"""Of a run of words that a name is like, the runs inside are not looked for: they could only be worse matches.

A question with a misspelt name asks for every run of its words that may be one, and most of these lie inside of the
one that is. Whoever asks for names that have nothing to do with each other has them all looked for, as before.

Lock: none on tables; a function takes the place of another.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0100"
down_revision = "0082"
branch_labels = None
depends_on = None

_NAMES = "search_alike_names(text[], integer)"
_RUNS = "search_alike_names(text[], integer, boolean)"


def upgrade() -> None:
    """Take runs of words that lie inside of each other."""
    _know_threshold()
    op.execute(f"DROP FUNCTION {_NAMES}")
    # As like as that, it would take many more letters inside to be a better match. A name of fewer words may be
    # what is inside, and one of more may be something else.
    told = """
                    LOOP
                        RETURN NEXT;
                        is_one := is_one OR likeness >= 0.5 AND spaces = public.count_spaces(folded_name);
                    END LOOP;
    """
    op.execute("""
        CREATE FUNCTION count_spaces(name text) RETURNS integer
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        AS $$ SELECT pg_catalog.length(name) - pg_catalog.length(pg_catalog.replace(name, ' ', '')) $$
    """)
    op.execute(f"""
        CREATE FUNCTION search_alike_names(windows text[], most integer, are_nested boolean)
        RETURNS TABLE (entity_id text, folded_name text, window_text text, likeness real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
        SET pg_trgm.similarity_threshold = 0.3 AS $$
        #variable_conflict use_column
        DECLARE
            team text := current_setting('densemem.team_id', true);
            spelt text;
            spaces integer;
            is_one boolean;
            ones text := '';
        BEGIN
            -- One at a time: for a join over several the planner leaves the trigram index alone.
            FOREACH window_text IN ARRAY windows LOOP
                CONTINUE WHEN are_nested AND strpos(ones, ' ' || window_text || ' ') > 0;
                PERFORM set_config('pg_trgm.similarity_threshold',
                                   CASE WHEN length(window_text) > 10 THEN '0.45' ELSE '0.3' END, true);
                spaces := public.count_spaces(window_text);
                is_one := false;
                -- Written in full, for an index with a condition is for statements that repeat it.
                IF window_text ~ '[^ -~]' THEN
                    spelt := public.spell_for_team(team, public.spell_bytes(window_text));
                    FOR entity_id, folded_name, likeness IN
                        SELECT n.entity_id, n.folded_name, public.similarity(
                                   public.spell_for_team(n.team_id, public.spell_bytes(n.folded_name)), spelt) AS near
                        FROM public.entity_names AS n
                        WHERE public.spell_for_team(n.team_id, public.spell_bytes(n.folded_name))
                              OPERATOR(public.%) spelt
                          AND n.folded_name ~ '[^ -~]' AND n.team_id = team
                        ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most
                    {told}
                ELSE
                    spelt := public.spell_for_team(team, window_text);
                    FOR entity_id, folded_name, likeness IN
                        SELECT n.entity_id, n.folded_name, public.similarity(n.spelling, spelt) AS near
                        FROM public.entity_names AS n
                        WHERE n.spelling OPERATOR(public.%) spelt AND n.team_id = team
                        ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most
                    {told}
                END IF;
                IF is_one THEN
                    ones := ones || ' ' || window_text || ' ';
                END IF;
            END LOOP;
        END $$
    """)
    _grant(_RUNS)


def downgrade() -> None:
    """Look for each by itself."""
    _know_threshold()
    op.execute(f"DROP FUNCTION {_RUNS}")
    op.execute("DROP FUNCTION count_spaces(text)")
    op.execute("""
        CREATE FUNCTION search_alike_names(windows text[], most integer)
        RETURNS TABLE (entity_id text, folded_name text, window_text text, likeness real)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
        SET pg_trgm.similarity_threshold = 0.3 AS $$
        DECLARE
            team text := current_setting('densemem.team_id', true);
            wanted text;
            spelt text;
        BEGIN
            -- One at a time: for a join over several the planner leaves the trigram index alone.
            FOREACH wanted IN ARRAY windows LOOP
                PERFORM set_config('pg_trgm.similarity_threshold',
                                   CASE WHEN length(wanted) > 10 THEN '0.45' ELSE '0.3' END, true);
                -- Written in full, for an index with a condition is for statements that repeat it.
                IF wanted ~ '[^ -~]' THEN
                    spelt := public.spell_for_team(team, public.spell_bytes(wanted));
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted, public.similarity(
                               public.spell_for_team(n.team_id, public.spell_bytes(n.folded_name)), spelt) AS near
                    FROM public.entity_names AS n
                    WHERE public.spell_for_team(n.team_id, public.spell_bytes(n.folded_name))
                          OPERATOR(public.%) spelt
                      AND n.folded_name ~ '[^ -~]' AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                ELSE
                    spelt := public.spell_for_team(team, wanted);
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted, public.similarity(n.spelling, spelt) AS near
                    FROM public.entity_names AS n
                    WHERE n.spelling OPERATOR(public.%) spelt AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                END IF;
            END LOOP;
        END $$
    """)
    _grant(_NAMES)


def _know_threshold() -> None:
    # A setting of an extension is known, and may be set, once the session has called one of its functions.
    op.execute("SELECT public.similarity('', '')")


def _grant(function: str) -> None:
    op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {role('app')}")
