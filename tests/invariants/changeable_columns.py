"""Every column that a role of the service may change, and what holds each change to the ledger's promises.

A guard is the name of a trigger, a constraint or a policy of the table; where nothing can be promised of a column,
a sentence says why not. Columns that no role may change need none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Grantee = Literal["app", "dreamer"]


@dataclass(frozen=True, slots=True)
class Guarded:
    """Columns that share who may change them and what guards them; `because` where no guard can."""

    columns: str
    roles: tuple[Grantee, ...] = ("app",)
    guards: tuple[str, ...] = ()
    because: str = ""


DREAMER: Final[tuple[Grantee, ...]] = ("dreamer",)
BOTH: Final[tuple[Grantee, ...]] = ("app", "dreamer")
CHANGEABLE: Final[Mapping[str, tuple[Guarded, ...]]] = {
    "api_keys": (
        Guarded("revoked_at", guards=("api_keys_revoked_is_final",)),
        Guarded("requests_per_minute", guards=("api_keys_requests_per_minute_is_positive",)),
    ),
    "conflict_cases": (
        Guarded("status preferred_position_id", guards=("conflict_cases_decided_on_record",)),
        Guarded("due_at", guards=("conflict_cases_due_is_not_put_off",)),
        Guarded(
            "closed_at closed_by_profile_id close_reason", because="Told again from the case's last event."
        ),
    ),
    "cycle_runs": (
        Guarded(
            "status reason epoch worker finished_at summary",
            roles=BOTH,
            guards=("cycle_runs_finished_is_final", "app_update", "cycle_runs_end_has_a_time"),
        ),
        Guarded(
            "team_id id window_key trigger dry_run scheduled_for started_by_profile_id created_at",
            roles=DREAMER,
            guards=("cycle_runs_identity",),
        ),
        Guarded(
            "eligible premises premise_sources over_input_budget groups generated rejected deduplicated reinforced"
            " persisted rejections would_persist is_assessed",
            roles=DREAMER,
            guards=(
                "cycle_runs_funnel_adds_up",
                "cycle_runs_inputs_add_up",
                "cycle_runs_dry_run_leaves_nothing",
            ),
        ),
        Guarded(
            "note attempt started_at heartbeat_at snapshot_digest generator_kind generator_version prompt_version"
            " model requested_budgets budgets stopped_by error_code error_message output_split waiting_since"
            " seconds_used missed_until missed_count provider_mode",
            roles=DREAMER,
            guards=("cycle_runs_finished_is_final",),
        ),
    ),
    "dream_schedules": (
        Guarded("team_id", roles=BOTH, guards=("pk_dream_schedules", "dream_schedules_team")),
        Guarded("next_due_at updated_at", roles=BOTH, because="Reckoned anew from the settings at any time."),
    ),
    "entities": (Guarded("is_merged merged_into_id", guards=("entities_merge_on_record",)),),
    "evidence": (
        Guarded(
            "state retracted_at",
            guards=(
                "evidence_retracted_is_final",
                "evidence_retracted_says_when",
                "evidence_discarded_is_only_retracted",
                "evidence_discarded_was_held",
                "evidence_leaves_by_decision",
                "evidence_leaves_tiers_carried",
            ),
        ),
    ),
    "hypotheses": (
        Guarded(
            "status",
            roles=BOTH,
            guards=(
                "hypotheses_follow_lifecycle",
                "hypotheses_change_on_record",
                "hypotheses_open_on_something",
                "dreamer_update",
            ),
        ),
        Guarded("row_version", roles=BOTH, guards=("hypotheses_version_rises",)),
        Guarded("submission_is_open", guards=("hypotheses_open_means_submitted",)),
        Guarded(
            "likelihood confidence",
            roles=DREAMER,
            guards=("hypotheses_likelihood_is_a_share", "hypotheses_are_weighed_on_record", "dreamer_update"),
        ),
        Guarded(
            "rationale paths generator_version",
            roles=DREAMER,
            guards=("hypotheses_are_weighed_on_record", "dreamer_update"),
        ),
        Guarded("needs_reassessment", roles=DREAMER, guards=("dreamer_update",)),
        Guarded(
            "updated_at reinforced_at",
            roles=BOTH,
            because="Times: an early end of retention loses a guess only.",
        ),
    ),
    "hypothesis_sources": (
        Guarded(
            "version is_candidate",
            roles=DREAMER,
            guards=("hypothesis_sources_version_rises", "hypothesis_sources_are_seen_as_they_are"),
        ),
        Guarded(
            "is_current",
            roles=DREAMER,
            guards=("hypothesis_sources_leave_no_guess_bare",),
        ),
    ),
    "hypothesis_submissions": (
        Guarded("ended_at ended_active", guards=("hypothesis_submissions_end_once",)),
    ),
    "ingests": (
        Guarded(
            "processing_state errors finished_at",
            guards=(
                "ingests_finished_is_final",
                "ingests_open_for_what_is_unplaced",
                "ingests_end_when_all_is_placed",
            ),
        ),
    ),
    "instance_settings": (
        Guarded("value updated_at row_version", guards=("instance_settings_version_rises",)),
    ),
    "placement_outcomes": (
        Guarded(
            "relationship_id category tier status verdict confidence reason review_id predicate_options placed_at",
            guards=(
                "placement_outcomes_placed_once",
                "placement_outcomes_held_is_released_or_rejected",
                "placement_outcomes_change_with_their_review",
                "placement_outcomes_tell_what_was",
                "placement_outcomes_placed_has_a_category",
            ),
        ),
    ),
    "predicates": (Guarded("is_current", guards=("predicates_old_stays_old", "predicates_are_replaced")),),
    "premise_assessments": (
        Guarded(
            "cycles last_assessed_at", roles=DREAMER, because="The dreamer's own count of what it looked at."
        ),
    ),
    "provider_batches": (
        Guarded("batch_id outcome", roles=DREAMER, guards=("provider_batches_say_it_once",)),
    ),
    "rate_buckets": (
        Guarded(
            "tokens granted refilled_at", because="A bucket that is full again costs one minute's requests."
        ),
    ),
    "relationship_embeddings": (
        Guarded(
            "model_name model_version text_digest vector embedded_at",
            because="What search finds by meaning; made of the statement anew.",
        ),
    ),
    "relationships": (
        Guarded("version", guards=("relationships_version_counts_changes",)),
        Guarded(
            "tier status",
            guards=(
                "relationships_change_on_record",
                "relationships_gain_by_support",
                "relationships_end_without_support",
            ),
        ),
        Guarded(
            "modality valid_to eligible_since client_comment changed_at",
            guards=("relationships_change_on_record",),
        ),
    ),
    "review_tasks": (
        Guarded(
            "status closed_at closed_by_profile_id choice close_reason",
            guards=("review_tasks_resolved_is_final", "review_tasks_answer_says_what_and_who"),
        ),
    ),
    "source_revisions": (
        Guarded(
            "is_current",
            guards=(
                "source_revisions_old_stays_old",
                "source_revisions_are_replaced",
                "source_revisions_leave_tiers_carried",
            ),
        ),
    ),
    "supports": (
        Guarded(
            "is_granted",
            guards=(
                "supports_change_on_record",
                "supports_return_with_a_verdict",
                "supports_leave_tiers_carried",
            ),
        ),
        Guarded("is_own", guards=("supports_own_stay_own",)),
    ),
    "team_settings": (Guarded("value updated_at row_version", guards=("team_settings_version_rises",)),),
    "verifier_permits": (Guarded("charged_usd", guards=("verifier_permits_are_charged_once",)),),
    "verifier_usage": (
        Guarded(
            "input_tokens output_tokens cache_read_tokens cache_write_tokens cost_usd",
            guards=("verifier_usage_only_grows",),
        ),
    ),
    "work_items": (
        Guarded("team_id kind item_id", roles=BOTH, guards=("work_items_identity",)),
        Guarded(
            "epoch worker finished_at lease_expires_at",
            roles=BOTH,
            guards=(
                "work_items_epoch_is_a_fence",
                "work_items_lease_names_its_worker",
                "work_items_finished_holds_no_lease",
            ),
        ),
        Guarded("run_at attempt", roles=BOTH, because="When and how often: a wrong one costs time, no row."),
    ),
}
