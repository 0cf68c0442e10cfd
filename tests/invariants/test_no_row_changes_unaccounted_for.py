"""What is final stays so, what counts only rises, and each change has the event that accounts for it.

Each attempt is bare SQL of a role that may change the column, and names the rule that refuses it.
"""

from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.kernel.database import Database, Role
from tests.conftest import MakeTeam
from tests.databases import admin_url
from tests.invariants.attempts import COPY_OF_POSITION, acting_as, refusing_rule
from tests.invariants.changed_team import ChangedTeam, make_changed_team
from tests.invariants.test_positions_are_as_strong_as_their_supports import TIERS
from tests.invariants.test_the_database_holds_rows_to_their_decisions import EVIDENCE


@pytest.fixture(scope="module")
async def changed(database: Database, unruled: Database, make_team: MakeTeam) -> ChangedTeam:
    return await make_changed_team(database, unruled, await make_team())


ACTIVATE: LiteralString = """
    UPDATE relationships SET status = 'active', tier = 'fact', version = 2 WHERE id = {candidate}
"""
TELL: LiteralString = """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, reason, effect)
    SELECT team_id, id, version, 'candidate', tier, 'pending_evidence', status, 'told', 'became_active'
    FROM relationships WHERE id = {candidate}
"""
COPY: LiteralString = COPY_OF_POSITION.replace("{copied}", "{established}").replace("{changed}", "'{{}}'")
MISFILED: LiteralString = COPY_OF_POSITION.replace("{copied}", "{established}").replace(
    "{changed}", "jsonb_build_object({filed}, 'another')"
)
REWORDED: LiteralString = """
    INSERT INTO evidence
        (team_id, id, profile_id, content, content_digest, source_type, authority, source_group,
         supersedes_evidence_ids, labels, metadata, state)
    SELECT team_id, 'evd_copy', profile_id, 'As it is not.', content_digest, source_type, authority, source_group,
           supersedes_evidence_ids, labels, metadata, state
    FROM evidence LIMIT 1
"""
TELL_OF_COPY: LiteralString = """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, to_tier, to_status, reason, effect)
    SELECT team_id, id, version, tier, status, 'told', 'harmless' FROM relationships WHERE id = 'rel_copy'
"""
OWN_CITATION: LiteralString = (
    "(SELECT citation_id FROM verification_events WHERE relationship_id = {candidate})"
)
SUPPORT: LiteralString = (
    "INSERT INTO supports SELECT team_id, id, "
    + OWN_CITATION
    + ", {granted} FROM relationships WHERE id = {candidate}"
)
SUPPORT_EVENT: LiteralString = (
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, id, " + OWN_CITATION + ", {event}, 'told' FROM relationships WHERE id = {candidate}"
)
# Evidence that entails another position.
FOREIGN_CITATION: LiteralString = "(SELECT citation_id FROM supports WHERE relationship_id = {established})"
SPENT = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd")

