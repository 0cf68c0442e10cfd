"""Attempts at decisions: conflict cases, reviews, merges, placements and keys."""

from typing import LiteralString

from app.kernel.database import Role

AS_FACT: LiteralString = (
    "category = 'relationship_fact', placed_at = now(), relationship_id = {established}, tier = 'fact',"
    " status = 'active'"
)
KEY: LiteralString = (
    "INSERT INTO api_keys (id, key_digest, max_authority, team_id, profile_id, scopes)"
    " VALUES ('key_forged', 'known to its maker', 'primary', {whose})"
)
TELL_OF_CASE: LiteralString = (
    "INSERT INTO conflict_events (team_id, case_id, event, preferred_position_id) SELECT team_id, case_id,"
    " {told}, CASE {told} WHEN 'resolved' THEN id END FROM conflict_positions"
)
DECIDE_CASE: LiteralString = (
    "UPDATE conflict_cases SET status = 'dismissed', closed_at = now() WHERE status = 'open'"
)
CASE: LiteralString = (
    "INSERT INTO conflict_cases (team_id, id, kind, status, subject_entity_id, predicate_key, due_at)"
    " SELECT team_id, 'con_forged', kind, status, subject_entity_id, predicate_key, due_at FROM conflict_cases"
)
TELL_OF_MERGE: LiteralString = (
    "INSERT INTO entity_merge_events (team_id, id, event, entity_id, survivor_id, undoes_id, before_image,"
    " actor_profile_id) SELECT team_id, 'mrg_2', {told}, entity_id, survivor_id, {undone}, '{{}}',"
    " actor_profile_id FROM entity_merge_events"
)
# Role, statements, and the rule in their way; None where the ledger allows it.
DECISIONS: list[tuple[Role, list[LiteralString], str | None]] = [
    (
        "app",
        ["UPDATE entities SET is_merged = true WHERE id <> {merged}"],
        "entities_merge_on_record",
    ),
    (
        "app",
        ["UPDATE entities SET is_merged = false, merged_into_id = NULL WHERE id = {merged}"],
        "entities_merge_on_record",
    ),
    (
        "app",
        [
            "INSERT INTO entities (team_id, id, kind, name, is_merged, created_by_profile_id, merged_into_id)"
            " SELECT team_id, 'ent_copy', kind, name, is_merged, created_by_profile_id, merged_into_id"
            " FROM entities WHERE id = {merged}"
        ],
        "entities_come_merged_on_record",
    ),
    ("app", ["UPDATE conflict_cases SET status = 'dismissed'"], "conflict_cases_decided_on_record"),
    (
        "app",
        ["UPDATE conflict_cases SET due_at = due_at + interval '1 day'"],
        "conflict_cases_due_is_not_put_off",
    ),
    (
        "app",
        ["UPDATE review_tasks SET status = 'open' WHERE status = 'resolved'"],
        "review_tasks_resolved_is_final",
    ),
    (
        "app",
        ["UPDATE review_tasks SET status = 'resolved' WHERE status = 'open'"],
        "review_tasks_answer_says_what_and_who",
    ),
    (
        "app",
        ["UPDATE placement_outcomes SET category = NULL, placed_at = NULL"],
        "placement_outcomes_placed_once",
    ),
    (
        "app",
        ["UPDATE placement_outcomes SET category = NULL, placed_at = NULL WHERE proposal_id = 'p2'"],
        None,
    ),
    (
        "app",
        ["UPDATE placement_outcomes SET tier = 'fact' WHERE proposal_id = 'p1'"],
        "placement_outcomes_placed_once",
    ),
    (
        "app",
        [
            "UPDATE placement_outcomes SET category = 'relationship_fact', relationship_id = {established}"
            " WHERE proposal_id = 'p2'"
        ],
        "placement_outcomes_held_is_released_or_rejected",
    ),
    (
        "app",
        ["UPDATE placement_outcomes SET category = 'relationship_rejected' WHERE proposal_id = 'p2'"],
        None,
    ),
    (
        "app",
        ["UPDATE placement_outcomes SET reason = 'so' WHERE proposal_id = 'p3'"],
        "placement_outcomes_change_with_their_review",
    ),
    (
        "app",
        [f"UPDATE placement_outcomes SET {AS_FACT} WHERE proposal_id = 'p4'"],
        "placement_outcomes_tell_what_was",
    ),
    (
        "app",
        [
            "INSERT INTO placement_outcomes (team_id, ingest_id, position, proposal_id, relationship_id, tier,"
            " status, category, placed_at) VALUES ({team}, 'ing_1', 9, 'p9', {established}, 'fact', 'active',"
            " 'relationship_fact', now())"
        ],
        "placement_outcomes_come_telling_what_was",
    ),
    (
        "app",
        ["UPDATE ingests SET processing_state = 'failed' WHERE id = 'ing_1'"],
        "ingests_finished_is_final",
    ),
    (
        "app",
        ["UPDATE ingests SET processing_state = 'queued', finished_at = NULL WHERE id = 'ing_1'"],
        "ingests_open_for_what_is_unplaced",
    ),
    (
        "app",
        ["UPDATE ingests SET processing_state = 'completed', finished_at = now() WHERE id = 'ing_2'"],
        "ingests_end_when_all_is_placed",
    ),
    *(
        ("app", [KEY.replace("{whose}", whose)], rule)
        for whose, rule in {
            "NULL, NULL, '{{admin}}'": "InsufficientPrivilege",
            "{team}, {profile}, '{{admin}}'": "api_keys_admin_stands_outside_teams",
            "'team_of_others', {profile}, '{{read}}'": "InsufficientPrivilege",
            "{team}, {profile}, '{{read}}'": None,
        }.items()
    ),
    ("owner", [KEY.replace("{whose}", "NULL, NULL, '{{admin}}'")], None),
    ("app", ["UPDATE api_keys SET scopes = '{{admin}}' WHERE team_id = {team}"], "InsufficientPrivilege"),
    ("app", ["UPDATE api_keys SET revoked_at = NULL WHERE team_id = {team}"], "api_keys_revoked_is_final"),
    (
        "app",
        ["UPDATE api_keys SET revoked_at = now() + interval '1 day' WHERE team_id = {team}"],
        "api_keys_revoked_is_final",
    ),
    *(
        ("app", [TELL_OF_CASE.replace("{told}", told)], "conflict_events_describe_a_change")
        for told in ("'resolved'", "'dismissed'", "'withdrawn'", "'reopened'", "'opened'")
    ),
    (
        "app",
        [DECIDE_CASE, TELL_OF_CASE.replace("{told}", "'resolved'")],
        "conflict_events_describe_a_change",
    ),
    ("app", [DECIDE_CASE, TELL_OF_CASE.replace("{told}", "'dismissed'")], None),
    ("app", [CASE], "conflict_cases_open_on_record"),
    *(
        (
            "app",
            [TELL_OF_MERGE.replace("{told}", told).replace("{undone}", undone)],
            "entity_merge_events_describe_a_change",
        )
        for told, undone in {"'merged'": "NULL", "'unmerged'": "id"}.items()
    ),
    (
        "app",
        [
            "UPDATE entities SET is_merged = false, merged_into_id = NULL WHERE id = {merged}",
            TELL_OF_MERGE.replace("{told}", "'unmerged'").replace("{undone}", "id"),
        ],
        None,
    ),
]
