"""Attempts at Hypotheses, at work and at money."""

from typing import LiteralString

from app.kernel.database import Role

SPENT = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd")
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
RESTS_AGAIN: LiteralString = "UPDATE hypothesis_sources SET is_current = true"
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
    (["UPDATE hypothesis_sources SET is_current = false"], "hypothesis_sources_leave_no_guess_bare"),
    (["UPDATE hypothesis_sources SET is_current = false", RESTS_AGAIN], None),
    *(
        ([f"UPDATE hypotheses SET {weight}"], "hypotheses_are_weighed_on_record")
        for weight in (
            "likelihood = 1",
            "confidence = 1",
            "rationale = 'So.'",
            "paths = '[]'",
            "generator_version = ''",
        )
    ),
]
WORK: LiteralString = (
    "INSERT INTO work_items (team_id, kind, item_id, run_at) VALUES ({team}, {kind}, 'forged', now())"
)
# Role, statements, and the rule in their way; None where the ledger allows it.
GUESSES: list[tuple[Role, list[LiteralString], str | None]] = [
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
    (
        "dreamer",
        [
            MOVE_GUESS.replace("{status}", "'reinforced'").replace("{at}", "clock_timestamp()"),
            TELL_OF_GUESS.replace("{told}", "'regenerated', 'proposed', 'reinforced', 'cycle'"),
            "UPDATE hypothesis_sources SET is_current = false",
        ],
        "hypotheses_open_on_something",
    ),
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
]
