"""The corpus that recall is measured on, its questions, and what their answers are worth."""

import pytest

from app.cli.bench.recall.corpus import make_corpus
from app.cli.bench.recall.guesses import plant_guesses
from app.cli.bench.recall.questions import CLASSES, MAX_ANSWERS, make_questions
from app.cli.bench.recall.scores import Quality, average, judge, quantile

CORPUS = make_corpus(seed=3, relationships=3_000, teams=6)
QUESTIONS = make_questions(CORPUS, seed=3, each=30)


def test_the_same_seed_makes_the_same_and_another_one_another() -> None:
    assert make_corpus(seed=3, relationships=3_000, teams=6) == CORPUS
    assert make_questions(CORPUS, seed=3, each=30) == QUESTIONS
    assert make_corpus(seed=4, relationships=3_000, teams=6) != CORPUS
    texts = {one.text for one in QUESTIONS}
    assert not texts & {one.text for one in make_questions(CORPUS, seed=4, each=30) if one.kind == "two_hop"}


def test_the_whole_corpus_is_as_large_and_as_skewed_as_promised() -> None:
    corpus = make_corpus(seed=1, relationships=20_000, teams=50)
    sizes = [len(team.known) for team in corpus]
    assert len(sizes) == 50
    assert sum(sizes) >= 20_000
    assert sizes[0] > 10 * sizes[-1]
    assert len(make_questions(corpus, seed=1, each=120)) == 600


def test_each_class_has_its_questions_with_answers_that_are_known_and_not_bad() -> None:
    assert [one.kind for one in QUESTIONS] == [kind for kind in CLASSES for _ in range(30)]
    for one in QUESTIONS:
        assert 1 <= len(one.answers) <= MAX_ANSWERS
        assert one.answers <= set(CORPUS[one.team].known)
        assert not one.answers & one.bad
    assert sum(len(one.bad) > 0 for one in QUESTIONS) > len(QUESTIONS) / 3


def test_typos_and_aliases_are_not_the_name_and_the_second_hop_does_not_touch_it() -> None:
    for one in QUESTIONS:
        name = CORPUS[one.team].entities[one.about].name
        if one.kind in ("alias", "typo"):
            assert name.casefold() not in one.text.casefold().replace("?", "").split("  ")
        if one.kind == "typo":
            assert name not in one.text
        if one.kind == "two_hop":
            assert all(one.about not in (known.subject, known.object) for known in one.answers)


def test_guesses_rest_on_answers_and_decoys_do_not() -> None:
    planted = plant_guesses(CORPUS, QUESTIONS, seed=3)
    assert {one.question is None for one in planted} == {True, False}
    for one in planted:
        assert one.target not in CORPUS[one.team].known
        if one.question is not None:
            assert set(one.sources) & QUESTIONS[one.question].answers


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (["a", "b"], Quality(1.0, 1.0, 1.0, 0.0)),
        (["x", "a"], Quality(0.5, 0.5, 0.386853, 0.1)),
        (["y"] * 10 + ["a"], Quality(0.0, 0.0, 0.0, 0.0)),
        ([], Quality(0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_a_list_is_judged_by_its_first_ten(shown: list[str], expected: Quality) -> None:
    found = judge(shown, {"a", "b"}, {"x"})
    assert (found.recall, found.mrr, found.bad) == (expected.recall, expected.mrr, expected.bad)
    assert found.ndcg == pytest.approx(expected.ndcg, abs=1e-6)


def test_means_and_quantiles() -> None:
    assert average([Quality(1, 1, 1, 0), Quality(0, 0, 0, 1)]) == Quality(0.5, 0.5, 0.5, 0.5)
    assert quantile([4, 1, 3, 2], 0.5) == 2
    assert quantile([4, 1, 3, 2], 0.99) == 4