AS_FACT: LiteralString = (
    "category = 'relationship_fact', placed_at = now(), relationship_id = {established}, tier = 'fact',"
    " status = 'active'"
)
TELL_OF_NOTHING: LiteralString = """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, reason, effect)
    SELECT team_id, id, version + 1, tier, tier, status, status, 'told', 'harmless'
    FROM relationships WHERE id = {established}
"""
HARMLESS_END: LiteralString = TELL_OF_NOTHING.replace("status, status", "status, 'retracted'")
EVENT_OF_NOTHING: LiteralString = (
    "INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)"
    " SELECT team_id, relationship_id, citation_id, {event}, 'told' FROM supports"
    " WHERE relationship_id = {established}"
)
CITE: LiteralString = (
    "INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)"
    " SELECT team_id, 'cit_forged', evidence_id, {cited} FROM citations"
    " WHERE id = (SELECT citation_id FROM supports WHERE relationship_id = {established})"
)
# Of evidence that says "As it is written."
QUOTES: dict[LiteralString, str | None] = {
    "'{{0}}', '{{4}}', 'As it is written, or not.'": "citations_quote_their_evidence",
    "'{{0}}', '{{99}}', 'As it is written.'": "citations_quote_their_evidence",
    "'{{-1}}', '{{2}}', 'A'": "citations_quote_their_evidence",
    "'{{3,0}}', '{{5,2}}', E'it\\nAs'": "citations_quote_their_evidence",
    "'{{0,3}}', '{{2,5}}', 'As it'": "citations_quote_their_evidence",
    "'{{0,3}}', '{{2,5}}', E'As\\nit'": None,
    "'{{0}}', '{{5}}', 'As it'": None,
}
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
TELL_OF_GUESS: LiteralString = (
    "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)"
    " SELECT team_id, id, {told} FROM hypotheses"
)
MOVE_GUESS: LiteralString = (
    "UPDATE hypotheses SET row_version = row_version + 1, status = {status}, reinforced_at = {at}"
)
# Of a Hypothesis that is proposed: who says what, and what stands in the way.
GUESSED: list[tuple[Role, list[LiteralString], str | None]] = [
    ("dreamer", ["'reject', 'proposed', 'rejected', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'source_lost', 'proposed', 'stale', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'source_lost', 'proposed', 'proposed', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'regenerated', 'proposed', 'reinforced', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'ignore', 'proposed', 'proposed', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'accepted', NULL, 'proposed', 'cycle'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'so', 'proposed', 'stale', 'cycle'", "'stale'"], "hypothesis_events_describe_a_change"),
    ("dreamer", ["'source_lost', 'proposed', 'stale', 'cycle'", "'stale'"], None),
    ("dreamer", ["'regenerated', 'proposed', 'reinforced', 'cycle'", "'reinforced'"], None),
    ("app", ["'reject', 'proposed', 'rejected', 'client'"], "hypothesis_events_describe_a_change"),
    ("app", ["'ignore', 'proposed', 'rejected', 'client'"], "hypothesis_events_describe_a_change"),
    (
        "app",
        ["'source_lost', 'proposed', 'stale', 'client'", "'stale'"],
        "hypothesis_events_describe_a_change",
    ),
    ("app", ["'ignore', 'proposed', 'proposed', 'client'"], None),
    ("app", ["'reject', 'proposed', 'rejected', 'client'", "'rejected'"], None),
]
RUN: LiteralString = (
    "INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for, dry_run)"
    " VALUES ({team}, 'run_now', 'w', 'manual', 'running', now(), {dry})"
)
AT_WORK: LiteralString = RUN.replace("{dry}", "false")
GUESS: LiteralString = (
    "INSERT INTO hypotheses (team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version,"
    " object_entity_id, target_identity, statement, rationale, likelihood, confidence, paths, generator_kind,"
    " generator_version, status) SELECT team_id, 'hyp_forged', 'run_now', subject_entity_id, predicate_key,"
    " predicate_version, object_entity_id, 'forged', statement, rationale, likelihood, confidence, paths,"
    " generator_kind, generator_version, 'proposed' FROM hypotheses"
)
SOURCE: LiteralString = (
    "INSERT INTO hypothesis_sources (team_id, hypothesis_id, relationship_id, version, semantic_group_key,"
    " owner_profile_id, is_candidate) SELECT team_id, 'hyp_forged', relationship_id, {seen}, semantic_group_key,"
    " owner_profile_id, is_candidate FROM hypothesis_sources"
)
RESTS: LiteralString = SOURCE.replace("{seen}", "version")
ACCEPT: LiteralString = (
    "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, to_status, actor_kind, cycle_run_id)"
    " SELECT team_id, id, 'accepted', 'proposed', 'cycle', cycle_run_id FROM hypotheses WHERE id = 'hyp_forged'"
)
# What the dreamer stores of a guess, and whether a cycle at work would.
GUESSING: list[tuple[list[LiteralString], str | None]] = [
    ([AT_WORK, GUESS], "hypotheses_come_of_a_cycle"),
    ([AT_WORK, GUESS, RESTS], "hypotheses_come_of_a_cycle"),
    ([AT_WORK, GUESS, ACCEPT], "hypotheses_come_of_a_cycle"),
    ([AT_WORK, GUESS, RESTS, ACCEPT], None),
    (
        [
            AT_WORK,
            GUESS.replace("'forged', statement", "'forged', 'It is so.'"),
            RESTS,
            ACCEPT,
        ],
        "hypotheses_come_of_a_cycle",
    ),
    ([RUN.replace("{dry}", "true"), GUESS, RESTS, ACCEPT], "hypotheses_come_of_a_cycle"),
    ([GUESS.replace("'run_now'", "cycle_run_id"), RESTS, ACCEPT], "hypotheses_come_of_a_cycle"),
    ([AT_WORK, GUESS, SOURCE.replace("{seen}", "version + 1")], "hypothesis_sources_are_as_they_are"),
    (["UPDATE hypothesis_sources SET version = version + 1"], "hypothesis_sources_are_seen_as_they_are"),
    (["UPDATE hypothesis_sources SET is_candidate = true"], "hypothesis_sources_are_seen_as_they_are"),
    (["UPDATE hypothesis_sources SET is_current = false"], None),
]
WORK: LiteralString = (
    "INSERT INTO work_items (team_id, kind, item_id, run_at) VALUES ({team}, {kind}, 'forged', now())"
)
APP_AND_OWNER: tuple[Role, ...] = ("app", "owner")

