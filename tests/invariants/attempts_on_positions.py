"""Attempts at knowledge: Relationships, evidence, quotes, supports and what tells of them."""

from typing import LiteralString

from app.kernel.database import Role
from tests.invariants.attempts import COPY_OF_POSITION

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
APP_AND_OWNER: tuple[Role, ...] = ("app", "owner")
# Role, statements, and the rule in their way; None where the ledger allows it.
POSITIONS: list[tuple[Role, list[LiteralString], str | None]] = [
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
    ("app", ["UPDATE supports SET is_own = false"], "supports_own_stay_own"),
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
    (
        "app",
        ["UPDATE instance_settings SET value = '2' WHERE name = 'unread_' || {team}"],
        "instance_settings_version_rises",
    ),
]
