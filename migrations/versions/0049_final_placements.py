"""Where a proposal landed is said once, and what has ended stays so; only a review or a release opens it again.

An outcome that a review holds changes in the transaction that answers the review. One that names a Relationship says
of it what one of its transitions says.

Lock: SHARE ROW EXCLUSIVE on placement_outcomes and ingests for the moment in which their triggers are made.
"""

from typing import Literal, NamedTuple

from app.kernel.ddl import demand, lift, refuse

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

_PLACED_ONCE = "OLD.category IS DISTINCT FROM NEW.category AND OLD.category <> 'evidence_quarantined' AND OLD.review_id IS NULL"


class _Demand(NamedTuple):
    table: str
    rule: str
    after: Literal["INSERT", "UPDATE"]
    when: str
    exists: str
    because: str


_TOLD = """
    SELECT FROM public.relationship_transitions AS t
    WHERE t.team_id = NEW.team_id AND t.relationship_id = NEW.relationship_id
      AND t.to_tier = NEW.tier AND t.to_status = NEW.status
"""
_UNPLACED = """
    EXISTS (SELECT FROM public.placement_outcomes AS o
            WHERE o.team_id = i.team_id AND o.ingest_id = i.id AND o.category IS NULL)
"""
_DEMANDS = (
    _Demand(
        "placement_outcomes",
        "placement_outcomes_change_with_their_review",
        "UPDATE",
        "OLD.category IS NOT NULL AND OLD.review_id IS NOT NULL AND OLD.* IS DISTINCT FROM NEW.*",
        """
            SELECT FROM public.review_tasks AS t
            WHERE t.team_id = OLD.team_id AND t.id = OLD.review_id AND t.status = 'resolved'
              AND t.closed_at >= transaction_timestamp()
        """,
        "the review that holds it is not answered now",
    ),
    _Demand(
        "placement_outcomes",
        "placement_outcomes_tell_what_was",
        "UPDATE",
        "NEW.relationship_id IS NOT NULL AND NEW.category IS NOT NULL",
        _TOLD,
        "its Relationship never stood so",
    ),
    _Demand(
        "placement_outcomes",
        "placement_outcomes_come_telling_what_was",
        "INSERT",
        "NEW.relationship_id IS NOT NULL AND NEW.category IS NOT NULL",
        _TOLD,
        "its Relationship never stood so",
    ),
    _Demand(
        "ingests",
        "ingests_open_for_what_is_unplaced",
        "UPDATE",
        "OLD.finished_at IS NOT NULL AND NEW.finished_at IS NULL",
        f"""
            SELECT FROM public.ingests AS i
            WHERE i.team_id = NEW.team_id AND i.id = NEW.id AND (i.finished_at IS NOT NULL OR {_UNPLACED})
        """,
        "nothing of it is to be placed",
    ),
    _Demand(
        "ingests",
        "ingests_end_when_all_is_placed",
        "UPDATE",
        "NEW.finished_at IS NOT NULL",
        f"""
            SELECT FROM public.ingests AS i
            WHERE i.team_id = NEW.team_id AND i.id = NEW.id AND (i.finished_at IS NULL OR NOT {_UNPLACED})
        """,
        "something of it is to be placed",
    ),
)


def upgrade() -> None:
    lift("placement_outcomes", "placement_outcomes_placed_once")
    refuse(
        "placement_outcomes",
        "placement_outcomes_placed_once",
        when="OLD.category <> 'evidence_quarantined' AND OLD.review_id IS NULL AND OLD.* IS DISTINCT FROM NEW.*",
        because="what is placed is not placed again",
    )
    refuse(
        "placement_outcomes",
        "placement_outcomes_held_is_released_or_rejected",
        when="OLD.category = 'evidence_quarantined' AND OLD.* IS DISTINCT FROM NEW.*"
        " AND (NEW.category <> 'relationship_rejected' OR NEW.relationship_id IS NOT NULL)",
        because="what its evidence held is placed anew or rejected",
    )
    refuse(
        "ingests",
        "ingests_finished_is_final",
        when="OLD.finished_at IS NOT NULL AND NEW.finished_at IS NOT NULL AND OLD.* IS DISTINCT FROM NEW.*",
        because="what has ended stays so",
    )
    for one in _DEMANDS:
        demand(one.table, one.rule, after=one.after, when=one.when, exists=one.exists, because=one.because)


def downgrade() -> None:
    for one in reversed(_DEMANDS):
        lift(one.table, one.rule)
    lift("ingests", "ingests_finished_is_final")
    lift(
        "placement_outcomes",
        "placement_outcomes_held_is_released_or_rejected",
        "placement_outcomes_placed_once",
    )
    refuse(
        "placement_outcomes",
        "placement_outcomes_placed_once",
        when=_PLACED_ONCE,
        because="what is placed is not placed again",
    )
