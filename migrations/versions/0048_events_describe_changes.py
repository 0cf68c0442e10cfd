"""Whatever is told was so: transitions and events describe a change that happened, and quotes stand in their text.

Earlier rules demanded the event of each change; these demand the change of each event. A transition's effect is the
one that its states have, so nothing is taken back without those who depend on it. A document of search is made once.
All are looked at when the statement ends, once for all of its rows.

Transitions of before that a merge called harmless although a position was held by it are called what they were.

Lock: ACCESS EXCLUSIVE on relationship_transitions while its rows are checked, SHARE ROW EXCLUSIVE on support_events,
citations and relationship_documents for the moment in which their triggers are made.
"""

from alembic import op

from app.kernel.ddl import examine, freeze, lift, role

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_EFFECT = """
    CASE WHEN from_status IS NULL OR from_status = to_status THEN true
         WHEN to_status = 'active' THEN effect = 'became_active'
         WHEN from_status IN ('active', 'pending_evidence') THEN effect = 'source_lost'
         ELSE true END
"""
_HAPPENED = """
    SELECT FROM public.relationships AS r
    WHERE r.team_id = fresh.team_id AND r.id = fresh.relationship_id AND (
        r.version > fresh.version
        OR r.version = fresh.version AND r.tier = fresh.to_tier AND r.status = fresh.to_status
           AND r.valid_to IS NOT DISTINCT FROM fresh.to_valid_to)
"""
# The first event grants, then revoking and reinstating take turns, and the last one says how the support stands.
_TURNED = """
    SELECT FROM public.supports AS s
    CROSS JOIN LATERAL (
        SELECT e.event <> 'revoked' AS grants FROM public.support_events AS e
        WHERE e.team_id = fresh.team_id AND e.relationship_id = fresh.relationship_id
          AND e.citation_id = fresh.citation_id ORDER BY e.id DESC LIMIT 1
    ) AS last
    LEFT JOIN LATERAL (
        SELECT e.event FROM public.support_events AS e
        WHERE e.team_id = fresh.team_id AND e.relationship_id = fresh.relationship_id
          AND e.citation_id = fresh.citation_id AND e.id < fresh.id ORDER BY e.id DESC LIMIT 1
    ) AS earlier ON true
    WHERE s.team_id = fresh.team_id AND s.relationship_id = fresh.relationship_id
      AND s.citation_id = fresh.citation_id AND s.is_granted = last.grants
      AND CASE fresh.event WHEN 'granted' THEN earlier.event IS NULL
                           WHEN 'revoked' THEN earlier.event IN ('granted', 'reinstated')
                           ELSE earlier.event = 'revoked' END
"""
# Null for spans that are not in the text, in reading order. Once for each citation that comes, so nothing is inlined.
_QUOTE = """
    CREATE FUNCTION quote_of(content text, starts integer[], ends integer[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
        quote text;
    BEGIN
        FOR place IN 1 .. cardinality(starts) LOOP
            IF NOT coalesce(0 <= starts[place] AND starts[place] < ends[place] AND ends[place] <= length(content)
                            AND coalesce(starts[place - 1] <= starts[place], place = 1), false) THEN
                RETURN NULL;
            END IF;
            quote := concat_ws(E'\\n', quote, substr(content, starts[place] + 1, ends[place] - starts[place]));
        END LOOP;
        RETURN quote;
    END $$
"""
# OFFSET 0 keeps the planner at one look by key.
_QUOTED = """
    SELECT FROM (
        SELECT e.content FROM public.evidence AS e
        WHERE e.team_id = fresh.team_id AND e.id = fresh.evidence_id OFFSET 0
    ) AS item
    WHERE public.quote_of(item.content, fresh.starts, fresh.ends) = fresh.quote
"""


def upgrade() -> None:
    op.execute("ALTER TABLE relationship_transitions DISABLE TRIGGER relationship_transitions_append_only")
    op.execute(f"""
        UPDATE relationship_transitions
        SET effect = CASE to_status WHEN 'active' THEN 'became_active' ELSE 'source_lost' END
        WHERE NOT ({_EFFECT})
    """)
    op.execute("ALTER TABLE relationship_transitions ENABLE TRIGGER relationship_transitions_append_only")
    op.create_check_constraint(
        op.f("relationship_transitions_effect_is_that_of_its_states"), "relationship_transitions", _EFFECT
    )
    op.create_check_constraint(
        op.f("relationship_transitions_first_comes_from_nothing"),
        "relationship_transitions",
        "(version = 1) = (from_status IS NULL) AND (version = 1) = (from_tier IS NULL)",
    )
    examine(
        "relationship_transitions",
        "relationship_transitions_describe_a_change",
        exists=_HAPPENED,
        because="its Relationship did not change so",
    )
    examine(
        "support_events",
        "support_events_describe_a_change",
        exists=_TURNED,
        because="its support did not change so",
    )
    op.execute(_QUOTE)
    examine(
        "citations", "citations_quote_their_evidence", exists=_QUOTED, because="the evidence does not say so"
    )
    op.execute("DROP TRIGGER relationship_documents_identity ON relationship_documents")
    op.execute(f"REVOKE UPDATE (body) ON relationship_documents FROM {role('app')}")
    freeze("relationship_documents")


def downgrade() -> None:
    op.execute("DROP TRIGGER relationship_documents_append_only ON relationship_documents")
    op.execute(f"GRANT UPDATE (body) ON relationship_documents TO {role('app')}")
    freeze("relationship_documents", but="body, search")
    lift("citations", "citations_quote_their_evidence")
    op.execute("DROP FUNCTION quote_of(text, integer[], integer[])")
    lift("support_events", "support_events_describe_a_change")
    lift("relationship_transitions", "relationship_transitions_describe_a_change")
    for rule in ("first_comes_from_nothing", "effect_is_that_of_its_states"):
        op.drop_constraint(op.f(f"relationship_transitions_{rule}"), "relationship_transitions")
