"""What a review of a generic name can be answered with: something known, and for one letter something new."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.kernel.errors import Forbidden, InvalidInput
from app.remember.lexical.verifier import LexicalVerifier
from app.tenancy.callers import Caller
from tests.factories import make_entity
from tests.integration.changes import answer, open_reviews
from tests.integration.held import hold, place_again
from tests.integration.submissions import place, relationship, remember, state


async def test_a_generic_name_may_mean_something_known_but_makes_nothing_new(
    database: Database, team: Caller
) -> None:
    starlette = await make_entity(database, team, "Starlette")
    ingest_id, outcome = await hold(database, team, state("FastAPI", "depends_on", "the system"))
    with pytest.raises(InvalidInput) as refused:
        await answer(database, team, outcome.review_id, "new")
    assert refused.value.code == "choice_invalid"
    await answer(database, team, outcome.review_id, starlette)
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    assert now.status == "active"


async def test_an_operator_may_say_that_one_letter_is_the_name_of_something_new(
    database: Database, team: Caller
) -> None:
    nginx = state("Nginx", "written_in", "C", text="Nginx is written in C.")
    ingest_id, outcome = await hold(database, team, nginx)
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "generic_name")
    [review] = await open_reviews(database, team)
    assert review.options == ("new",)
    writer = replace(team, scopes=frozenset({"read", "write"}))
    with pytest.raises(Forbidden) as refused:
        await answer(database, writer, outcome.review_id, "new")
    assert refused.value.code == "missing_scope"
    await answer(database, team, outcome.review_id, "new")
    [now] = (await place(database, team, ingest_id, verifier=LexicalVerifier())).relationship_outcomes
    assert now.category == "relationship_validated_claim"

    c = (await relationship(database, team, now.relationship_id))["object_entity_id"]
    again = state("Redis", "written_in", "C", text="Redis is written in C.")
    _, asked = await hold(database, team, again)
    [review] = await open_reviews(database, team)
    assert (asked.reason, review.options) == ("generic_name", (c, "new"))
    hinted = replace(again, entities=(again.entities[0], replace(again.entities[1], known_entity_id=c)))
    known = await remember(database, team, hinted, verifier=LexicalVerifier())
    assert (known.status, known.reason) == ("active", None)


@pytest.mark.parametrize("hint", ["nobody", "another"])
async def test_a_wrong_hint_beside_a_letter_asks_for_an_operator_all_the_same(
    database: Database, team: Caller, hint: str
) -> None:
    known = await make_entity(database, team, "Starlette") if hint == "another" else "ent_nobody"
    nginx = state("Nginx", "written_in", "C", text="Nginx is written in C.")
    hinted = replace(nginx, entities=(nginx.entities[0], replace(nginx.entities[1], known_entity_id=known)))
    _, outcome = await hold(database, team, hinted)
    writer = replace(team, scopes=frozenset({"read", "write"}))
    with pytest.raises(Forbidden) as refused:
        await answer(database, writer, outcome.review_id, "new")
    assert refused.value.code == "missing_scope"


@pytest.mark.parametrize("name", ["I", "a"])
async def test_a_letter_that_is_a_word_is_nobodys_name(database: Database, team: Caller, name: str) -> None:
    _, outcome = await hold(database, team, state(name, "uses", "Rust"))
    assert outcome.reason == "generic_name"
    with pytest.raises(InvalidInput):
        await answer(database, team, outcome.review_id, "new")
