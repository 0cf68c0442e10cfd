"""Steps that no code takes are refused at once: what is final stays so, what counts only rises.

Lock: SHARE ROW EXCLUSIVE on each of the tables for the moment in which their triggers are made.
"""

from typing import NamedTuple

from app.kernel.ddl import lift, refuse

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


class _Refusal(NamedTuple):
    table: str
    rule: str
    when: str
    because: str


_REFUSALS = (
    _Refusal(
        "relationships",
        "relationships_version_counts_changes",
        "NEW.version <> OLD.version + 1",
        "each change is one version",
    ),
    _Refusal(
        "evidence",
        "evidence_retracted_says_when",
        "(NEW.retracted_at IS DISTINCT FROM OLD.retracted_at)"
        " <> (NEW.state = 'retracted' AND OLD.state <> 'retracted')",
        "the time of taking back is that of taking back",
    ),
    _Refusal(
        "source_revisions",
        "source_revisions_old_stays_old",
        "NEW.is_current AND NOT OLD.is_current",
        "a revision that was replaced never comes back",
    ),
    _Refusal(
        "predicates",
        "predicates_old_stays_old",
        "NEW.is_current AND NOT OLD.is_current",
        "a version that was replaced never comes back",
    ),
    _Refusal(
        "conflict_cases",
        "conflict_cases_due_is_not_put_off",
        "NEW.due_at > OLD.due_at AND (OLD.status = 'open' OR NEW.status <> 'open')",
        "a case is due anew only when it opens again",
    ),
    _Refusal(
        "review_tasks",
        "review_tasks_resolved_is_final",
        "OLD.status = 'resolved'",
        "what was answered stays answered",
    ),
    _Refusal(
        "review_tasks",
        "review_tasks_answer_says_what_and_who",
        "NEW.status = 'resolved' AND num_nulls(NEW.choice, NEW.closed_at, NEW.closed_by_profile_id) > 0",
        "an answer has a choice, a time and somebody who gave it",
    ),
    _Refusal(
        "placement_outcomes",
        "placement_outcomes_placed_once",
        "OLD.category IS DISTINCT FROM NEW.category AND OLD.category <> 'evidence_quarantined'"
        " AND OLD.review_id IS NULL",
        "what is placed is not placed again",
    ),
    _Refusal(
        "api_keys",
        "api_keys_revoked_is_final",
        "NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND OLD.revoked_at IS NOT NULL",
        "a revoked key stays revoked",
    ),
    _Refusal(
        "hypotheses",
        "hypotheses_version_rises",
        "NEW.row_version < OLD.row_version OR NEW.row_version = OLD.row_version AND NEW.status <> OLD.status",
        "another status is another version",
    ),
    _Refusal(
        "hypothesis_sources",
        "hypothesis_sources_version_rises",
        "NEW.version < OLD.version",
        "a version that was seen was there",
    ),
    _Refusal(
        "hypothesis_submissions",
        "hypothesis_submissions_end_once",
        "OLD.ended_at IS NOT NULL",
        "what came of it stays so",
    ),
    _Refusal(
        "provider_batches",
        "provider_batches_say_it_once",
        "NEW.batch_id IS DISTINCT FROM OLD.batch_id AND OLD.batch_id IS NOT NULL"
        " OR NEW.outcome IS DISTINCT FROM OLD.outcome AND OLD.outcome IS NOT NULL",
        "a batch has one name and one end",
    ),
    _Refusal(
        "work_items",
        "work_items_epoch_is_a_fence",
        "NEW.epoch < OLD.epoch OR NEW.epoch = OLD.epoch AND ("
        "NEW.worker IS DISTINCT FROM OLD.worker AND NEW.worker IS NOT NULL"
        " OR NEW.finished_at IS NULL AND OLD.finished_at IS NOT NULL)",
        "whoever takes an item raises its epoch",
    ),
    _Refusal(
        "verifier_usage",
        "verifier_usage_only_grows",
        " OR ".join(
            f"NEW.{count} < OLD.{count}"
            for count in (
                "input_tokens",
                "output_tokens",
                "cache_read_tokens",
                "cache_write_tokens",
                "cost_usd",
            )
        ),
        "what was spent was spent",
    ),
    *(
        _Refusal(
            table,
            f"{table}_version_rises",
            "NEW.row_version <> OLD.row_version + 1",
            "each change is one version",
        )
        for table in ("team_settings", "instance_settings")
    ),
)


def upgrade() -> None:
    for one in _REFUSALS:
        refuse(one.table, one.rule, when=one.when, because=one.because)


def downgrade() -> None:
    for one in reversed(_REFUSALS):
        lift(one.table, one.rule)
