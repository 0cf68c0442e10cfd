"""The order of judging: which reason is given, polarity, spans, neighbours, names; and the port around it."""

import inspect
import threading
from dataclasses import replace

import pytest

from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.ledger.vocabulary import Predicate, Span, TypedValue
from app.remember import lexical
from app.remember.claim import Citation, Claim, Judgement
from app.remember.lexical import judge as judge_module
from app.remember.lexical import verifier as verifier_module
from app.remember.lexical.forms import predicate_forms
from app.remember.lexical.judge import judge_lexically
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.verify import Verifier
from tests.unit.lexical_case import cite, make_claim

CLAIM = make_claim("FastAPI", "depends_on", "Starlette")
DENIAL = make_claim("FastAPI", "depends_on", "Starlette", polarity="-")


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ("FastAPI depends on Starlette.", "sentence_states"),
        ("It [[depends on Starlette]].", "subject_not_cited"),
        ("[[FastAPI depends on]] it.", "object_not_cited"),
        ("FastAPI resembles Starlette.", "predicate_not_cited"),
        ("Does FastAPI depend on Starlette?", "question"),
        ('They wrote "FastAPI depends on Starlette".', "quoted"),
        ("The docs say FastAPI depends on Starlette.", "attributed"),
        ("FastAPI depends on Starlette unless configured.", "conditional"),
        ("FastAPI may depend on Starlette.", "hedged"),
        ("FastAPI hardly depends on Starlette.", "negation_unclear"),
        ("FastAPI depends on Starlette. That is not true.", "taken_back"),
        ("FastAPI depends on a fork of Starlette.", "order_not_recognised"),
        ("FastAPI depends on Starlette.\n\nFastAPI does not depend on Starlette.", "sentences_disagree"),
        ("FastAPI does not depend on Starlette.", "sentence_denies"),
    ],
)
def test_the_reason_names_what_stands_in_the_way(marked: str, code: str) -> None:
    assert judge_lexically(CLAIM, cite(marked)).code == code


@pytest.mark.parametrize(
    "spans",
    [(), (Span(0, 99),), (Span(-1, 5),), (Span(5, 5),), (Span(5, 3),), (Span(0, 2),) * 5],
)
def test_impossible_spans_are_insufficient(spans: tuple[Span, ...]) -> None:
    judgement = judge_lexically(CLAIM, Citation("FastAPI depends on Starlette.", spans))

    assert (judgement.verdict, judgement.code) == ("insufficient", "span_invalid")


def test_the_worked_example_of_the_dreaming_text_is_entailed() -> None:
    content = "The user confirmed that Dense-Mem benefits from explicit search freshness."
    claim = make_claim("Dense-Mem", "benefits_from", "search freshness")

    assert len(content) == 74
    assert judge_lexically(claim, Citation(content, (Span(0, 73),))).verdict == "entailed"


def test_words_between_lower_the_confidence() -> None:
    near = judge_lexically(CLAIM, cite("FastAPI depends on Starlette."))
    far = judge_lexically(CLAIM, cite("FastAPI depends on flexible Starlette."))

    assert (near.verdict, far.verdict) == ("entailed", "entailed")
    assert near.confidence > far.confidence


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI does not depend on Starlette.",
        "FastAPI doesn\u2019t depend on Starlette.",
        "FastAPI no longer depends on Starlette.",
        "FastAPI does not depend on Starlette anymore.",
        "FastAPI does not depend on Starlette at all.",
        "FastAPI never depends on Starlette.",
        "It is not true that FastAPI depends on Starlette.",
        "We verified that FastAPI does not depend on Starlette.",
    ],
)
def test_a_negated_form_entails_the_negative_claim_and_contradicts_the_positive_one(text: str) -> None:
    assert judge_lexically(DENIAL, cite(text)).verdict == "entailed"
    assert judge_lexically(CLAIM, cite(text)).verdict == "contradicted"


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI does not depend on explicit Starlette.",
        "FastAPI does not depend on Starlette for routing.",
        "FastAPI does not depend on Starlette and Flask.",
        "FastAPI does not directly depend on Starlette.",
        "FastAPI does not depend on Starlette plugins.",
        "It is not true that FastAPI does not depend on Starlette.",
        "FastAPI may not depend on Starlette.",
        "They say FastAPI does not depend on Starlette.",
        "FastAPI does not depend on Starlette yet.",
        "FastAPI does not depend on Starlette. That is wrong.",
        "FastAPI depends on Starlette.",
    ],
)
def test_a_narrowed_or_doubtful_denial_denies_nothing(text: str) -> None:
    assert judge_lexically(DENIAL, cite(text)).verdict == "insufficient"
    assert judge_lexically(CLAIM, cite(text)).verdict in ("insufficient", "entailed")


def test_the_denial_itself_must_be_cited_to_entail_a_negative_claim() -> None:
    judgement = judge_lexically(DENIAL, cite("[[FastAPI]] does not [[depend on Starlette]]."))

    assert judgement.verdict == "insufficient"


@pytest.mark.parametrize("subject", ["It is not true that FastAPI", "Never FastAPI", "perhaps FastAPI"])
def test_a_name_that_swallows_the_negation_does_not_hide_it(subject: str) -> None:
    claim = make_claim(subject, "depends_on", "Starlette")

    for text in (f"{subject} depends on Starlette.", f"We verified that {subject} depends on Starlette."):
        assert judge_lexically(claim, cite(text)).verdict != "entailed"