# Role, statements, and the rule in their way; None where the ledger allows it.
ATTEMPTS: list[tuple[Role, list[LiteralString], str | None]] = [
    ("app", ["UPDATE relationships SET client_comment = 'so'"], "relationships_version_counts_changes"),
    ("app", ["UPDATE relationships SET version = version + 2"], "relationships_version_counts_changes"),
    (
        "app",
        ["UPDATE relationships SET tier = 'fact', version = version + 1"],
        "relationships_change_on_record",
    ),
    ("app", ["UPDATE relationships SET valid_to = now(), version = 2"], "relationships_change_on_record"),
    ("app", [ACTIVATE, TELL], "relationships_gain_by_support"),
    ("app", [COPY], "relationships_begin_on_record"),
    *(
        (role, [MISFILED.replace("{filed}", filed)], "relationships_are_known_by_what_they_say")
        for role in APP_AND_OWNER
        for filed in ("'semantic_group_key'", "'target_identity'")
    ),
    *((role, [REWORDED], "evidence_is_known_by_its_words") for role in APP_AND_OWNER),
    ("app", [COPY, TELL_OF_COPY], "relationships_come_with_support"),
    ("app", ["UPDATE supports SET is_granted = false"], "supports_change_on_record"),
    ("app", [SUPPORT.replace("{granted}", "true")], "supports_begin_on_record"),
    (
        "app",
        [SUPPORT.replace("{granted}", "true"), SUPPORT_EVENT.replace("{event}", "'granted'")],
        "supports_come_with_a_verdict",
    ),
    (
        "app",
        [
            SUPPORT.replace("{granted}", "true").replace(OWN_CITATION, FOREIGN_CITATION),
            SUPPORT_EVENT.replace("{event}", "'granted'").replace(OWN_CITATION, FOREIGN_CITATION),
        ],
        "supports_come_with_a_verdict",
    ),
    (
        "app",
        [
            SUPPORT.replace("{granted}", "false"),
            "UPDATE supports SET is_granted = true WHERE relationship_id = {candidate}",
            SUPPORT_EVENT.replace("{event}", "'granted'"),
        ],
        "supports_return_with_a_verdict",
    ),
    ("app", ["UPDATE source_revisions SET is_current = true"], "source_revisions_old_stays_old"),
    (
        "app",
        ["UPDATE source_revisions SET is_current = false WHERE is_current"],
        "source_revisions_are_replaced",
    ),
    ("app", ["UPDATE predicates SET is_current = true WHERE version = 2"], "predicates_old_stays_old"),
    ("app", ["UPDATE predicates SET is_current = false WHERE is_current"], "predicates_are_replaced"),
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
    *((role, [TELL_OF_NOTHING], "relationship_transitions_describe_a_change") for role in APP_AND_OWNER),
    *(
        (role, [HARMLESS_END], "relationship_transitions_effect_is_that_of_its_states")
        for role in APP_AND_OWNER
    ),
    *(
        (role, [EVENT_OF_NOTHING.replace("{event}", event)], "support_events_describe_a_change")
        for role in APP_AND_OWNER
        for event in ("'granted'", "'revoked'", "'reinstated'")
    ),
    *(
        (role, [CITE.replace("{cited}", cited)], rule)
        for role in APP_AND_OWNER
        for cited, rule in QUOTES.items()
    ),
    ("app", ["UPDATE relationship_documents SET body = 'so'"], "InsufficientPrivilege"),
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
    *(
        (
            role,
            [
                *(
                    MOVE_GUESS.replace("{status}", status).replace("{at}", "clock_timestamp()")
                    for status in moves
                ),
                TELL_OF_GUESS.replace("{told}", told),
            ],
            rule,
        )
        for role, [told, *moves], rule in GUESSED
    ),
    *(("dreamer", statements, rule) for statements, rule in GUESSING),
    ("dreamer", [WORK.replace("{kind}", "'placement'")], "InsufficientPrivilege"),
    ("dreamer", [WORK.replace("{kind}", "'cycle'")], None),
    *(
        attempt
        for role in ("app", "dreamer")
        for attempt in (
            (role, ["UPDATE hypotheses SET status = 'stale'"], "hypotheses_version_rises"),
            (role, ["UPDATE hypotheses SET row_version = row_version - 1"], "hypotheses_version_rises"),
            (
                role,
                ["UPDATE hypotheses SET status = 'stale', row_version = row_version + 1"],
                "hypotheses_change_on_record",
            ),
            (
                role,
                ["UPDATE work_items SET epoch = epoch - 1 WHERE team_id = {team}"],
                "work_items_epoch_is_a_fence",
            ),
            (
                role,
                ["UPDATE work_items SET finished_at = NULL WHERE team_id = {team}"],
                "work_items_epoch_is_a_fence",
            ),
            (
                role,
                [
                    "UPDATE work_items SET finished_at = NULL, worker = 'me', lease_expires_at = now()"
                    " WHERE team_id = {team}"
                ],
                "work_items_epoch_is_a_fence",
            ),
        )
    ),
    ("dreamer", ["UPDATE hypothesis_sources SET version = version - 1"], "hypothesis_sources_version_rises"),
    ("app", ["UPDATE hypothesis_submissions SET ended_active = true"], "hypothesis_submissions_end_once"),
    (
        "app",
        ["UPDATE hypothesis_submissions SET ended_at = NULL, ended_active = NULL"],
        "hypothesis_submissions_end_once",
    ),
    ("dreamer", ["UPDATE provider_batches SET batch_id = 'another'"], "provider_batches_say_it_once"),
    ("dreamer", ["UPDATE provider_batches SET outcome = NULL"], "provider_batches_say_it_once"),
    *(("app", [f"UPDATE verifier_usage SET {count} = 4"], "verifier_usage_only_grows") for count in SPENT),
    ("app", ["UPDATE verifier_permits SET charged_usd = 0"], "verifier_permits_are_charged_once"),
    ("app", ["UPDATE verifier_permits SET charged_usd = NULL"], "verifier_permits_are_charged_once"),
    ("app", ["UPDATE team_settings SET value = '50'"], "team_settings_version_rises"),
    (
        "app",
        ["UPDATE instance_settings SET value = '2' WHERE name = 'unread_' || {team}"],
        "instance_settings_version_rises",
    ),
]


