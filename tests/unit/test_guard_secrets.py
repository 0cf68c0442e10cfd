"""Secrets: none of the seeded ones remains, no technical text is touched, and lengths stay."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.remember.guard.mask import KnownSecrets, mask_json, mask_text
from app.remember.guard.secret_formats import MASK
from app.remember.guard.secrets import find_secrets
from tests.unit.guard_lines import BENIGN
from tests.unit.guard_more_secrets import MORE_SEEDED, MORE_UNTOUCHED
from tests.unit.guard_secret_variants import LOOKALIKES, VARIANTS
from tests.unit.guard_secrets import MIXED, SEEDED, UNTOUCHED

PIECES = st.sampled_from(
    [
        *(
            "password",
            "Passwort",
            "api_key",
            "token",
            "secret",
            "=",
            ": ",
            '"',
            "'",
            "://u:",
            "@host",
            "Bearer ",
            "\n",
        ),
        *(
            "hunter2",
            MIXED[:40],
            "ghp_" + MIXED[:36],
            "eyJ" + MIXED[:20] + ".",
            "AKIA",
            "-----BEGIN ",
            "PRIVATE KEY-----",
        ),
        *(
            MASK,
            "?sig=",
            "&",
            ";",
            " is ",
            "--",
            "İ",
            "密码",
            "\\",
            "\r\n",
            "\ud800",
            "-----END PRIVATE KEY-----",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.parametrize(("text", "values"), [*SEEDED, *MORE_SEEDED])
def test_no_seeded_secret_remains(text: str, values: tuple[str, ...]) -> None:
    masked = mask_text(text)
    assert masked.counts
    assert len(masked.text) == len(text)
    for value in values:
        assert value not in masked.text
        for part in (value[:4], value[-4:]):
            assert masked.text.count(part) <= text.replace(value, "").count(part)


@pytest.mark.parametrize(("text", "value"), VARIANTS)
def test_a_secret_is_known_however_it_is_written(text: str, value: str) -> None:
    masked = mask_text(text)
    assert masked.counts
    assert len(masked.text) == len(text)
    assert value not in masked.text


@pytest.mark.parametrize("text", [*UNTOUCHED, *MORE_UNTOUCHED, *LOOKALIKES])
def test_technical_text_is_not_touched(text: str) -> None:
    assert mask_text(text).text == text


def test_benign_lines_hold_no_secrets() -> None:
    assert [line for line in BENIGN if find_secrets(line)] == []


@pytest.mark.parametrize(("text", "values"), SEEDED)
def test_spans_beside_a_secret_stay_valid(text: str, values: tuple[str, ...]) -> None:
    cited = "FastAPI depends on Starlette."
    for whole in (f"{text}\n\n{cited}", f"{cited}\n\n{text}"):
        start = whole.index(cited)
        assert mask_text(whole).text[start : start + len(cited)] == cited


@given(TEXTS)
def test_the_number_of_code_points_and_the_lines_stay(text: str) -> None:
    masked = mask_text(text).text
    assert len(masked) == len(text)
    assert all(after in (before, MASK) for before, after in zip(text, masked, strict=True))
    assert [place for place, one in enumerate(text) if one == "\n"] == [
        place for place, one in enumerate(masked) if one == "\n"
    ]


@given(TEXTS)
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask_text(text)
    assert mask_text(once.text).text == once.text
    assert not mask_text(once.text).counts


@given(TEXTS)
def test_secrets_are_in_order_and_apart(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(first.end <= second.start for first, second in pairwise(found))


@given(before=TEXTS, after=TEXTS, seeded=st.sampled_from(SEEDED))
def test_a_secret_is_found_among_any_lines(
    before: str, after: str, seeded: tuple[str, tuple[str, ...]]
) -> None:
    text, values = seeded
    masked = mask_text(f"{before}\n\n{text}\n\n{after}").text
    assert all(value not in masked[len(before) : len(masked) - len(after)] for value in values)


@example({"secret;PASSWORT": -100})
@example({"secret: hunter2hunter2;PASSWORT": -100})
@given(JSON)
def test_json_keeps_its_shape_and_masking_it_twice_changes_nothing(value: object) -> None:
    once = mask_json(value)
    assert mask_json(once.value).value == once.value
    assert shape(once.value) == shape(value)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(inner) for inner in value.values()]
    return [shape(inner) for inner in value] if isinstance(value, list) else None


def test_a_key_of_json_gives_its_value_away() -> None:
    masked = mask_json(
        {"a": [{"db": {"password": "swordfish", "pin": 4711, "user": "app", "token": "identifier"}}]}
    )
    assert masked.value == {
        "a": [{"db": {"password": MASK * 9, "pin": MASK * 4, "user": "app", "token": "identifier"}}]
    }
    assert masked.counts == {"password": 2}


def test_secrets_in_keys_are_masked_and_no_value_is_lost() -> None:
    first, second = "ghp_" + MIXED[:36], "ghp_" + MIXED[4:40]
    masked = mask_json({first: 1, second: 2})
    assert masked.value == {MASK * 40: 1, f"{MASK * 38}~2": 2}


def test_deep_nesting_is_survived() -> None:
    value: object = f"password={MIXED[:12]}"
    for _ in range(50_000):
        value = [value]
    masked = mask_json(value)
    assert masked.counts == {"password": 1}
    inner = masked.value
    while isinstance(inner, list):
        inner = inner[0]
    assert inner == f"password={MASK * 12}"


def test_nothing_of_a_secret_is_in_a_repr() -> None:
    known = KnownSecrets()
    known.learn("password = hunter2")
    known.learn("hunter2")
    assert "hunter2" not in repr((known, known.repeated(), find_secrets("password = hunter2")))
    assert mask_text("say hunter2", known.repeated()).text == f"say {MASK * 7}"
    assert json.dumps(dict(mask_text("password = hunter2").counts)) == '{"password": 1}'


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            "aA1",
            "aA1+",
            "password",
            "password=",
            "password: ",
            'password: "a',
            "secret is ",
            "token=a1b2c3d4 ",
        ),
        *(
            "://",
            "://a:",
            "://a:b",
            "@",
            "eyJ",
            "eyJaaaaaaaa.",
            "eyJaaaaaaaaa-",
            "sk-",
            "ghp_",
            "a-T3BlbkFJ-",
            "?sig=",
        ),
        *(
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "AKIAABCDEFGHIJKLMNOP ",
            "basic ",
            "login a password ",
            "key=",
        ),
        *(
            "x-amz-signature=",
            "-u a:b ",
            "hooks.slack.com/services/",
            "\\",
            '\\"',
            "x = '",
            "İ",
            "密码:",
            "pass ",
            MASK,
        ),
    ],
)
def test_finding_time_grows_with_the_length_only(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            find_secrets(text)
            best = min(best, time.process_time() - start)
        return best

    # Twenty times the text: linear is 20, quadratic 400. The constant forgives the clock's grain.
    assert seconds(40_000) < 80 * seconds(2_000) + 0.02
