"""Properties of the lexical verifier that hold for any text and any spans."""

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.vocabulary import Polarity, Predicate, Span, TypedValue
from app.remember.claim import Citation, Claim
from app.remember.lexical.judge import judge_lexically
from app.remember.lexical.sentences import split_sentences
from app.remember.lexical.tokens import name_tokens, tokenize
from tests.unit.lexical_case import Case, cite, make_claim
from tests.unit.lexical_cases import CASES
from tests.unit.lexical_other_traps import OTHER_TRAPS
from tests.unit.lexical_traps import TRAPS

ENTAILED_SENTENCES = [
    case for case in CASES if case.label == "E" and case.polarity == "+" and "\n" not in case.text
]
WORDS = st.sampled_from(
    [
        *("FastAPI", "Starlette", "depends", "on", "not", "may", "and", "does", "that", "it is false that "),
        *(",", ".", "?", "(", ")", '"', "; ", " ", "\n", "\n\n", "\r\n", "\u200d", "搜索", "🦊"),
        *("Name: FastAPI", "Requires-Dist: Starlette"),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(WORDS, max_size=30).map("".join), st.lists(WORDS).map(" ".join)
)
SPANS = st.lists(st.builds(Span, st.integers(-3, 220), st.integers(-3, 220)), max_size=5).map(tuple)
NAMES = st.lists(
    st.one_of(st.text(max_size=12), st.sampled_from(["FastAPI", "Starlette"])), min_size=1, max_size=3
)


@given(
    content=TEXTS,
    spans=SPANS,
    subjects=NAMES.map(tuple),
    objects=NAMES.map(tuple),
    predicate=st.sampled_from(SEEDED_PREDICATES),
    value=st.one_of(st.none(), st.just(TypedValue("number", "5", "km"))),
    polarity=st.sampled_from(["+", "-"]),
)
def test_no_text_and_no_spans_make_it_raise(
    content: str,
    spans: tuple[Span, ...],
    subjects: tuple[str, ...],
    objects: tuple[str, ...],
    predicate: Predicate,
    value: TypedValue | None,
    polarity: Polarity,
) -> None:
    claim = Claim(
        subjects,
        predicate,
        () if value else objects,
        value,
        polarity=polarity,
    )

    judgement = judge_lexically(claim, Citation(content, spans))

    assert judgement.verdict in ("entailed", "insufficient", "contradicted")
    assert 0.0 <= judgement.confidence <= 1.0
    assert judgement.rationale.endswith(".")
    assert judgement.code


@given(
    case=st.sampled_from(ENTAILED_SENTENCES),
    word=st.sampled_from(
        ["not", "may", "might", "could", "never", "possibly", "if", "unless", "allegedly", "NOT"]
    ),
    place=st.integers(0, 40),
)
def test_a_negation_or_hedge_inserted_anywhere_in_the_sentence_ends_the_entailment(
    case: Case, word: str, place: int
) -> None:
    content = cite(case.text).content
    assume(len(split_sentences(content)) == 1)
    parts = content.split(" ")
    changed = " ".join([*parts[:place], word, *parts[place:]])

    judgement = judge_lexically(case.claim, Citation(changed, (Span(0, len(changed)),)))

    assert judgement.verdict != "entailed"


@given(
    side=st.sampled_from(["before", "after"]),
    which=st.sampled_from(["FastAPI", "Starlette"]),
    glue=st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=3),
    joiner=st.sampled_from(["", "-", "_", "/", ".", "+", "#", "'"]),
)
def test_a_name_inside_a_longer_token_is_not_named(side: str, which: str, glue: str, joiner: str) -> None:
    longer = f"{glue}{joiner}{which}" if side == "before" else f"{which}{joiner}{glue}"
    content = "FastAPI depends on Starlette.".replace(which, longer)

    judgement = judge_lexically(
        make_claim("FastAPI", "depends_on", "Starlette"), Citation(content, (Span(0, len(content)),))
    )

    assert judgement.verdict == "insufficient"


@given(text=st.sampled_from(TRAPS), spans=SPANS)
def test_no_choice_of_spans_makes_a_trap_entailed(text: str, spans: tuple[Span, ...]) -> None:
    claim = make_claim("FastAPI", "depends_on", "Starlette")

    assert judge_lexically(claim, Citation(text, spans)).verdict != "entailed"


@given(case=st.sampled_from(OTHER_TRAPS), spans=SPANS)
def test_no_choice_of_spans_makes_another_trap_entailed(case: Case, spans: tuple[Span, ...]) -> None:
    assert judge_lexically(case.claim, Citation(case.citation.content, spans)).verdict != "entailed"


@given(case=st.sampled_from(CASES), spans=SPANS)
def test_a_part_never_entails_what_the_whole_does_not(case: Case, spans: tuple[Span, ...]) -> None:
    content = case.citation.content
    if judge_lexically(case.claim, Citation(content, spans)).verdict == "entailed":
        assert judge_lexically(case.claim, Citation(content, (Span(0, len(content)),))).verdict == "entailed"


@given(content=TEXTS)
def test_tokens_are_in_order_and_leave_out_white_space_only(content: str) -> None:
    tokens = tokenize(content)

    assert [content[token.start : token.end] for token in tokens] == [token.text for token in tokens]
    assert "".join(token.text for token in tokens) == "".join(content.split())
    assert all(first.end <= second.start for first, second in itertools.pairwise(tokens))


@given(content=TEXTS)
def test_sentences_are_in_order_and_leave_out_white_space_only(content: str) -> None:
    sentences = split_sentences(content)

    kept = "".join(content[sentence.start : sentence.end] for sentence in sentences)
    assert "".join(kept.split()) == "".join(content.split())
    assert [sentence.number for sentence in sentences] == list(range(len(sentences)))


@given(name=st.text(max_size=30))
def test_a_name_is_found_where_it_stands_alone(name: str) -> None:
    wanted = name_tokens(name)

    assert wanted == () or tuple(token.folded for token in tokenize(name)) == wanted
