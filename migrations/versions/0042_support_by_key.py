"""What supports an active Relationship is looked up by key at commit, however many supports the team has.

The check went through a view, and for a team that the statistics do not know yet the planner works out all of the
view for each row: a bulk load took the square of its rows.

Lock: none on tables; the two functions are replaced.
"""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_RULES = ("relationships_come_with_support", "relationships_gain_by_support")
# Each OFFSET 0 keeps the planner at one look by key.
_BY_KEY = """
    SELECT FROM (
        SELECT citation_id FROM public.supports
        WHERE team_id = NEW.team_id AND relationship_id = NEW.id AND is_granted OFFSET 0
    ) AS s
    CROSS JOIN LATERAL (
        SELECT evidence_id FROM public.citations WHERE team_id = NEW.team_id AND id = s.citation_id OFFSET 0
    ) AS c
    CROSS JOIN LATERAL (
        SELECT source_id, source_revision FROM public.evidence
        WHERE team_id = NEW.team_id AND id = c.evidence_id AND state = 'active' OFFSET 0
    ) AS e
    LEFT JOIN LATERAL (
        SELECT is_current FROM public.source_revisions
        WHERE team_id = NEW.team_id AND source_id = e.source_id AND revision = e.source_revision OFFSET 0
    ) AS v ON true
    WHERE coalesce(v.is_current, true)
"""
_BY_VIEW = """
    SELECT FROM public.effective_supports AS s WHERE s.team_id = NEW.team_id AND s.relationship_id = NEW.id
"""


def upgrade() -> None:
    _replace(_BY_KEY)


def downgrade() -> None:
    _replace(_BY_VIEW)


def _replace(supports: str) -> None:
    for rule in _RULES:
        op.execute(f"""
            CREATE OR REPLACE FUNCTION {rule}() RETURNS trigger
            LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
            BEGIN
                IF NOT EXISTS (
                    SELECT FROM public.relationships AS r
                    WHERE r.team_id = NEW.team_id AND r.id = NEW.id
                      AND (r.status <> 'active' OR EXISTS ({supports}))
                ) THEN
                    RAISE EXCEPTION 'a row of % is refused: nothing supports what is active', TG_TABLE_NAME
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
                END IF;
                RETURN NULL;
            END $$
        """)
