"""A position is as strong as its supports carry, at every commit: a fact has two voices or an authoritative one.

How voices are counted has one home, the functions here: the code that places asks them too. What is active has the
support of its tier when it comes to be, and still has it when evidence is taken back, a source is replaced or a
support is revoked; what was taken back or rejected rests on nothing that counts, so only new support revives it.

Two transactions that know nothing of each other could each leave what only both together break. So whoever grants a
support holds its evidence, and whoever takes evidence away holds the positions on it; our code holds them already.
That needs each statement to see what was committed before it: at another isolation level the rules refuse.

Lock: SHARE ROW EXCLUSIVE on evidence, source_revisions, supports and relationships for the moment in which their
triggers are made.
"""

from alembic import op

from app.kernel.ddl import demand, lift

revision = "0047"
down_revision = "0044"
branch_labels = None
depends_on = None

# Each OFFSET 0 keeps the planner at one look by key, whatever it believes of a team that is new to it.
_SUPPORTS = """
    (SELECT s.citation_id FROM public.supports AS s
     WHERE s.team_id = team AND s.relationship_id = relationship AND s.is_granted OFFSET 0) AS support
    CROSS JOIN LATERAL (
        SELECT c.evidence_id FROM public.citations AS c
        WHERE c.team_id = team AND c.id = support.citation_id OFFSET 0
    ) AS cited
    CROSS JOIN LATERAL (
        SELECT e AS said FROM public.evidence AS e WHERE e.team_id = team AND e.id = cited.evidence_id OFFSET 0
    ) AS item
    LEFT JOIN LATERAL (
        SELECT v.is_current FROM public.source_revisions AS v
        WHERE v.team_id = team AND v.source_id = (item.said).source_id
          AND v.revision = (item.said).source_revision OFFSET 0
    ) AS revision ON true
    WHERE coalesce(revision.is_current, true)
"""
_ON_RECORD = """
    SELECT FROM public.verification_events AS v
    WHERE v.team_id = NEW.team_id AND v.citation_id = NEW.citation_id AND v.relationship_id = NEW.relationship_id
      AND v.verdict = 'entailed' AND v.schema_valid
"""
# What was revoked was judged before; it comes back when it is judged again.
_AGAIN = """
      AND v.created_at > ALL (
          SELECT e.created_at FROM public.support_events AS e
          WHERE e.team_id = NEW.team_id AND e.relationship_id = NEW.relationship_id
            AND e.citation_id = NEW.citation_id AND e.event = 'revoked')
"""
_TIER_RULES = ("relationships_come_with_support", "relationships_gain_by_support")
_VERDICT_RULES = {"supports_come_with_a_verdict": "", "supports_return_with_a_verdict": _AGAIN}
_NOT_CARRIED = "its supports do not carry its tier"
_LEFT = "a position that rests on it is not carried without it"


