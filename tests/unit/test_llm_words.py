"""What a model's own words may hold: prose about names, and nothing that a reader obeys, follows or cannot see."""

import pytest

from app.llm.words import NO_WARDENS, find_words_fault, is_unseen
from tests.unit.growth import grows_evenly

UNSEEN, MARKUP, ADDRESS = (
    f"a text holds {what}" for what in ("control or format characters", "markup", "an address")
)
NAMES = ("img", "script", "/script", "a", "here", "x", "](//evil.example/p.png", "asp.net", "List<int>")


def find(text: str, *names: str) -> str | None:
    return find_words_fault(text, names, NO_WARDENS)


@pytest.mark.parametrize(
    "text",
    [
        "Look <img src=x onerror=alert(1)> here",
        "<script src=x></script>",
        "<a href=x>click</a>",
        "See [here](x) now",
        "See ![x](x)",
        "See ![x][y]",
        "See [x](y)",
        "[x]: y",
        "&lt;script&gt;",
        "&#60;img",
        "&#x3c;img",
        "&lt script",
        "%3Cscript%3E",
        r"\u003cscript and \x3cscript",
        "＜img src=x＞",
        "﹤img src=x﹥",
        "{{x}}",
        "{% x %}",
        "~~~x",
        "List<int>x",
        "List<int>&lt;",
    ],
)
def test_a_name_opens_no_tag_and_ends_no_link(text: str) -> None:
    assert find(text) == find(text, *NAMES) == MARKUP


@pytest.mark.parametrize(
    "text",
    [
        "See //evil.example/p.png",
        "See evil.example/",
        "See …evil.example/x",
        "See evil.example.com/c?x=1 for more",
        "See evil.xn--p1ai/x",
        "See пример.испытание/x",
        "See evil.example_/x",
        "See evil.example:8080/x",
        "See evil.example./x",
        "See evil.example#x",
        r"See evil.example\x",
        "See evil。example/x",
        "See evil｡example/x",
        "See evil.c0m/x",
        "See localhost:8080/x",
        "See localhost/x",
        "See intranet:8080/x",
        "See http:evil",
        "See 192.0.2.1/x",
        "See 192.0.2.1:80",
        "me@163.com",
        "me@v3.example",
        "See data:text/html;base64,PHNjcmlwdD4=",
        "Call tel:+491234",
        "javascript:alert(1)",
        "https://a.example/x",
        "WWW.x",
        "me@evil.example",
        "asp.net/evil",
        "asp.net:80/evil",
        "asp.net?evil=1",
        "asp.net.evil.example/x",
        "evil.asp.net/x",
        "me@asp.net",
        "//asp.net",
        "https://asp.net",
    ],
)
def test_an_address_is_excused_by_no_part_of_it(text: str) -> None:
    assert find(text) == find(text, *NAMES) == ADDRESS


@pytest.mark.parametrize(
    "one",
    "\u3164\u115f\u1160\uffa0\u2800\u034f\u180b\u180f\u17b4\u17b5\ufe0f\U000e0041\U000e0fff\u200b\x1b\u2028",
)
def test_what_nobody_sees_is_found_wherever_it_stands(one: str) -> None:
    assert is_unseen(one)
    assert find(f"They{one} share a library.", "share", "They") == UNSEEN
    assert find(f"Th{one}ey share a library.", f"Th{one}ey") is None


JOINED = "\u0645\u06cc{0}\u0631\u0648\u062f \u0915\u094d{0}\u0937 \u0d28\u0d4d{0}\u0d31"
FAMILY = "\U0001f468\u200d\U0001f469\U0001f3fd\u200d\U0001f467"


@pytest.mark.parametrize(
    "text",
    [
        *(JOINED.format(one) for one in "\u200c\u200d"),
        *(FAMILY, "\u2764\ufe0f", "\u2764\ufe0f\u200d\U0001f525", "1\ufe0f\u20e3", "\u2194\ufe0f"),
    ],
)
def test_what_shapes_letters_or_makes_one_picture_of_two_is_no_unseen_character(text: str) -> None:
    assert find(f"It says {text}.") is None


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a\u200cb",
            "\u0645\u200c",
            "\u0645\u200cb",
            "\u200c\u0645",
            "\u0645\u200c\u200c\u0645",
            "\u061f\u200d\u0645",
        ),
        *("\u2764\ufe0f\ufe0f", "a\ufe0f", "1\ufe0f", "+\ufe0f", "\U0001f468\u200d", "\U0001f468\u200da"),
        *("\U0001f468\u200d\u200d\U0001f467", "\U0001f468\u200c\U0001f467", "\u2800\ufe0f", "\u2764\ufe0e"),
        "\U0001f3f4\U000e0067\U000e007f",
    ],
)
def test_elsewhere_it_is_one(text: str) -> None:
    assert find(f"It says {text}.") == find(text) == UNSEEN


@pytest.mark.parametrize(
    "text",
    [
        "It uses asp.net.",
        "(asp.net)",
        "asp.net: a framework, as is asp.net?",
        "List<int> is one, and x.",
        "FastAPI 0.115.2, e.g. for U.S. teams and/or others, at 10:30: 3 < 4 & 5.",
        "The data: it holds. AT&T; R&D; C++, C#, @angular/core.",
        "Wörter, слова, 言葉。次の文。",
        "It speaks of Node.js, of package.json, setup.py and os.path: evil.example.",
        "It uses B.It has 1.2.3.4 or 2.0/3.0, and react@18.2.0, react@18, react@v18.0.0-rc.1.",
        "At 10:30/11:00 the ratio was 3:1/2. Is it Next.js? It is.",
        "See [1][2], [a] [b] and f[0] (or none).",
        "说它用List<int>，而List<int>的长度。",
    ],
)
def test_prose_about_names_is_kept(text: str) -> None:
    assert find(text, *NAMES) is None


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "1.",
        "-",
        ".",
        "//",
        "[",
        "]",
        "&#",
        "a-",
        "a@",
        "\\",
        "<",
        "a ",
        "a。",
        "a1:",
        "a@1.",
        "a:80/",
    ],
)
def test_a_text_is_looked_through_in_time_in_proportion(unit: str) -> None:
    # Longer than any that is let in: where the time is short, the clock's grain would hide how it grows.
    names = [unit * times for times in range(1, 80)]
    assert grows_evenly(lambda text: find(text, *names), unit, longest=4_000)
