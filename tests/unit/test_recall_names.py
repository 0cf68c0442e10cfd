"""Which names a query may hold."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.nodes.names import fold_name
from app.recall.names import candidate_names, keep_longest, stripped_words


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("What depends on C++?", "C++"),
        ("What depends on C++, and why?", "C++"),
        ("(C++)", "C++"),
        ("is .NET supported", ".NET"),
        ("is it “.NET”?", ".NET"),
        ("Where is a/b used?", "a/b"),
        ("who wrote x: y", "x: y"),
        ("tell me about New York City please", "New York City"),
        ("what about STRASSE", "Straße"),
        ("cafe\u0301 hours", "Café"),
        ("我想知道人工智能的历史", "人工智能"),
        ("파이썬은 무엇인가", "파이썬"),
        ("ภาษาไพทอนคืออะไร", "ไพทอน"),
        ("who likes 👍 most", "👍"),
        ("מה זה ירושלים?", "ירושלים"),
        ('the "C" language', "C"),
        ("why O'Reilly's books", "O'Reilly's"),
        ("a   spaced \t name", "spaced name"),
    ],
)
def test_a_name_in_a_query_is_a_candidate(query: str, name: str) -> None:
    assert fold_name(name) in dict(candidate_names(query))


@pytest.mark.parametrize(
    ("query", "name"), [("Reactive streams", "React"), ("classic++", "C++"), ("nodes", "node")]
)
def test_a_part_of_a_word_is_no_name(query: str, name: str) -> None:
    assert fold_name(name) not in dict(candidate_names(query))


def test_the_longest_of_overlapping_names_wins() -> None:
    runs = candidate_names("Is C++ older than C, in New York City?")
    kept = keep_longest(runs, ["c", "c++", "york", "new york", "new york city"])
    assert set(kept) == {"c", "c++", "new york city"}
    assert len(kept["c"]) == 1  # The one that stands by itself.


def test_a_name_inside_a_longer_one_only_is_dropped() -> None:
    assert set(keep_longest(candidate_names("C++"), ["c", "c++"])) == {"c++"}


@pytest.mark.parametrize("repeated", ["*** ", "... ", "(((x))) ", "''' "])
def test_signs_again_and_again_leave_room_for_a_name(repeated: str) -> None:
    name = "alpha beta gamma delta epsilon zeta eta theta"
    query = (repeated * 200)[: 511 - len(name)] + " " + name
    assert name in dict(candidate_names(query))


def test_a_long_query_has_bounded_candidates() -> None:
    assert len(candidate_names("人" * 256 + "工" * 256)) < 7_000
    assert len(candidate_names(" ".join(f"((w{number}" for number in range(73)))) < 7_000


@given(st.text(max_size=512))
def test_any_query_has_candidates_that_are_folded_and_lie_in_it(query: str) -> None:
    text = unicodedata.normalize("NFC", query)
    runs = candidate_names(query)
    assert len(runs) == len(set(runs))
    assert [name for name, _ in runs] == [fold_name(text[start:end]) for _, (start, end) in runs]
    assert [name for name, _ in stripped_words(text)] == [
        fold_name(text[start:end]) for _, (start, end) in stripped_words(text)
    ]


@given(
    st.lists(st.sampled_from(["C++", ".NET", "a/b", "New York", "人工智能", "👍"]), min_size=1, max_size=4)
)
def test_every_name_is_found_among_others(names: list[str]) -> None:
    runs = candidate_names(", ".join(names))
    assert {fold_name(name) for name in names} <= set(dict(runs))