def upgrade() -> None:
    _count_voices()
    _look_at_positions()
    for rule in _TIER_RULES:
        _check(rule, "public.is_carried(NEW.team_id, NEW.id)", _NOT_CARRIED)
    for rule, again in _VERDICT_RULES.items():
        # The evidence may have gone while this waited for it.
        held = (
            "public.hold_evidence(NEW.team_id, NEW.citation_id)"
            " OR public.is_carried(NEW.team_id, NEW.relationship_id)"
        )
        _check(rule, f"EXISTS ({_ON_RECORD} {again}) AND ({held})", "no verdict entails it")
    demand(
        "relationships",
        "relationships_end_without_support",
        after="UPDATE",
        when="NEW.status IN ('retracted', 'rejected') AND OLD.status <> NEW.status",
        exists="SELECT WHERE public.is_carried(NEW.team_id, NEW.id)",
        because="what is taken back has no support that counts",
    )
    demand(
        "evidence",
        "evidence_leaves_tiers_carried",
        after="UPDATE",
        when="OLD.state = 'active' AND NEW.state <> 'active'",
        exists="""
            SELECT FROM public.evidence AS e WHERE e.team_id = NEW.team_id AND e.id = NEW.id AND (
                e.state = 'active'
                OR public.leaves_carried(e.team_id, public.relationships_on(e.team_id, ARRAY[e.id])))
        """,
        because=_LEFT,
    )
    demand(
        "source_revisions",
        "source_revisions_leave_tiers_carried",
        after="UPDATE",
        when="OLD.is_current AND NOT NEW.is_current",
        exists="""
            SELECT FROM public.source_revisions AS v
            WHERE v.team_id = NEW.team_id AND v.source_id = NEW.source_id AND v.revision = NEW.revision AND (
                v.is_current OR public.leaves_carried(v.team_id, public.relationships_on(v.team_id, ARRAY(
                    SELECT e.id FROM public.evidence AS e
                    WHERE e.team_id = v.team_id AND e.source_id = v.source_id
                      AND e.source_revision = v.revision))))
        """,
        because=_LEFT,
    )
    demand(
        "supports",
        "supports_leave_tiers_carried",
        after="UPDATE",
        when="OLD.is_granted AND NOT NEW.is_granted",
        exists="""
            SELECT FROM public.supports AS s
            WHERE s.team_id = NEW.team_id AND s.relationship_id = NEW.relationship_id
              AND s.citation_id = NEW.citation_id
              AND (s.is_granted OR public.leaves_carried(s.team_id, ARRAY[s.relationship_id]))
        """,
        because=_LEFT,
    )


def downgrade() -> None:
    lift("supports", "supports_leave_tiers_carried")
    lift("source_revisions", "source_revisions_leave_tiers_carried")
    lift("evidence", "evidence_leaves_tiers_carried")
    lift("relationships", "relationships_end_without_support")
    for rule in _VERDICT_RULES:
        _check(rule, f"EXISTS ({_ON_RECORD})", "no verdict entails it")
    for rule in _TIER_RULES:
        supported = f"""EXISTS (
            SELECT FROM public.relationships AS r
            WHERE r.team_id = NEW.team_id AND r.id = NEW.id AND (r.status <> 'active' OR EXISTS (
                SELECT FROM (SELECT NEW.team_id AS team, NEW.id AS relationship) AS this
                CROSS JOIN LATERAL (SELECT FROM {_SUPPORTS} AND (item.said).state = 'active') AS one)))"""
        _check(rule, supported, "nothing supports what is active")
    for function in (
        "leaves_carried(text, text[])",
        "relationships_on(text, text[])",
        "hold_evidence(text, text)",
        "is_carried(text, text)",
        "refuse_old_snapshot()",
        "supported_tier(text, text)",
        "counted_text(evidence)",
        "counted_group(evidence)",
    ):
        op.execute(f"DROP FUNCTION {function}")


