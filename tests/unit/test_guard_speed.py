"""No text of 100 kB can be made that keeps the guard busy: twice the text takes about twice the time."""

import unicodedata

import pytest

from app.remember.guard import mask
from app.remember.guard.folding import fold
from app.remember.guard.guard import guard_submission
from app.remember.guard.injection import find_injection
from app.remember.guard.mask import mask_text
from app.remember.guard.reading import read
from app.remember.guard.secrets import Secret, find_secrets
from app.remember.submission import EvidenceItem, Submission
from tests.unit.growth import grows_evenly


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "я",
            "a1",
            "%%",
            "<style>.a{display:none}",
            '[a](b "',
            "user: ",
            "a b c ",
            "AAAABBBB ",
            "系统",
            "ﷺ",
        ),
        *("\u0301\u0327", "\u05b0\u0323"),
    ],
)
def test_looking_for_injection_takes_time_in_proportion(piece: str) -> None:
    assert grows_evenly(find_injection, piece)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "password=a ",
            "password for a ",
            "password (a) ",
            "user,password\na,b1c2\n",
            "use a as ",
            "pin a ",
            "auth=('a', ",
            "ghp_a\n",
            "MHcCAQEEaaaaaaaa ",
            "pwd=a b;",
            "creds: a ",
            "mysql -p'",
            "echo a | ",
            "$6$a$",
            "é",
            "ａ",
            "ﷺ",
            "\u0301\u0327",
            "é\u0327\u05b0\u0323",
        ),
        *("BEGIN PRIVATE KEY ", "-----BEGIN PRIVATE KEY-----", "Private-Lines: 9\n", "0x" + "9f" * 32 + " "),
    ],
)
def test_looking_for_secrets_takes_time_in_proportion(piece: str) -> None:
    assert grows_evenly(find_secrets, piece)


@pytest.mark.parametrize(
    "line",
    [
        "a=b password={:05d}k ",
        "The billing service (v{}.4) depends on PostgreSQL 18; its tokens: see `README.md`, section 3.\n",
    ],
)
def test_a_whole_submission_takes_time_in_proportion(line: str) -> None:
    def guard(text: str) -> object:
        words = "".join(map(line.format, range(len(text) // len(line))))
        contents = [words[at : at + 4000] for at in range(0, len(words), 4000)]
        return guard_submission(Submission(tuple(map(EvidenceItem, contents))))

    assert grows_evenly(guard, " ")


@pytest.mark.parametrize(
    "piece",
    [
        *("password=;api_key password=://u:", "password=-p ", ": password=", "pwd=a b;"),
        *("a=b password=", "a=b password=key ", "password=█password "),
    ],
)
def test_masking_reads_a_text_a_few_times_at_most(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 0
    find_uncovered = mask._uncovered

    def count(text: str) -> list[Secret]:
        nonlocal rounds
        rounds += 1
        return find_uncovered(text)

    monkeypatch.setattr(mask, "_uncovered", count)
    mask_text(piece * 200)
    assert rounds <= 4


def test_no_character_is_read_as_more_than_four() -> None:
    for character in filter(unicodedata.decomposition, map(chr, range(0x110000))):
        assert len(read(character).text) <= 4, hex(ord(character))
        assert len(fold(character)) <= 4, hex(ord(character))
