"""A position rests on its owner's evidence only, so that no two profiles' words are one position's two voices.

What decides whether a position is carried reads no text where none is counted, and evidence that the transaction
itself brought is held without a lock: nobody else can see it.

Lock: SHARE ROW EXCLUSIVE on supports for the moment in which its trigger is made.
"""

from alembic import op

from app.kernel.ddl import examine, lift

revision = "0051"
down_revision = "0064"
branch_labels = None
depends_on = None

# Each OFFSET 0 keeps the planner at one look by key, whatever it believes of a team that is new to it.
_OWN = """
    SELECT FROM (
        SELECT c.evidence_id FROM public.citations AS c
        WHERE c.team_id = fresh.team_id AND c.id = fresh.citation_id OFFSET 0
    ) AS cited
    CROSS JOIN LATERAL (
        SELECT e.profile_id FROM public.evidence AS e
        WHERE e.team_id = fresh.team_id AND e.id = cited.evidence_id OFFSET 0
    ) AS item
    CROSS JOIN LATERAL (
        SELECT r.owner_profile_id FROM public.relationships AS r
        WHERE r.team_id = fresh.team_id AND r.id = fresh.relationship_id OFFSET 0
    ) AS held
    WHERE held.owner_profile_id = item.profile_id
"""
_SUPPORTS = """
    (SELECT s.citation_id FROM public.supports AS s
     WHERE s.team_id = team AND s.relationship_id = relationship AND s.is_granted OFFSET 0) AS support
    CROSS JOIN LATERAL (
        SELECT c.evidence_id FROM public.citations AS c
        WHERE c.team_id = team AND c.id = support.citation_id OFFSET 0
    ) AS cited
    CROSS JOIN LATERAL (
        SELECT {item} FROM public.evidence AS e WHERE e.team_id = team AND e.id = cited.evidence_id OFFSET 0
    ) AS item
    LEFT JOIN LATERAL (
        SELECT v.is_current FROM public.source_revisions AS v
        WHERE v.team_id = team AND v.source_id = {row}.source_id AND v.revision = {row}.source_revision OFFSET 0
    ) AS revision ON true
    WHERE coalesce(revision.is_current, true)
"""
_NARROW = (_SUPPORTS.format(item="e.state, e.source_id, e.source_revision", row="item"), "item")
_WHOLE = (_SUPPORTS.format(item="e AS said", row="(item.said)"), "(item.said)")
_UNSEEN = """
            IF item.xmin = pg_current_xact_id()::xid AND item.source_id IS NULL THEN
                RETURN item.state = 'active';
            END IF;
"""


def upgrade() -> None:
    examine(
        "supports",
        "supports_rest_on_the_owners_evidence",
        exists=_OWN,
        because="another profile said what it cites",
    )
    _decide(*_NARROW)
    _hold(_UNSEEN)


def downgrade() -> None:
    _hold("")
    _decide(*_WHOLE)
    lift("supports", "supports_rest_on_the_owners_evidence")


def _decide(supports: str, item: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION is_carried(team text, relationship text) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        DECLARE
            held record;
        BEGIN
            PERFORM public.refuse_old_snapshot();
            SELECT r.status, r.tier INTO held FROM public.relationships AS r
            WHERE r.team_id = team AND r.id = relationship;
            IF NOT FOUND THEN
                RETURN false;
            ELSIF held.status = 'active' AND held.tier = 'fact' THEN
                RETURN public.supported_tier(team, relationship) = 'fact';
            ELSIF held.status = 'active' THEN
                RETURN EXISTS (SELECT FROM {supports} AND {item}.state = 'active');
            ELSIF held.status IN ('retracted', 'rejected') THEN
                -- What is held in quarantine may be released.
                RETURN NOT EXISTS (SELECT FROM {supports} AND {item}.state IN ('active', 'quarantined'));
            END IF;
            RETURN true;
        END $$
    """)


def _hold(unseen: str) -> None:
    look = (
        ""
        if not unseen
        else f"""
            SELECT e.state, e.source_id, e.xmin INTO item FROM public.evidence AS e
            WHERE e.team_id = team AND e.id = said;{unseen}"""
    )
    op.execute(f"""
        CREATE OR REPLACE FUNCTION hold_evidence(team text, citation text) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        DECLARE
            said text;
            item record;
            is_current boolean := true;
        BEGIN
            PERFORM public.refuse_old_snapshot();
            SELECT c.evidence_id INTO said FROM public.citations AS c WHERE c.team_id = team AND c.id = citation;
{look}
            SELECT e.state, e.source_id, e.source_revision INTO item FROM public.evidence AS e
            WHERE e.team_id = team AND e.id = said
            FOR SHARE;
            IF item.source_id IS NOT NULL THEN
                SELECT v.is_current INTO is_current FROM public.source_revisions AS v
                WHERE v.team_id = team AND v.source_id = item.source_id AND v.revision = item.source_revision
                FOR SHARE;
            END IF;
            RETURN item.state = 'active' AND is_current IS TRUE;
        END $$
    """)
