"""The dreamer reads no text that a client wrote for people: comments, notes, reasons, choices, names of profiles.

What it dreams about stays readable: names of entities, values, predicates, scopes. Column privileges in place of
whole tables; a column of tomorrow has to be granted by name.

Lock: none on the tables; privileges are rows of the catalogue.
"""

from alembic import op

from app.kernel.ddl import grant, role

revision = "0017"
down_revision = "0027"
branch_labels = None
depends_on = None

READABLE = {
    "conflict_cases": "team_id, id, kind, status, subject_entity_id, predicate_key, preferred_position_id,"
    " opened_at, due_at, closed_at, closed_by_profile_id",
    "cycle_runs": "team_id, id, window_key, trigger, dry_run, status, reason, started_by_profile_id, epoch, attempt,"
    " worker, scheduled_for, created_at, started_at, heartbeat_at, finished_at, snapshot_digest, is_assessed,"
    " generator_kind, generator_version, prompt_version, model, eligible, premises, premise_sources,"
    " over_input_budget, groups, generated, rejected, deduplicated, reinforced, persisted, rejections, would_persist,"
    " requested_budgets, budgets, stopped_by, error_code, error_message, output_split",
    "hypothesis_events": "team_id, id, hypothesis_id, event, from_status, to_status, actor_kind, actor_profile_id,"
    " cycle_run_id, ingest_id, versions_seen, created_at",
    "profiles": "team_id, id, created_at",
    "relationship_transitions": "team_id, relationship_id, version, from_tier, to_tier, from_status, to_status,"
    " reason, effect, actor_profile_id, created_at",
    "relationships": "team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version,"
    " object_entity_id, object_value_id, polarity, modality, scope, valid_from, valid_to, semantic_group_key,"
    " target_identity, tier, status, version, eligible_since, created_at, changed_at",
    "review_tasks": "team_id, id, kind, status, reason, relationship_id, ingest_id, opened_at, closed_at,"
    " closed_by_profile_id",
    "teams": "id, created_at",
}


def upgrade() -> None:
    for table, columns in READABLE.items():
        op.execute(f"REVOKE SELECT ON {table} FROM {role('dreamer')}")
        grant("dreamer", table, select=columns)


def downgrade() -> None:
    for table in READABLE:
        grant("dreamer", table, select="*")
