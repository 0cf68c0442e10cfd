"""Prompts never change: another text or schema is another version, under another name."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from app.llm.prompts import estimate_tokens, load_prompt
from app.remember.provider.question import build_question
from tests.unit.lexical_case import cite, make_claim

FOLDER = Path("prompts")
# A version that is released is on the records that name it: add a line, change none.
RELEASED = {
    "dreamer-v1.md": "505f10fef47af397",
    "dreamer-v1.schema.json": "c63c6324eeac3a86",
    "verifier-v1.md": "adf36a6bd9362cf0",
    "verifier-v1.schema.json": "6d6c34377bf96431",
}


def test_every_prompt_is_released_and_as_it_was() -> None:
    assert {path.name: sha256(path.read_bytes()).hexdigest()[:16] for path in FOLDER.iterdir()} == RELEASED


@pytest.mark.parametrize("stem", sorted({name.partition(".")[0] for name in RELEASED}))
def test_a_prompt_has_a_closed_schema_and_a_size_to_be_cached(stem: str) -> None:
    prompt = load_prompt(stem)
    assert prompt.version == stem
    assert 400 < estimate_tokens(prompt.instructions) < 2_500
    objects = json.dumps(prompt.schema).count('"type": "object"')
    assert json.dumps(prompt.schema).count('"additionalProperties": false') == objects > 0


def test_a_verifiers_question_is_of_a_size() -> None:
    question = build_question(
        load_prompt("verifier-v1"),
        make_claim("FastAPI", "depends_on", "Starlette"),
        cite("[[FastAPI depends on Starlette]], they say."),
        request="r",
        effort=None,
    )
    assert 500 < estimate_tokens(question.instructions, question.messages[0].text) < 3_000
