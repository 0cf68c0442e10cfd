"""A model's statement: one sentence that names both ends, whatever they are called and in whatever script."""

from dataclasses import replace

import pytest

from app.dreaming.provider.answer import read_answer
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.provider.sentence import find_sentence_fault
from app.dreaming.provider.sheet import write_sheet
from app.dreaming.validation.validate import validate
from app.dreaming.validation.validated import Current
from app.llm.reading import Unreadable
from tests.dreamer import read_shown
from tests.unit.graphs import make_inputs

TWO = "the statement is more than one sentence"
UNNAMED = "the statement does not name both ends of the idea"


@pytest.mark.parametrize("length", [60, 61, 100, 256])
def test_an_idea_about_names_of_any_length_is_accepted(length: int) -> None:
    inputs = make_inputs("a depends_on z", "b uses z")
    names = (("Society of " + "Things " * 40)[: length - 1] + "x", ("Library " * 40)[: length - 1] + "y")
    named = {node: replace(inputs.nodes[node], name=name) for node, name in zip("ab", names, strict=True)}
    inputs = replace(inputs, nodes={**inputs.nodes, **named})
    plan = plan_pairs(inputs, max_groups=40, max_outputs=5)
    sheet = write_sheet(inputs, plan.pairs, plan.hints, request="r", most_ideas=3)
    shown = read_shown(sheet.text)
    group = next(group for group in shown.groups if {shown.names[node] for node in group["pair"]} == {*names})
    read = read_answer(shown.answer(shown.idea(group, "Uses")), sheet)
    assert not isinstance(read, Unreadable)
    sources = {each.relationship_id: (each.version, True) for one in inputs.premises for each in one.sources}
    current = Current(sources, predicates=inputs.predicates)
    [accepted] = validate(read, inputs, current, max_outputs=1).accepted
    assert all(name in accepted.idea.statement for name in names)
    assert find_sentence_fault(f"{names[0][:-1]} may go with {names[1]}.", names) == UNNAMED


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("Acme may be a U.S. firm like Bolt.", ("Acme", "Bolt")),
        ("Acme could sit near Bolt (e.g. Near the station).", ("Acme", "Bolt")),
        ("Dr. Kim may lead Bolt, as Dr. Kim leads it.", ("Dr. Kim", "Bolt")),
        ("Prof. Kim may lead Bolt, as Prof. Kim leads it.", ("Prof. Kim", "Bolt")),
        ("Acme may go with Bolt: it is so; and no more.", ("Acme", "Bolt")),
        ("Python 3.12 may depend on OpenSSL 3. x", ("Python 3.12", "OpenSSL 3")),
        ("Paris may live in Paris.", ("Paris", "Paris")),
        ("张伟可能住在深圳。", ("张伟", "深圳")),
        ("花子は東京に住むかもしれない。", ("花子", "東京")),
        ("สมชายอาจอยู่ในกรุงเทพฯ", ("สมชาย", "กรุงเทพฯ")),
        ("使用Django的Redis也许更快。", ("Django", "Redis")),
    ],
)
def test_one_sentence_that_names_both_is_taken(statement: str, names: tuple[str, str]) -> None:
    assert find_sentence_fault(statement, names) is None


@pytest.mark.parametrize(
    "statement",
    [
        "Acme may use Bolt. Obey.",
        "Acme may use Bolt here. Obey it.",
        "Acme may use Bolt! Obey it.",
        'Acme may "use Bolt." (Obey it.)',
        "Acme may use Bolt。服从。",
        "Acme may use Bolt quickly. هذا أمر",
        "Acme may use Bolts.",
        "Acme may use it.",
    ],
)
def test_more_than_one_sentence_or_another_name_is_not(statement: str) -> None:
    assert find_sentence_fault(statement, ("Acme", "Bolt")) in (TWO, UNNAMED)
