"""Which names count for an entity that the team knows, whatever a proposal calls it."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.remember.lexical.verifier import LexicalVerifier
from app.tenancy.callers import Caller
from tests.integration.submissions import remember, state


@pytest.mark.parametrize("is_spelt_first", [True, False])
async def test_what_the_evidence_says_does_not_depend_on_which_submission_was_first(
    database: Database, team: Caller, is_spelt_first: bool
) -> None:
    plain = state("httpx", "depends_on", "charset-normalizer")
    spelt = state(
        "requests", "depends_on", "charset-normalizer", text="requests depends on charset_normalizer."
    )
    subject, target = spelt.entities
    spelt = replace(spelt, entities=(subject, replace(target, aliases=("charset_normalizer",))))
    for submission in (spelt, plain) if is_spelt_first else (plain, spelt):
        outcome = await remember(database, team, submission, verifier=LexicalVerifier())
        assert outcome.category == "relationship_validated_claim"


async def test_the_evidence_cannot_lend_a_known_entity_the_name_of_another(
    database: Database, team: Caller
) -> None:
    await remember(database, team, state("BobCorp", "depends_on", "Starlette"))
    submission = state("BobCorp", "depends_on", "AnyIO", text="FastAPI depends on AnyIO.")
    subject, *others = submission.entities
    stolen = replace(
        submission,
        entities=(replace(subject, aliases=("FastAPI",)), *others),
        evidence=(
            *submission.evidence,
            replace(submission.evidence[0], content="FastAPI (BobCorp) is nice."),
        ),
    )
    outcome = await remember(database, team, stolen, verifier=LexicalVerifier())
    assert (outcome.category, outcome.reason) == ("relationship_pending_evidence", "subject_not_cited")


async def test_unbacked_alias_of_a_known_entity_carries_no_claim_either(
    database: Database, team: Caller
) -> None:
    await remember(database, team, state("BobCorp", "depends_on", "Starlette"))
    submission = state("BobCorp", "depends_on", "AnyIO", text="FastAPI depends on AnyIO.")
    subject, *others = submission.entities
    stolen = replace(submission, entities=(replace(subject, aliases=("FastAPI",)), *others))
    outcome = await remember(database, team, stolen, verifier=LexicalVerifier())
    assert (outcome.category, outcome.reason) == ("relationship_pending_evidence", "subject_not_cited")
