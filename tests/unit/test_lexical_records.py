"""The record form: whole cited lines of one record."""

import pytest

from app.ledger.vocabulary import Span, TypedValue
from app.remember.claim import Citation
from app.remember.lexical.judge import judge_lexically
from tests.unit.lexical_case import cite, make_claim


def _code(marked: str, *, subject: str = "fastapi", object_: str = "starlette") -> str:
    return judge_lexically(make_claim(subject, "depends_on", object_), cite(marked)).code


@pytest.mark.parametrize(
    "requirement",
    [
        "starlette",
        "starlette>=0.40",
        "starlette >=0.40,<2",
        "starlette (>=0.40)",
        "starlette[full]>=0.40",
        "starlette[full,extra] ~= 1.0",
        "starlette==1.*",
        "Starlette !=0.38.0,>=0.37",
    ],
)
def test_a_requirement_names_the_distribution(requirement: str) -> None:
    assert _code(f"[[Name: fastapi]]\n[[Requires-Dist: {requirement}]]\n") == "record_states"


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ('[[Name: fastapi]]\n[[Requires-Dist: starlette; extra == "all"]]', "record_conditional"),
        ('[[Name: fastapi]]\n[[Requires-Dist: starlette]]; extra == "all"', "record_conditional"),
        ("[[Name: fastapi]]\n[[Requires-Dist: starlette; python_version < '3']]", "record_conditional"),
        ("[[Name: fastapi]]\nRequires-Dist: [[starlette]]", "record_line_cut"),
        ("Name: fastapi\n[[Requires-Dist: starlette]]", "record_name_missing"),
        ("[[Name: fast]]api\n[[Requires-Dist: starlette]]", "record_name_missing"),
        ("[[Name: other]]\n[[Requires-Dist: starlette]]", "record_name_missing"),
        ("[[Name: fastapi]]\n[[Requires-Dist: starlette]]\n  or something", "record_continues"),
        ("[[Name: fastapi]]\nName: other\n[[Requires-Dist: starlette]]", "record_ambiguous"),
        ("[[Name: fastapi]]\n\n[[Requires-Dist: starlette]]", "record_ambiguous"),
        ("None of this holds\n[[Name: fastapi]]\n[[Requires-Dist: starlette]]", "record_ambiguous"),
        ("Suppose this were so:\n\n[[Name: fastapi]]\n[[Requires-Dist: starlette]]", "record_doubtful"),
        ("[[Name: fastapi]]\n[[Requires-Dist: starlette-extras]]", "record_value_differs"),
        ("[[Name: fastapi]]\n[[Requires-Dist: starlette or flask]]", "record_value_differs"),
        ("[[Name: fastapi]]\n[[Requires-Dist: starlette>=1 maybe]]", "record_value_differs"),
    ],
)
def test_a_record_that_does_not_carry_the_claim_says_why(marked: str, code: str) -> None:
    assert _code(marked) == code


def test_a_plain_introduction_leaves_the_record_alone() -> None:
    text = "The metadata of the package:\n\n[[Name: fastapi]]\n[[Requires-Dist: starlette]]\n\nA description."

    assert _code(text) == "record_states"


def test_one_span_over_several_lines_counts_like_several_spans() -> None:
    assert _code("[[Name: fastapi\nVersion: 1\nRequires-Dist: starlette]]") == "record_states"


def test_a_folded_value_with_lines_of_spaces_does_not_end_the_record() -> None:
    assert (
        _code("[[Name: fastapi]]\nLicense: MIT\n        \n        All of it\n[[Requires-Dist: starlette]]")
        == "record_states"
    )


def test_windows_line_ends_count_like_any() -> None:
    assert _code("Name: fastapi\r\nRequires-Dist: starlette\r\n") == "record_states"


def test_another_spelling_is_another_name_unless_it_is_an_alias() -> None:
    record = "[[Name: fastapi]]\n[[Requires-Dist: typing_extensions>=4]]"

    assert _code(record, object_="typing-extensions") == "record_value_differs"
    assert _code(record, object_="typing_extensions") == "record_states"


@pytest.mark.parametrize(
    ("line", "predicate", "object_", "entailed"),
    [
        ("License: MIT", "licensed_under", "MIT", True),
        ("License-Expression: MIT", "licensed_under", "MIT", True),
        ("License-Expression: MIT OR Apache-2.0", "licensed_under", "MIT", False),
        ("License: UNKNOWN", "licensed_under", "UNKNOWN", False),
        ("License: MIT (see file)", "licensed_under", "MIT", False),
        ("License-File: MIT", "licensed_under", "MIT", False),
        ("Classifier: License :: OSI Approved :: MIT License", "licensed_under", "MIT License", True),
        ("Classifier: License :: OSI Approved", "licensed_under", "OSI Approved", False),
        ("Classifier: Topic :: Software Development", "has_topic", "Software Development", True),
        ("Classifier: Topic :: Internet :: WWW/HTTP", "has_topic", "Internet :: WWW/HTTP", True),
        ("Classifier: Topic :: Internet :: WWW/HTTP", "has_topic", "WWW/HTTP", False),
        ("Classifier: Framework :: FastAPI", "has_topic", "FastAPI", False),
        ("Classifier: Programming Language :: Python", "written_in", "Python", True),
        ("Requires-Python: >=3.11", "requires_python", TypedValue("string", ">=3.11"), True),
        ("Requires-Python: >=3.11,<4", "requires_python", TypedValue("string", ">=3.11"), False),
        ("Version: 0.165.0", "has_version", TypedValue("string", "0.165.0"), True),
        ("Metadata-Version: 2.4", "has_version", TypedValue("string", "2.4"), False),
    ],
)
def test_metadata_lines_state_their_predicate_exactly(
    line: str, predicate: str, object_: str | TypedValue, entailed: bool
) -> None:
    content = f"Metadata-Version: 2.4\nName: pkg\n{line}\n"
    start = content.index("Name")

    judgement = judge_lexically(
        make_claim("pkg", predicate, object_), Citation(content, (Span(start, len(content)),))
    )

    if line.startswith("Metadata-Version"):
        assert judgement.verdict == "insufficient"
    else:
        assert (judgement.verdict == "entailed") is entailed


def test_a_record_does_not_deny() -> None:
    claim = make_claim("fastapi", "depends_on", "starlette", polarity="-")

    judgement = judge_lexically(claim, cite("[[Name: fastapi]]\n[[Requires-Dist: starlette]]"))

    assert (judgement.verdict, judgement.code) == ("insufficient", "states_the_opposite")
