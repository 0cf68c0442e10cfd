"""What becomes of evidence is decided once: the database holds its state to the decisions about it.

Taken back is for good; what is discarded can only be taken back. Whatever was held counts again, or is discarded, by
a decision on record, and a decision stands beside the state that it names.

Lock: SHARE ROW EXCLUSIVE on evidence and evidence_decisions for the moment in which their triggers are made.
"""

from alembic import op

from app.kernel.ddl import demand, lift, refuse

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_DECISION = """
    SELECT FROM public.evidence_decisions AS d
    WHERE d.team_id = NEW.team_id AND d.evidence_id = NEW.id
      AND d.decision = CASE NEW.state WHEN 'active' THEN 'released' ELSE 'discarded' END
"""
_STATE = """
    SELECT FROM public.evidence AS e
    WHERE e.team_id = NEW.team_id AND e.id = NEW.evidence_id
      AND e.state IN ('retracted', CASE NEW.decision WHEN 'released' THEN 'active' ELSE 'discarded' END)
"""


def upgrade() -> None:
    op.execute("""
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
        BEGIN
            RAISE EXCEPTION 'a change of % is refused: %', TG_TABLE_NAME, TG_ARGV[0]
                USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
        END $$
    """)
    refuse(
        "evidence",
        "evidence_retracted_is_final",
        when="OLD.state = 'retracted' AND NEW.state <> 'retracted'",
        because="what was taken back stays so",
    )
    refuse(
        "evidence",
        "evidence_discarded_is_only_retracted",
        when="OLD.state = 'discarded' AND NEW.state NOT IN ('discarded', 'retracted')",
        because="what was discarded never counts again",
    )
    refuse(
        "evidence",
        "evidence_discarded_was_held",
        when="OLD.state <> 'discarded' AND NEW.state = 'discarded' AND OLD.state <> 'quarantined'",
        because="only what is held is discarded",
    )
    demand(
        "evidence",
        "evidence_leaves_by_decision",
        after="UPDATE",
        when="OLD.state <> NEW.state AND NEW.state IN ('active', 'discarded')",
        exists=_DECISION,
        because="what was held is released or discarded by a decision on record",
    )
    demand(
        "evidence",
        "evidence_comes_decided",
        after="INSERT",
        when="NEW.state = 'discarded' OR NEW.state = 'active' AND NEW.quarantine_reason IS NOT NULL",
        exists=_DECISION,
        because="what was held is released or discarded by a decision on record",
    )
    demand(
        "evidence_decisions",
        "evidence_decisions_are_carried_out",
        after="INSERT",
        when="true",
        exists=_STATE,
        because="the evidence is not in the state that the decision names",
    )


def downgrade() -> None:
    lift("evidence_decisions", "evidence_decisions_are_carried_out")
    lift(
        "evidence",
        "evidence_comes_decided",
        "evidence_leaves_by_decision",
        "evidence_discarded_was_held",
        "evidence_discarded_is_only_retracted",
        "evidence_retracted_is_final",
    )
    op.execute("DROP FUNCTION refuse_change()")