@pytest.mark.parametrize(
    ("subject", "object_"),
    [
        ("C++", "a/b"),
        (".NET", "x: y"),
        ("Free Software Foundation", "United States"),
        ("搜索引擎", "🦀"),
        ("Yahoo!", "Foo Inc."),
        ('The "Best" Tool', "שלום עולם"),
        ("May Foundation", "Will"),
        ("f(x)", "O'Reilly"),
    ],
)
def test_names_with_signs_scripts_and_cue_words_are_recognised(subject: str, object_: str) -> None:
    claim = make_claim(subject, "depends_on", object_)

    assert (
        judge_lexically(claim, cite(f"The team confirmed that {subject} depends on {object_}.")).verdict
        == "entailed"
    )


def test_an_alias_counts_as_the_name() -> None:
    claim = replace(CLAIM, object_names=("typing-extensions", "typing_extensions"))

    assert judge_lexically(claim, cite("FastAPI depends on typing_extensions.")).verdict == "entailed"


def test_the_inverse_counts_only_where_it_is_given() -> None:
    claim = make_claim("Linux", "created_by", "Linus Torvalds")
    text = cite("Linus Torvalds is the creator of Linux.")

    assert judge_lexically(claim, text).verdict == "entailed"
    assert judge_lexically(replace(claim, inverse=None), text).verdict == "insufficient"


def test_a_symmetric_predicate_reads_both_ways() -> None:
    text = cite("trio is compatible with httpx.")

    assert judge_lexically(make_claim("httpx", "compatible_with", "trio"), text).verdict == "entailed"
    assert judge_lexically(make_claim("httpx", "depends_on", "trio"), text).verdict == "insufficient"


def test_a_unit_must_be_cited_with_its_number() -> None:
    claim = make_claim("Paris", "has_population", TypedValue("number", "5", "km"))

    assert judge_lexically(claim, cite("Paris has a population of 5 km.")).verdict == "entailed"
    assert judge_lexically(claim, cite("Paris has a population of 5.")).verdict == "insufficient"


def test_a_predicate_of_a_team_is_read_by_its_phrase_aliases_label_and_key() -> None:
    predicate = Predicate(
        key="reports_to", version=1, label="Reports to", verb_phrase="reports to", aliases=("answers to",)
    )
    claim = Claim(("the desk",), predicate, ("the board",))

    for text in (
        "The desk reports to the board.",
        "The desk answers to the board.",
        "The board is reported to by the desk.",
    ):
        assert judge_lexically(claim, cite(text)).verdict == "entailed", text


@pytest.mark.parametrize("key", sorted(SEEDED_BY_KEY))
def test_every_seeded_predicate_has_affirmative_and_negated_forms(key: str) -> None:
    forms = predicate_forms(SEEDED_BY_KEY[key])

    assert any(not form.negated and not form.reversed for form in forms)
    assert any(form.negated and not form.reversed for form in forms)


def test_the_rationale_is_one_sentence_without_evidence_text() -> None:
    judgement = judge_lexically(CLAIM, cite("FastAPI depends on Starlette."))

    assert "FastAPI" not in judgement.rationale
    assert judgement.rationale.count(".") == 1


def test_a_claim_has_exactly_one_object_form() -> None:
    with pytest.raises(ValueError, match="either object names or a value"):
        Claim(("a",), SEEDED_BY_KEY["uses"])


def test_the_quote_is_the_spans_joined_by_newlines() -> None:
    assert Citation("abcdef", (Span(0, 2), Span(4, 6))).quote == "ab\nef"


async def test_the_lexical_verifier_answers_through_the_port() -> None:
    verifier: Verifier = LexicalVerifier()

    answer = await verifier.judge(CLAIM, cite("FastAPI depends on Starlette."))

    assert isinstance(answer, Judgement)
    assert answer.verdict == "entailed"
    assert (verifier.kind, verifier.version) == ("lexical", "lexical-v1")


@pytest.mark.parametrize(("words", "is_aside"), [(10, False), (300, True)])
async def test_long_evidence_is_judged_beside_the_event_loop(
    words: int, is_aside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def judge(claim: Claim, citation: Citation) -> Judgement:
        threads.append(threading.current_thread())
        return judge_lexically(claim, citation)

    monkeypatch.setattr(verifier_module, "judge_lexically", judge)
    citation = cite("[[FastAPI depends on Starlette.]]" + " Yes." * words)
    assert await LexicalVerifier().judge(CLAIM, citation) == judge_lexically(CLAIM, citation)
    assert [thread is not threading.current_thread() for thread in threads] == [is_aside]


def test_every_code_is_explained_in_the_package_docstring() -> None:
    package = inspect.getdoc(lexical)

    assert package is not None
    assert [code for code in judge_module.RATIONALES if f"`{code}`" not in package] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("FastAPI's router depends on Starlette.", "subject_possessive"),
        ("FastAPI depends on Starlette\u2019s router.", "object_possessive"),
        ("FastAPIs depends on Starlette.", "subject_not_cited"),
    ],
)
def test_a_name_that_is_only_an_owner_is_said_to_be_one(text: str, code: str) -> None:
    assert judge_lexically(CLAIM, cite(text)).code == code
