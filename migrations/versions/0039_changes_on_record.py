"""A change that an event, a verdict or a transition accounts for is refused at a commit that lacks it.

Rows of before are left alone until they change.

Lock: SHARE ROW EXCLUSIVE on each of the tables for the moment in which their triggers are made.
"""

from typing import Literal, NamedTuple

from app.kernel.ddl import demand, lift

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


class _Demand(NamedTuple):
    table: str
    rule: str
    after: Literal["INSERT", "UPDATE"]
    when: str
    exists: str
    because: str


# A later statement of the transaction may go on, so most of these look at the row as it is in the end.
_SUPPORTED = """
    SELECT FROM public.relationships AS r
    WHERE r.team_id = NEW.team_id AND r.id = NEW.id AND (
        r.status <> 'active' OR EXISTS (
            SELECT FROM public.effective_supports AS s
            WHERE s.team_id = r.team_id AND s.relationship_id = r.id))
"""
_TOLD_OF_SUPPORT = """
    SELECT FROM public.supports AS s
    WHERE s.team_id = NEW.team_id AND s.relationship_id = NEW.relationship_id AND s.citation_id = NEW.citation_id
      AND s.is_granted = (
          SELECT e.event <> 'revoked' FROM public.support_events AS e
          WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id AND e.citation_id = s.citation_id
          ORDER BY e.id DESC LIMIT 1)
"""
# What a merge hands on was judged for the position that it was taken from.
_ENTAILED = """
    SELECT FROM public.verification_events AS v
    WHERE v.team_id = NEW.team_id AND v.citation_id = NEW.citation_id AND v.verdict = 'entailed' AND v.schema_valid
"""
_TOLD_OF_MERGE = """
    SELECT FROM public.entities AS e
    WHERE e.team_id = NEW.team_id AND e.id = NEW.id
      AND (CASE WHEN e.is_merged THEN ROW('merged'::text, e.merged_into_id) ELSE ROW('unmerged'::text, NULL::text) END)
          IS NOT DISTINCT FROM (
              SELECT ROW(m.event, CASE m.event WHEN 'merged' THEN m.survivor_id END)
              FROM public.entity_merge_events AS m
              WHERE m.team_id = e.team_id AND m.entity_id = e.id
              ORDER BY m.created_at DESC, m.id DESC LIMIT 1)
"""
_TOLD_OF_CASE = """
    SELECT FROM public.conflict_cases AS c
    JOIN LATERAL (
        SELECT e.event, e.preferred_position_id FROM public.conflict_events AS e
        WHERE e.team_id = c.team_id AND e.case_id = c.id ORDER BY e.id DESC LIMIT 1
    ) AS last ON true
    WHERE c.team_id = NEW.team_id AND c.id = NEW.id
      AND last.preferred_position_id IS NOT DISTINCT FROM c.preferred_position_id
      AND CASE c.status WHEN 'open' THEN last.event IN ('opened', 'widened', 'reopened')
                        WHEN 'resolved' THEN last.event = 'resolved'
                        ELSE last.event IN ('dismissed', 'withdrawn') END
"""
_TOLD_OF_HYPOTHESIS = """
    SELECT FROM public.hypotheses AS h
    WHERE h.team_id = NEW.team_id AND h.id = NEW.id AND h.status = (
        SELECT e.to_status FROM public.hypothesis_events AS e
        WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id ORDER BY e.id DESC LIMIT 1)
"""


def _transition(before: str) -> str:
    return f"""
        SELECT FROM public.relationship_transitions AS t
        WHERE t.team_id = NEW.team_id AND t.relationship_id = NEW.id AND t.version = NEW.version
          AND t.to_tier = NEW.tier AND t.to_status = NEW.status {before}
    """


def _current(table: str, *same: str) -> str:
    matches = " AND ".join(f"one.{column} = NEW.{column}" for column in ("team_id", *same))
    return f"SELECT FROM public.{table} AS one WHERE {matches} AND one.is_current"


_DEMANDS = (
    _Demand(
        "relationships",
        "relationships_begin_on_record",
        "INSERT",
        "true",
        _transition(""),
        "no transition says so",
    ),
    _Demand(
        "relationships",
        "relationships_change_on_record",
        "UPDATE",
        "true",
        _transition("""
            AND t.from_tier = OLD.tier AND t.from_status = OLD.status
            AND t.from_valid_to IS NOT DISTINCT FROM OLD.valid_to
            AND t.to_valid_to IS NOT DISTINCT FROM NEW.valid_to
        """),
        "no transition says so",
    ),
    _Demand(
        "relationships",
        "relationships_come_with_support",
        "INSERT",
        "NEW.status = 'active'",
        _SUPPORTED,
        "nothing supports what is active",
    ),
    _Demand(
        "relationships",
        "relationships_gain_by_support",
        "UPDATE",
        "NEW.status = 'active' AND (OLD.status <> 'active' OR NEW.tier <> OLD.tier)",
        _SUPPORTED,
        "nothing supports what is active",
    ),
    _Demand("supports", "supports_begin_on_record", "INSERT", "true", _TOLD_OF_SUPPORT, "no event says so"),
    _Demand("supports", "supports_change_on_record", "UPDATE", "true", _TOLD_OF_SUPPORT, "no event says so"),
    _Demand(
        "supports",
        "supports_come_with_a_verdict",
        "INSERT",
        "NEW.is_granted",
        _ENTAILED,
        "no verdict entails it",
    ),
    _Demand(
        "supports",
        "supports_return_with_a_verdict",
        "UPDATE",
        "NEW.is_granted",
        _ENTAILED,
        "no verdict entails it",
    ),
    _Demand(
        "source_revisions",
        "source_revisions_are_replaced",
        "UPDATE",
        "OLD.is_current AND NOT NEW.is_current",
        _current("source_revisions", "source_id"),
        "a source has a current revision",
    ),
    _Demand(
        "predicates",
        "predicates_are_replaced",
        "UPDATE",
        "OLD.is_current AND NOT NEW.is_current",
        _current("predicates", "predicate_key"),
        "a predicate has a current version",
    ),
    _Demand(
        "entities", "entities_merge_on_record", "UPDATE", "true", _TOLD_OF_MERGE, "no merge event says so"
    ),
    _Demand(
        "entities",
        "entities_come_merged_on_record",
        "INSERT",
        "NEW.is_merged",
        _TOLD_OF_MERGE,
        "no merge event says so",
    ),
    _Demand(
        "conflict_cases",
        "conflict_cases_decided_on_record",
        "UPDATE",
        "(OLD.status, OLD.preferred_position_id) IS DISTINCT FROM (NEW.status, NEW.preferred_position_id)",
        _TOLD_OF_CASE,
        "no event says so",
    ),
    _Demand(
        "hypotheses",
        "hypotheses_change_on_record",
        "UPDATE",
        "OLD.status <> NEW.status",
        _TOLD_OF_HYPOTHESIS,
        "no event says so",
    ),
)


def upgrade() -> None:
    for one in _DEMANDS:
        demand(one.table, one.rule, after=one.after, when=one.when, exists=one.exists, because=one.because)


def downgrade() -> None:
    for one in reversed(_DEMANDS):
        lift(one.table, one.rule)
