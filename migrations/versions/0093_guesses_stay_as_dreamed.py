"""An open Hypothesis keeps something to rest on, and is weighed anew by a cycle that says so only.

The dreamer's role could cut a guess off from all that it rests on, so that nothing ever made it stale, and give it
another likelihood or rationale without a word on record. No cycle does either; now no statement can.

Lock: SHARE ROW EXCLUSIVE on hypotheses and hypothesis_sources for the moment in which their triggers are made.
"""

from app.kernel.ddl import demand, lift

revision = "0093"
down_revision = "0092"
branch_labels = None
depends_on = None

_OPEN = "('proposed', 'reinforced')"
_RESTS = f"""
    SELECT FROM public.hypotheses AS h
    WHERE h.team_id = NEW.team_id AND h.id = NEW.{{id}}
      AND (h.status NOT IN {_OPEN} OR public.is_rewriting(h.team_id)
           OR EXISTS (SELECT FROM public.hypothesis_sources AS s
                      WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.is_current))
"""
# A time of entry is the database's own, so the event is of this transaction.
_WEIGHED = """
    SELECT FROM public.hypothesis_events AS e
    WHERE e.team_id = NEW.team_id AND e.hypothesis_id = NEW.id AND e.cycle_run_id IS NOT NULL
      AND e.created_at >= transaction_timestamp()
    UNION ALL
    SELECT WHERE public.is_rewriting(NEW.team_id)
"""
_WEIGHTS = ("likelihood", "confidence", "rationale", "paths", "generator_version")
_BARE = "it is open and rests on nothing"


def upgrade() -> None:
    demand(
        "hypothesis_sources",
        "hypothesis_sources_leave_no_guess_bare",
        after="UPDATE",
        when="OLD.is_current AND NOT NEW.is_current",
        exists=_RESTS.format(id="hypothesis_id"),
        because=_BARE,
    )
    demand(
        "hypotheses",
        "hypotheses_open_on_something",
        after="UPDATE",
        when=f"OLD.status <> NEW.status AND NEW.status IN {_OPEN}",
        exists=_RESTS.format(id="id"),
        because=_BARE,
    )
    before, after = (", ".join(f"{row}.{column}" for column in _WEIGHTS) for row in ("OLD", "NEW"))
    demand(
        "hypotheses",
        "hypotheses_are_weighed_on_record",
        after="UPDATE",
        when=f"({before}) IS DISTINCT FROM ({after})",
        exists=_WEIGHED,
        because="no cycle says so",
    )


def downgrade() -> None:
    lift("hypotheses", "hypotheses_are_weighed_on_record", "hypotheses_open_on_something")
    lift("hypothesis_sources", "hypothesis_sources_leave_no_guess_bare")
