"""A revision that comes back is current again under a row of its own, whose key is not its name.

What it said the first time was replaced and stays so: `source_revisions_old_stays_old` holds as before. Whether
evidence counted at a past moment is asked of the rows that were current; another name for one never was.

Lock: ACCESS EXCLUSIVE on source_revisions for the moment in which a nullable column is added.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import grant

revision = "0078"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source_revisions", sa.Column("name", sa.Text(), nullable=True))
    grant("app", "source_revisions", insert="name")
    _replace("other.same_as IS NULL AND ")


def downgrade() -> None:
    _replace("")
    op.drop_column("source_revisions", "name")


def _replace(only: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION supports_known(team text, relationship text, known timestamptz)
        RETURNS TABLE (citation_id text, is_granted boolean, is_effective boolean)
        LANGUAGE sql STABLE AS $$
            SELECT s.citation_id, decided.event <> 'revoked',
                   decided.event <> 'revoked' AND e.created_at <= known
                   AND e.state NOT IN ('quarantined', 'discarded')
                   AND (e.state <> 'retracted' OR e.retracted_at > known)
                   AND (revision.is_current IS NOT FALSE OR NOT EXISTS (
                       SELECT FROM public.source_revisions AS other
                       WHERE other.team_id = revision.team_id AND other.source_id = revision.source_id
                         AND {only}(other.created_at > revision.created_at AND other.created_at <= known
                              OR other.created_at < revision.created_at AND other.is_current)))
            FROM public.supports AS s
            JOIN public.citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
            JOIN public.evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
            LEFT JOIN public.source_revisions AS revision
                   ON revision.team_id = e.team_id AND revision.source_id = e.source_id
                  AND revision.revision = e.source_revision
            CROSS JOIN LATERAL (
                SELECT event.event FROM public.support_events AS event
                WHERE event.team_id = s.team_id AND event.relationship_id = s.relationship_id
                  AND event.citation_id = s.citation_id AND event.created_at <= known
                ORDER BY event.id DESC LIMIT 1
            ) AS decided
            WHERE s.team_id = team AND s.relationship_id = relationship
        $$
    """)