def _check(rule: str, holds: str, because: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION {rule}() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
        BEGIN
            IF NOT ({holds}) THEN
                RAISE EXCEPTION 'a row of % is refused: {because}', TG_TABLE_NAME
                    USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
            END IF;
            RETURN NULL;
        END $$
    """)


def _count_voices() -> None:
    # What a profile says without a source that anybody could look up is one voice, whatever groups it names. Groups
    # that differ in case, spaces or what nobody sees are one.
    op.execute(r"""
        CREATE FUNCTION counted_group(item evidence) RETURNS text LANGUAGE sql IMMUTABLE
        RETURN CASE WHEN item.source_id IS NULL AND item.source_type IN ('manual', 'conversation')
            THEN item.profile_id
            ELSE lower(btrim(regexp_replace(normalize(item.source_group, NFKC),
                                            '[[:space:]\u200B-\u200F\u2060\uFEFF]+', '', 'g'))) END
    """)
    # A text with other spaces, case or punctuation says nothing new. Shortened, since only equality counts.
    op.execute(r"""
        CREATE FUNCTION counted_text(item evidence) RETURNS text LANGUAGE sql IMMUTABLE
        RETURN md5(lower(regexp_replace(normalize(item.content, NFKC),
                                        '[[:space:][:punct:]\u200B-\u200F\u2060\uFEFF]+', '', 'g')))
    """)
    # One text under two groups is one voice of its profile, and so are two texts of one group.
    op.execute(f"""
        CREATE FUNCTION supported_tier(team text, relationship text) RETURNS text
        LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public AS $$
        BEGIN
            RETURN (
                SELECT CASE WHEN count(*) = 0 THEN 'candidate'
                            WHEN sum(own.voices) >= 2 OR bool_or(own.is_authoritative) THEN 'fact'
                            ELSE 'validated_claim' END
                FROM (
                    SELECT least(count(DISTINCT public.counted_group(item.said)),
                                 count(DISTINCT public.counted_text(item.said))) AS voices,
                           bool_or((item.said).authority = 'authoritative') AS is_authoritative
                    FROM {_SUPPORTS} AND (item.said).state = 'active'
                    GROUP BY (item.said).profile_id
                ) AS own);
        END $$
    """)


def _look_at_positions() -> None:
    # Every function asks for a row that must be there: what row security hides from a changed team is refused.
    op.execute("""
        CREATE FUNCTION refuse_old_snapshot() RETURNS void LANGUAGE plpgsql STABLE AS $$
        BEGIN
            IF current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE EXCEPTION 'the ledger is written at the isolation level read committed only'
                    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_is_written_read_committed';
            END IF;
        END $$
    """)
    op.execute(f"""
        CREATE FUNCTION is_carried(team text, relationship text) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
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
                RETURN EXISTS (SELECT FROM {_SUPPORTS} AND (item.said).state = 'active');
            ELSIF held.status IN ('retracted', 'rejected') THEN
                -- What is held in quarantine may be released.
                RETURN NOT EXISTS (SELECT FROM {_SUPPORTS} AND (item.said).state IN ('active', 'quarantined'));
            END IF;
            RETURN true;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION hold_evidence(team text, citation text) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
        DECLARE
            item record;
            is_current boolean := true;
        BEGIN
            PERFORM public.refuse_old_snapshot();
            SELECT e.state, e.source_id, e.source_revision INTO item FROM public.evidence AS e
            WHERE e.team_id = team
              AND e.id = (SELECT c.evidence_id FROM public.citations AS c WHERE c.team_id = team AND c.id = citation)
            FOR SHARE;
            IF item.source_id IS NOT NULL THEN
                SELECT v.is_current INTO is_current FROM public.source_revisions AS v
                WHERE v.team_id = team AND v.source_id = item.source_id AND v.revision = item.source_revision
                FOR SHARE;
            END IF;
            RETURN item.state = 'active' AND is_current IS TRUE;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION relationships_on(team text, evidence_ids text[]) RETURNS text[]
        LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
            SELECT array_agg(DISTINCT support.relationship_id)
            FROM unnest(evidence_ids) AS item (id)
            CROSS JOIN LATERAL (
                SELECT c.id FROM public.citations AS c
                WHERE c.team_id = team AND c.evidence_id = item.id OFFSET 0
            ) AS cited
            CROSS JOIN LATERAL (
                SELECT s.relationship_id FROM public.supports AS s
                WHERE s.team_id = team AND s.citation_id = cited.id AND s.is_granted OFFSET 0
            ) AS support
        $$
    """)
    op.execute("""
        CREATE FUNCTION leaves_carried(team text, relationship_ids text[]) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
        BEGIN
            PERFORM public.refuse_old_snapshot();
            PERFORM FROM public.relationships AS r
            WHERE r.team_id = team AND r.id = ANY (relationship_ids) ORDER BY r.id FOR SHARE;
            -- A second statement sees what was committed while the first one waited.
            RETURN NOT EXISTS (
                SELECT FROM unnest(relationship_ids) AS one (id) WHERE NOT public.is_carried(team, one.id));
        END $$
    """)
