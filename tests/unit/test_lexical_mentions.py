"""A short form of a name, introduced right after it, is part of the mention; nothing else is."""

import pytest

from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.ledger.vocabulary import Span, Verdict
from app.remember.claim import Citation, Claim
from app.remember.lexical.judge import judge_lexically
from app.remember.lexical.mentions import is_short_for
from tests.unit.lexical_traps import TRAPS

KUBERNETES = ("Kubernetes", "K8s")
CNCF = ("CNCF", "Cloud Native Computing Foundation")


def judge(text: str, subjects: tuple[str, ...] = KUBERNETES, objects: tuple[str, ...] = CNCF) -> Verdict:
    predicate = SEEDED_BY_KEY["maintained_by"]
    claim = Claim(subjects, predicate, objects, inverse=SEEDED_BY_KEY.get(predicate.inverse_key or ""))
    return judge_lexically(claim, Citation(text, (Span(0, len(text)),))).verdict


@pytest.mark.parametrize(
    "text",
    [
        "Kubernetes (K8s) is maintained by the CNCF.",
        "K8s (Kubernetes) is maintained by the CNCF.",
        "Kubernetes, also known as K8s, is maintained by the CNCF.",
        "Kubernetes (also known as K8s) is maintained by the CNCF.",
        "K8s, short for Kubernetes, is maintained by CNCF.",
        "CNCF maintains Kubernetes (K8s).",
        "The CNCF maintains K8s, short for Kubernetes.",
        "Kubernetes is maintained by the Cloud Native Computing Foundation (CNCF).",
        "Kubernetes is maintained by the CNCF (the Cloud Native Computing Foundation).",
        "The Cloud Native Computing Foundation (CNCF) maintains Kubernetes (K8s), and Kubernetes uses Go.",
        "Kubernetes (K8s) is written in Go. Kubernetes is maintained by the CNCF.",
    ],
)
def test_an_introduced_name_of_the_same_thing_is_part_of_the_mention(text: str) -> None:
    assert judge(text) == "entailed"


@pytest.mark.parametrize(
    "text",
    [
        "Kubernetes (Docker) is maintained by the CNCF.",
        "Kubernetes (K8s plugins) is maintained by the CNCF.",
        "Kubernetes (K8s?) is maintained by the CNCF.",
        "Kubernetes (not K8s) is maintained by the CNCF.",
        "Kubernetes (formerly K8s) is maintained by the CNCF.",
        "Kubernetes (a K8s) is maintained by the CNCF.",
        "Kubernetes (K8s) (deprecated) is maintained by the CNCF.",
        "Kubernetes, also known as Borg, is maintained by the CNCF.",
        "Kubernetes, never known as K8s, is maintained by the CNCF.",
        "Kubernetes, also known as K8s, may be maintained by the CNCF.",
        "Kubernetes, also known as K8s, forks are maintained by the CNCF.",
        "Kubernetes (K8s) plugins are maintained by the CNCF.",
        "Borg (Kubernetes, K8s) is maintained by the CNCF.",
        "Borg (K8s) is maintained by the CNCF.",
        "CNCF maintains Kubernetes (K8s) until 2020.",
        "CNCF maintains Kubernetes (K8s), no joke.",
        "CNCF maintains Kubernetes (legacy).",
        "Kubernetes (CNCF) is maintained by Google.",
        "Kubernetes (CNCF) is maintained by K8s.",
        "Kubernetes (legacy) is written in Go. Kubernetes is maintained by the CNCF.",
        "Kubernetes (K8s) is a myth. Kubernetes is maintained by the CNCF.",
    ],
)
def test_anything_else_beside_a_name_carries_nothing(text: str) -> None:
    assert judge(text) == "insufficient"


def test_a_name_that_is_not_the_things_own_is_no_introduction() -> None:
    assert judge("Kubernetes (K8s) is maintained by the CNCF.", subjects=("Kubernetes",)) == "insufficient"
    assert (
        judge("Kubernetes (K8s) is maintained by the CNCF.", ("Kubernetes",), ("K8s", "CNCF"))
        == "insufficient"
    )


@pytest.mark.parametrize(
    "alias",
    [
        *(
            "disputed",
            "sources disagree",
            "retired 2020",
            "unverified",
            "2019",
            "dev",
            "nicht",
            "no",
            "0",
            "❌",
        ),
        *("Bob's fork", "Texas", "K9s", "K8", "8s", "k", "kubernetes"),
    ],
)
def test_a_bracket_that_is_no_short_form_carries_nothing_whatever_names_the_thing_has(alias: str) -> None:
    text = f"Kubernetes ({alias}) is maintained by the CNCF."
    assert judge(text, subjects=("Kubernetes", alias)) == "insufficient"
    text = f"CNCF maintains Kubernetes ({alias})."
    assert judge(text, subjects=("Kubernetes", alias)) == "insufficient"


@pytest.mark.parametrize(
    ("short", "long", "is_short"),
    [
        (("cncf",), ("cloud", "native", "computing", "foundation"), True),
        (("boa",), ("bank", "of", "america"), True),
        (("ba",), ("bank", "of", "america"), True),
        (("no",), ("nordic", "office"), False),
        (("of",), ("open", "foundation"), False),
        (("k8s",), ("kubernetes",), True),
        (("k9s",), ("kubernetes",), False),
        (("i18n",), ("internationalization",), True),
        (("js",), ("javascript",), False),
        (("c", "n"), ("cloud", "native"), False),
    ],
)
def test_what_a_short_form_is_the_letters_of_the_long_one_say(
    short: tuple[str, ...], long: tuple[str, ...], is_short: bool
) -> None:
    assert is_short_for(short, long) is is_short


def test_what_denies_the_claim_is_heard_beside_an_introduced_name_too() -> None:
    assert judge("Kubernetes (K8s) is not maintained by the CNCF.") == "contradicted"
    assert (
        judge("Kubernetes is maintained by the CNCF. Kubernetes (K8s) is not maintained by the CNCF.")
        == "insufficient"
    )


@pytest.mark.parametrize(
    ("subject", "object_"),
    [
        ("FastAPI (F5I)", "Starlette"),
        ("FastAPI", "Starlette (S7e)"),
        ("FastAPI, also known as F5I,", "S7e, short for Starlette"),
    ],
)
def test_no_trap_opens_by_a_name_that_is_introduced_in_it(subject: str, object_: str) -> None:
    claim = Claim(("FastAPI", "F5I"), SEEDED_BY_KEY["depends_on"], ("Starlette", "S7e"))
    texts = [trap.replace("FastAPI", subject).replace("Starlette", object_) for trap in TRAPS]
    opened = [
        text
        for text in texts
        if judge_lexically(claim, Citation(text, (Span(0, len(text)),))).verdict == "entailed"
    ]
    assert opened == []
