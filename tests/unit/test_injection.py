"""Whatever stands in names, aliases, values, statements: the worst that it does is to have an item rejected."""

import json
from dataclasses import replace

import pytest

from app.dreaming.model import Inputs, Node
from app.dreaming.provider.answer import read_answer
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.provider.sheet import Sheet, write_sheet
from app.dreaming.validation.validate import validate
from app.dreaming.validation.validated import Current, Validated
from app.ledger.vocabulary import Span, TypedValue
from app.llm.prompts import load_prompt
from app.llm.reading import Unreadable
from app.remember.claim import Citation, Claim
from app.remember.provider.question import build_question
from tests.dreamer import Shown, read_shown
from tests.unit.graphs import PREDICATES, make_inputs
from tests.unit.injection_attempts import ATTEMPTS, STATEMENTS
from tests.unit.lexical_case import make_claim

REFERENCES = ("node_1", "path_1", "predicate_1", "group_1")
CLEAN = make_inputs("a depends_on z", "b uses z", "b requires_python v1", "c part_of b")


def poison(text: str) -> Inputs:
    """Return the inputs with the text as a name, a value, and an alias and label of a predicate."""
    nodes = {
        **CLEAN.nodes,
        "a": replace(CLEAN.nodes["a"], name=text),
        "v1": Node("v1", text, None, "string"),
    }
    uses = replace(PREDICATES["uses"], label=text, aliases=(text,))
    return replace(CLEAN, nodes=nodes, predicates={**PREDICATES, "uses": uses})


def show(inputs: Inputs) -> tuple[Sheet, Shown]:
    plan = plan_pairs(inputs, max_groups=40, max_outputs=5)
    sheet = write_sheet(inputs, plan.pairs, plan.hints, request="request_1", most_ideas=10)
    return sheet, read_shown(sheet.text)


def judge(text: str, sheet: Sheet, inputs: Inputs) -> Validated:
    read = read_answer(text, sheet)
    assert not isinstance(read, Unreadable)
    sources = {
        source.relationship_id: (source.version, True)
        for premise in inputs.premises
        for source in premise.sources
    }
    return validate(read, inputs, Current(sources, predicates=inputs.predicates), max_outputs=5)


def test_there_are_enough_attempts() -> None:
    assert len(set(ATTEMPTS)) >= 40


@pytest.mark.parametrize("text", ATTEMPTS, ids=lambda text: ascii(text[:30]))
def test_an_attempt_stays_inside_the_fence_and_changes_nothing_but_its_own_name(text: str) -> None:
    clean_sheet, clean = show(CLEAN)
    sheet, shown = show(poison(text))
    assert sheet.text.count("<") == sheet.text.count(">") == 2
    assert len(sheet.text.splitlines()) == 3
    assert all(character.isprintable() for line in sheet.text.split("\n") for character in line)
    # The structure is the same, whatever the names are.
    for part in ("paths", "choices", "groups"):
        assert shown.document[part] == clean.document[part]
    assert sheet.nodes.keys() == clean_sheet.nodes.keys()
    assert sheet.paths.keys() == clean_sheet.paths.keys()
    assert text in shown.names.values()


@pytest.mark.parametrize("text", ATTEMPTS, ids=lambda text: ascii(text[:30]))
def test_a_model_that_repeats_an_attempt_has_its_item_rejected_and_no_other(text: str) -> None:
    inputs = poison(text)
    sheet, shown = show(inputs)
    clean_group = next(
        group for group in shown.groups if {"C", "Z"} == {shown.names[n] for n in group["pair"]}
    )
    good = shown.idea(clean_group, "Depends on")
    obedient = [
        {**good, "subject": text},
        {**good, "predicate": text},
        {**good, "object": text},
        {**good, "paths": [text]},
        {**good, "group": text},
        {**good, "likelihood": text},
        {**good, text: text},
        text,
    ]
    validated = judge(shown.answer(*obedient, good), sheet, inputs)
    refused = {each.index for each in validated.rejected} | {each.index for each in validated.duplicates}
    # A name that is spelled like a reference is one reference of this request, and no more than that.
    expected = range(3, len(obedient)) if text in REFERENCES else range(len(obedient))
    assert refused >= set(expected)
    assert all(item.idea.edge.subject_id in inputs.nodes for item in validated.accepted)
    assert len(validated.accepted) <= 2
    assert all(len(each.example) <= 200 for each in validated.rejected)


@pytest.mark.parametrize("text", STATEMENTS, ids=lambda text: ascii(text[:30]))
def test_a_statement_about_anything_else_is_rejected(text: str) -> None:
    sheet, shown = show(CLEAN)
    validated = judge(shown.answer(shown.idea(shown.groups[0], "Uses", statement=text)), sheet, CLEAN)
    assert [each.reason for each in validated.rejected] == ["statement_invalid"]


@pytest.mark.parametrize("text", ATTEMPTS, ids=lambda text: ascii(text[:30]))
def test_an_answer_that_is_the_attempt_itself_is_unreadable(text: str) -> None:
    sheet, _ = show(CLEAN)
    for answer in (text, json.dumps(text), json.dumps({"request": text, "ideas": []})):
        assert isinstance(read_answer(answer, sheet), Unreadable)


@pytest.mark.parametrize("text", ATTEMPTS, ids=lambda text: ascii(text[:30]))
def test_the_verifiers_question_keeps_names_aliases_values_and_evidence_in_the_fence(text: str) -> None:
    predicate = replace(PREDICATES["uses"], aliases=(text,), label=text)
    citation = Citation(f"{text} uses {text}.", (Span(0, len(text)),))
    for claim in (
        replace(make_claim(text, "uses", text), subject_names=("A", text), predicate=predicate),
        Claim(("A", text), predicate, value=TypedValue("string", text, text)),
    ):
        question = build_question(load_prompt("verifier-v1"), claim, citation, request="r", effort=None)
        shown = question.messages[0].text
        assert shown.count("<") == shown.count(">") == 2
        assert len(shown.splitlines()) == 3
        assert question.instructions == load_prompt("verifier-v1").instructions
