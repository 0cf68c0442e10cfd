"""What is told of cases, Hypotheses, merges and held evidence was so, and when it was told is the database's to say.

Earlier rules demanded the event of each change; these demand the change of each event, as for transitions and
supports. An event follows on the one before it and leaves what it tells of as that stands when the statement ends, so
none is told of nothing. A case is opened by an event. A decision about held evidence is about what was held.

No role writes the time at which a row came or the number of an event: neither is anybody's to choose, and a past
moment is answered from them. What erases and restores a team is the owner's and writes both.

Lock: SHARE ROW EXCLUSIVE on conflict_events, conflict_cases, hypothesis_events, entity_merge_events and
evidence_decisions for the moment in which their triggers are made; privileges are rows of the catalogue.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import demand, examine, lift, role

revision = "0062"
down_revision = "0051"
branch_labels = None
depends_on = None

_TOLD_OF_CASE = """
    SELECT FROM public.conflict_cases AS c
    CROSS JOIN LATERAL (
        SELECT e.event, e.preferred_position_id FROM public.conflict_events AS e
        WHERE e.team_id = c.team_id AND e.case_id = c.id ORDER BY e.id DESC LIMIT 1
    ) AS last
    WHERE c.team_id = {row}.team_id AND c.id = {row}.{key}
      AND last.preferred_position_id IS NOT DISTINCT FROM c.preferred_position_id
      AND CASE c.status WHEN 'open' THEN last.event IN ('opened', 'widened', 'reopened')
                        WHEN 'resolved' THEN last.event = 'resolved'
                        ELSE last.event IN ('dismissed', 'withdrawn') END
"""
# A case that is older than its events begins with any.
_CASE_TURNED = f"""
    SELECT FROM (SELECT (
        SELECT e.event FROM public.conflict_events AS e
        WHERE e.team_id = fresh.team_id AND e.case_id = fresh.case_id AND e.id < fresh.id
        ORDER BY e.id DESC LIMIT 1)) AS earlier (event)
    WHERE CASE fresh.event
              WHEN 'opened' THEN earlier.event IS NULL
              WHEN 'reopened' THEN coalesce(earlier.event IN ('resolved', 'dismissed'), true)
              WHEN 'withdrawn' THEN coalesce(earlier.event NOT IN ('dismissed', 'withdrawn'), true)
              ELSE coalesce(earlier.event IN ('opened', 'widened', 'reopened'), true) END
      AND (fresh.event = 'resolved') = (fresh.preferred_position_id IS NOT NULL)
      AND EXISTS ({_TOLD_OF_CASE.format(row="fresh", key="case_id")})
"""
# Who may say what, and where each event leads, is the lifecycle's table; what it leaves as it was is looked at too.
_HYPOTHESIS_TURNED = """
    SELECT FROM public.hypotheses AS h
    LEFT JOIN LATERAL (
        SELECT e.to_status FROM public.hypothesis_events AS e
        WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id AND e.id < fresh.id ORDER BY e.id DESC LIMIT 1
    ) AS earlier ON true
    WHERE h.team_id = fresh.team_id AND h.id = fresh.hypothesis_id
      AND earlier.to_status IS NOT DISTINCT FROM fresh.from_status
      AND h.status = (
          SELECT e.to_status FROM public.hypothesis_events AS e
          WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id ORDER BY e.id DESC LIMIT 1)
      AND (fresh.actor_kind = 'client') = (fresh.event IN (
          'reinforce', 'stale', 'reject', 'ignore', 'confirm_true', 'confirm_false'))
      AND (fresh.event = 'accepted') = (fresh.from_status IS NULL)
      AND CASE fresh.event
              WHEN 'accepted' THEN fresh.to_status = 'proposed'
              WHEN 'ignore' THEN fresh.to_status = fresh.from_status
              WHEN 'reject' THEN fresh.to_status = 'rejected' AND fresh.from_status <> 'rejected'
              WHEN 'confirm_true' THEN fresh.to_status = 'submitted'
              WHEN 'confirm_false' THEN fresh.to_status = 'submitted'
              WHEN 'reinforce' THEN fresh.to_status = 'reinforced'
              WHEN 'regenerated' THEN fresh.to_status = 'reinforced' AND (
                  h.reinforced_at >= transaction_timestamp() OR public.is_rewriting(fresh.team_id))
              ELSE fresh.to_status = 'stale' AND fresh.from_status <> 'stale'
                  AND fresh.event IN ('source_lost', 'target_active', 'target_contradicted', 'target_unfit',
                                      'retention_expired', 'not_reinforced', 'stale') END
