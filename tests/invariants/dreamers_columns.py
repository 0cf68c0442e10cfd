"""Every column that the dreamer's role may read: what it dreams about, and what it keeps book of. Nothing else."""

from collections.abc import Mapping
from typing import Final

READABLE: Final[Mapping[str, str]] = {
    "citations": "team_id id evidence_id",
    "conflict_cases": (
        "team_id id kind status subject_entity_id predicate_key preferred_position_id opened_at due_at "
        "closed_at closed_by_profile_id"
    ),
    "conflict_positions": "team_id id case_id semantic_group_key",
    "cycle_runs": (
        "team_id id window_key trigger dry_run status reason started_by_profile_id epoch attempt worker "
        "scheduled_for created_at started_at heartbeat_at finished_at snapshot_digest is_assessed "
        "generator_kind generator_version prompt_version model eligible premises premise_sources "
        "over_input_budget groups generated rejected deduplicated reinforced persisted rejections "
        "would_persist requested_budgets budgets stopped_by error_code error_message output_split "
        "waiting_since seconds_used summary missed_until missed_count provider_mode"
    ),
    "dream_schedules": "team_id next_due_at updated_at",
    "effective_supports": "team_id relationship_id citation_id evidence_id profile_id authority source_group",
    "eligible_relationships": "team_id relationship_id version",
    "entities": "team_id id kind name is_merged created_by_profile_id created_at merged_into_id",
    "entity_names": "team_id entity_id name folded_name is_alias spelling",
    "evidence": "team_id id profile_id authority source_group source_id source_revision state",
    "hypotheses": (
        "team_id id cycle_run_id subject_entity_id predicate_key predicate_version object_entity_id "
        "object_value_id target_identity statement rationale likelihood confidence paths generator_kind "
        "generator_version status submission_is_open needs_reassessment previous_hypothesis_id "
        "row_version created_at updated_at reinforced_at"
    ),
    "hypothesis_events": (
        "team_id id hypothesis_id event from_status to_status actor_kind actor_profile_id cycle_run_id "
        "ingest_id versions_seen created_at"
    ),
    "hypothesis_sources": (
        "team_id hypothesis_id relationship_id version semantic_group_key owner_profile_id is_candidate "
        "is_current"
    ),
    "hypothesis_submissions": "team_id ingest_id hypothesis_id decision created_at ended_at ended_active",
    "hypothesis_targets": "team_id hypothesis_id fault statement status confidence",
    "instance_settings": "name value updated_at row_version",
    "predicate_names": "team_id folded_name predicate_key",
    "predicates": (
        "team_id predicate_key version is_current label aliases allowed_subject_kinds "
        "allowed_object_kinds allowed_value_types relationship_kind current_cardinality is_symmetric "
        "inverse_key verb_phrase lifecycle_state created_at"
    ),
    "premise_assessments": "team_id semantic_group_key cycles last_assessed_at",
    "profiles": "team_id id created_at",
    "provider_batches": (
        "team_id id cycle_run_id permit_id custom_id model prompt_version reference_map created_at "
        "batch_id outcome"
    ),
    "relationship_eligibility": (
        "team_id relationship_id version is_established is_assessed_candidate endpoints_exist "
        "predicate_fits has_no_open_review has_no_open_conflict is_preferred_position "
        "has_current_evidence"
    ),
    "relationship_transitions": (
        "team_id relationship_id version from_tier to_tier from_status to_status reason effect "
        "actor_profile_id created_at"
    ),
    "relationships": (
        "team_id id owner_profile_id subject_entity_id predicate_key predicate_version object_entity_id "
        "object_value_id polarity modality scope valid_from valid_to semantic_group_key target_identity "
        "tier status version eligible_since created_at changed_at"
    ),
    "review_tasks": (
        "team_id id kind status reason relationship_id ingest_id opened_at closed_at closed_by_profile_id"
    ),
    "source_revisions": "team_id source_id revision is_current created_at same_as name",
    "spending": (
        "team_id permit_id cycle_run_id day model created_at is_settled input_tokens output_tokens "
        "cache_read_tokens cache_write_tokens turns cost_usd"
    ),
    "spending_charges": (
        "team_id permit_id input_tokens output_tokens cache_read_tokens cache_write_tokens turns "
        "cost_usd created_at"
    ),
    "spending_permits": "team_id id cycle_run_id day model input_tokens output_tokens turns cost_usd created_at",
    "support_events": "team_id id relationship_id citation_id event reason actor_profile_id created_at",
    "supports": "team_id relationship_id citation_id is_granted is_own",
    "team_settings": "team_id name value updated_at row_version",
    "teams": "id created_at closed_at",
    "typed_values": "team_id id value_type canonical unit created_at",
    "verification_events": "team_id id relationship_id citation_id verdict confidence schema_valid created_at",
    "work_items": "team_id kind item_id run_at epoch attempt lease_expires_at worker finished_at",
}