@pytest.mark.parametrize(("role", "statements", "rule"), ATTEMPTS)
async def test_no_role_changes_a_row_past_what_accounts_for_it(
    changed: ChangedTeam, database_name: str, role: Role, statements: list[LiteralString], rule: str | None
) -> None:
    names = {
        "team": sql.Literal(changed.caller.team_id),
        "profile": sql.Literal(changed.caller.profile_id),
        "established": sql.Literal(changed.established),
        "candidate": sql.Literal(changed.candidate),
        "merged": sql.Literal(changed.merged_entity),
    }
    with acting_as(database_name, role, changed.caller.team_id) as connection:
        assert refusing_rule(connection, *(sql.SQL(one).format(**names) for one in statements)) == rule


@pytest.mark.parametrize("kind", ["placement", "of another day"])
def test_the_dreamer_touches_no_work_but_its_own(changed: ChangedTeam, database_name: str, kind: str) -> None:
    with acting_as(database_name, "app", changed.caller.team_id) as connection:
        connection.execute(
            "INSERT INTO work_items (team_id, kind, item_id, run_at) VALUES (%s, %s, 'waits', now())",
            [changed.caller.team_id, kind],
        )
        connection.execute("SELECT set_config('role', 'densemem_dreamer', true)")
        finished = connection.execute(
            "UPDATE work_items SET finished_at = now(), epoch = epoch + 1 WHERE item_id = 'waits'"
        )
        assert finished.rowcount == 0
        assert connection.execute("SELECT FROM work_items WHERE item_id = 'waits'").fetchall() == []


@pytest.mark.parametrize("role", ["app", "dreamer"])
def test_no_role_says_when_a_row_came_or_which_number_an_event_has(database_name: str, role: Role) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        chosen = connection.execute(CHOSEN, [f"densemem_{role}"]).fetchall()
    assert chosen == []


CHOSEN: LiteralString = """
    SELECT c.relname, a.attname FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      AND (a.attidentity <> '' OR a.attname IN ('created_at', 'opened_at'))
      AND has_column_privilege(%s, c.oid, a.attnum, 'INSERT')
"""


def test_every_rule_is_tried(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rules = {rule for (rule,) in connection.execute(RULES).fetchall()}
    assert len(rules) > 30
    assert rules == {rule for *_, rule in (*ATTEMPTS, *EVIDENCE, *TIERS) if rule in rules}


RULES: LiteralString = """
    SELECT t.tgname FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND p.proname IN ('refuse_change', t.tgname)
"""
