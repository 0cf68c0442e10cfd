"""Names are compared in a spelling of their team's, so that a search reads little of what other teams know.

An index of trigrams has one list for each of them, of the names of all teams together, and a search reads a dozen
lists a run of words. Now the letters and digits of a name stand for others in each team, turned around by a number of
places that the team's id tells. The same letters are as alike as before, but what is frequent in a language is
another trigram in each of 36 groups of teams: the lists are shorter and of one length. There are no more letters to
choose from, for in a database whose locale is "C" those beyond ASCII have no trigrams.

Names that hold any are compared by their bytes as before, in the team's spelling, on an index that begins with the
team too.

Lock: ACCESS EXCLUSIVE on entity_names while its rows are written anew and its indexes built, about 5 s for 300 000
names.
"""

import sqlalchemy as sa
from alembic import op

revision = "0080"
down_revision = "0090"
branch_labels = None
depends_on = None

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def upgrade() -> None:
    """Give each name its team's spelling, and search by it."""
    # One expression, which is written into whatever calls it.
    op.execute(f"""
        CREATE FUNCTION spell_for_team(team text, name text) RETURNS text
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT pg_catalog.translate(
                name, '{_LETTERS}',
                pg_catalog.substr('{2 * _LETTERS}',
                                  1 + (pg_catalog.hashtextextended(team, 0) & 65535)::integer % {len(_LETTERS)},
                                  {len(_LETTERS)}))
        $$
    """)
    op.execute("DROP INDEX entity_names_trigram")
    op.execute("DROP INDEX entity_names_bytes_trigram")
    op.add_column(
        "entity_names",
        sa.Column(
            "spelling",
            sa.Text(),
            sa.Computed("spell_for_team(team_id, folded_name)", persisted=True),
            nullable=False,
        ),
    )
    # What was written last would wait in a list that each search reads from end to end.
    op.execute("""
        CREATE INDEX entity_names_trigram ON entity_names
        USING gin (team_id, spelling gin_trgm_ops) WITH (fastupdate = off)
    """)
    op.execute("""
        CREATE INDEX entity_names_bytes_trigram ON entity_names
        USING gin (team_id, spell_for_team(team_id, spell_bytes(folded_name)) gin_trgm_ops)
        WITH (fastupdate = off) WHERE folded_name ~ '[^ -~]'
    """)
    _make_search(
        spelt="public.spell_for_team(team, wanted)",
        spelling="n.spelling",
        spelt_bytes="public.spell_for_team(team, public.spell_bytes(wanted))",
        spelling_of_bytes="public.spell_for_team(n.team_id, public.spell_bytes(n.folded_name))",
    )


def downgrade() -> None:
    """Compare names as they are written."""
    op.execute("DROP INDEX entity_names_bytes_trigram")
    op.execute("DROP INDEX entity_names_trigram")
    op.drop_column("entity_names", "spelling")
    op.execute("DROP FUNCTION spell_for_team(text, text)")
    op.execute(
        "CREATE INDEX entity_names_trigram ON entity_names USING gin (team_id, folded_name gin_trgm_ops)"
    )
    op.execute("""
        CREATE INDEX entity_names_bytes_trigram ON entity_names
        USING gin (spell_bytes(folded_name) gin_trgm_ops) WHERE folded_name ~ '[^ -~]'
    """)
    _make_search(
        spelt="wanted",
        spelling="n.folded_name",
        spelt_bytes="public.spell_bytes(wanted)",
        spelling_of_bytes="public.spell_bytes(n.folded_name)",
    )


def _make_search(*, spelt: str, spelling: str, spelt_bytes: str, spelling_of_bytes: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION search_alike_names(windows text[], most integer)
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
                    spelt := {spelt_bytes};
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted,
                           public.similarity({spelling_of_bytes}, spelt) AS near
                    FROM public.entity_names AS n
                    WHERE {spelling_of_bytes} OPERATOR(public.%) spelt
                      AND n.folded_name ~ '[^ -~]' AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                ELSE
                    spelt := {spelt};
                    RETURN QUERY
                    SELECT n.entity_id, n.folded_name, wanted, public.similarity({spelling}, spelt) AS near
                    FROM public.entity_names AS n
                    WHERE {spelling} OPERATOR(public.%) spelt AND n.team_id = team
                    ORDER BY near DESC, n.entity_id, n.folded_name LIMIT most;
                END IF;
            END LOOP;
        END $$
    """)