"""
_MERGE_TURNED = """
    SELECT FROM public.entities AS e
    CROSS JOIN LATERAL (
        SELECT m.event, m.survivor_id FROM public.entity_merge_events AS m
        WHERE m.team_id = e.team_id AND m.entity_id = e.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1
    ) AS last
    LEFT JOIN LATERAL (
        SELECT m.id, m.event, m.survivor_id FROM public.entity_merge_events AS m
        WHERE m.team_id = e.team_id AND m.entity_id = e.id AND (m.created_at, m.id) < (fresh.created_at, fresh.id)
        ORDER BY m.created_at DESC, m.id DESC LIMIT 1
    ) AS earlier ON true
    WHERE e.team_id = fresh.team_id AND e.id = fresh.entity_id
      AND e.is_merged = (last.event = 'merged')
      AND (last.event = 'unmerged' OR e.merged_into_id = last.survivor_id)
      AND CASE fresh.event WHEN 'merged' THEN coalesce(earlier.event, 'unmerged') = 'unmerged'
                           ELSE earlier.event = 'merged' AND earlier.id = fresh.undoes_id
                                AND earlier.survivor_id = fresh.survivor_id END
"""
# Whoever decides about what was taken back decides about nothing, unless it is taken back in the same breath.
_WAS_HELD = """
    SELECT FROM public.evidence AS e
    WHERE e.team_id = NEW.team_id AND e.id = NEW.evidence_id AND e.quarantine_reason IS NOT NULL
      AND (e.state <> 'retracted' OR e.retracted_at >= transaction_timestamp()
           OR public.is_rewriting(NEW.team_id))
"""


def upgrade() -> None:
    because = "what it tells of did not happen so"
    examine("conflict_events", "conflict_events_describe_a_change", exists=_CASE_TURNED, because=because)
    demand(
        "conflict_cases",
        "conflict_cases_open_on_record",
        after="INSERT",
        when="true",
        exists=_TOLD_OF_CASE.format(row="NEW", key="id"),
        because="no event says so",
    )
    examine(
        "hypothesis_events",
        "hypothesis_events_describe_a_change",
        exists=_HYPOTHESIS_TURNED,
        because=because,
    )
    examine(
        "entity_merge_events", "entity_merge_events_describe_a_change", exists=_MERGE_TURNED, because=because
    )
    demand(
        "evidence_decisions",
        "evidence_decisions_are_about_what_was_held",
        after="INSERT",
        when="true",
        exists=_WAS_HELD,
        because="it was not held",
    )
    for grantee in ("app", "dreamer"):
        for table, columns in _insertable(grantee):
            op.execute(f"REVOKE INSERT ON {table} FROM {role(grantee)}")
            op.execute(f"GRANT INSERT ({columns}) ON {table} TO {role(grantee)}")


def downgrade() -> None:
    for grantee in ("app", "dreamer"):
        for table, _ in _insertable(grantee):
            op.execute(f"GRANT INSERT ON {table} TO {role(grantee)}")
    lift("evidence_decisions", "evidence_decisions_are_about_what_was_held")
    lift("entity_merge_events", "entity_merge_events_describe_a_change")
    lift("hypothesis_events", "hypothesis_events_describe_a_change")
    lift("conflict_cases", "conflict_cases_open_on_record")
    lift("conflict_events", "conflict_events_describe_a_change")


def _insertable(grantee: str) -> list[tuple[str, str]]:
    """Return each table with a column that is the database's to fill, and the other columns that the role fills."""
    assert grantee in ("app", "dreamer")
    name = role(grantee).strip('"')  # type: ignore[arg-type]  # Narrowed above.
    rows = op.get_bind().execute(_COLUMNS, {"role": name})
    return [(table, columns) for table, columns in rows]


_COLUMNS = sa.text("""
    SELECT c.relname, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
               FILTER (WHERE a.attidentity = '' AND a.attname NOT IN ('created_at', 'opened_at')
                       AND has_column_privilege(:role, c.oid, a.attnum, 'INSERT'))
    FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    GROUP BY c.relname
    HAVING bool_or(a.attidentity <> '' OR a.attname IN ('created_at', 'opened_at'))
       AND bool_or(has_column_privilege(:role, c.oid, a.attnum, 'INSERT'))
    ORDER BY c.relname
""")
