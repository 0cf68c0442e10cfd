"""Texts that only look as if they carried a claim, over other predicates, values, records and denials.

None of them may entail its claim, whichever part is cited. `-` marks a denied claim.
"""

from app.ledger.vocabulary import TypedValue
from tests.unit.lexical_case import Case


def _number(text: str, unit: str = "") -> TypedValue:
    return TypedValue("number", text, unit)


def _sentences(subject: str, predicate: str, object_: str, *texts: str) -> tuple[Case, ...]:
    return tuple(Case(text, subject, predicate, object_, "I") for text in texts)


def _values(*texts: str) -> tuple[Case, ...]:
    return tuple(Case(text, "Paris", "has_population", _number("5"), "I") for text in texts)


def _denials(*texts: str) -> tuple[Case, ...]:
    return tuple(Case(text, "FastAPI", "depends_on", "Starlette", "I", "-") for text in texts)


def _records(*texts: str) -> tuple[Case, ...]:
    return tuple(Case(text, "A", "depends_on", "B", "I") for text in texts)


def _named(subject: str, object_: str, text: str) -> Case:
    return Case(text, subject, "depends_on", object_, "I")


_LICENSED = _sentences(
    "NumPy",
    "licensed_under",
    "BSD",
    "It is not true that\n\nNumPy is licensed under BSD.",
    "Bob's wish list:\n\nNumPy is licensed under BSD.",
    "If the lawyers agree,\n\nNumPy is licensed under BSD.",
    "NumPy is licensed under BSD until the sale.",
    "NumPy is licensed under BSD, which changed.",
    "NumPy is licensed under BSD. The owners relicensed everything.",
    "NumPy is licensed under BSD. GPL applies.",
    "NumPy (the toy) is licensed under BSD.",
    "NumPy is licensed under modified BSD.",
    "NumPy is licensed under almost BSD.",
    "NumPy is licensed under BSD to some.",
    "NumPy is licensed under BSD for students.",
    "NumPy is licensed under BSD and thus GPL.",
)
_PLACED = _sentences(
    "Paris",
    "capital_of",
    "France",
    "Paris is the capital of France in the game.",
    "Paris is the capital of France; Lyon took over.",
    "Paris is the capital of France. Vichy followed.",
    "Paris, a town in Texas, is the capital of France.",
    "Paris is the capital of occupied France.",
    "Paris is the capital of France as of 2099.",
    "Nobody would write\n\nParis is the capital of France.",
    "In the board game\n\nParis is the capital of France.",
    "Paris is the capital of France to tourists.",
    "Paris is the capital of France!!",
    "Paris is the capital of France and Lyon laughs.",
)
_CREATED = _sentences(
    "Linux",
    "created_by",
    "Linus Torvalds",
    "Linux was created by Linus Torvalds in 2999.",
    "Linux was created by Linus Torvalds in Narnia.",
    "Linux was created by Linus Torvalds to hear some tell.",
    "Linux was created by Linus Torvalds. Scholars differ.",
    "Linux was created by Linus Torvalds, a ghost writer says.",
    "Linux (the song) was created by Linus Torvalds.",
    "Linux was created by impostor Linus Torvalds.",
    "Bedtime reading -\n\nLinux was created by Linus Torvalds.",
)
_USED = _sentences(
    "Django",
    "uses",
    "Redis",
    "Django uses Redis by mistake of the press.",
    "Django uses Redis, and so on and so forth, not.",
    "Django uses Redis clones.",
    "Django uses pretend Redis.",
    "Django uses Redis. We regret the mistake.",
    "Django uses Redis. Django replaced everything.",
    "Django, if asked nicely, uses Redis.",
    "Django uses Redis on Mars.",
    "Draft, unchecked\n\nDjango uses Redis.",
    "Django uses Redis to disappear.",
)
_NAMES = (
    _named("It is a legend that FastAPI", "Starlette", "It is a legend that FastAPI depends on Starlette."),
    _named("Rarely FastAPI", "Starlette", "Rarely FastAPI depends on Starlette."),
    _named("FastAPI", "Starlette Rarely", "FastAPI depends on Starlette Rarely."),
    _named("FastAPI", "Starlette in dreams", "FastAPI depends on Starlette in dreams."),
    _named("FastAPI", "Starlette to go away", "FastAPI depends on Starlette to go away."),
    _named("FastAPI n\u043et", "Starlette", "FastAPI n\u043et depends on Starlette."),
    _named("Bob says FastAPI", "Starlette", "Bob says FastAPI depends on Starlette."),
    _named("Whoever is FastAPI", "Starlette", "Whoever is FastAPI depends on Starlette."),
    _named("FastAPI uses code that", "Starlette", "FastAPI uses code that depends on Starlette."),
    _named("FastAPI", "Starlette. Fake", "FastAPI depends on Starlette. Fake."),
    _named(
        "The six word long old FastAPI", "Starlette", "The six word long old FastAPI depends on Starlette."
    ),
)
_VALUES = _values(
    "Paris has a population of 5 - 9.",
    "Paris has a population of 5 to ten.",
    "Paris has a population of 5 ; in thousands.",
    "Paris has a population of 5 - thousand.",
    "Paris has a population of 5 for each hectare.",
    "Paris has a population of 5 million.",
    "Paris has a population of 5 or more.",
    "Paris has a population of 5, in millions.",
    "Paris has a population of 5 and counting.",
    "Paris has a population of 5 today.",
    "Paris has a population of 5 %.",
    "Paris has a population of 5 (thousand).",
    "Paris has a population of 5. Million.",
    "Paris has a population of 5\n\nmillion.",
    "Paris has a population of minus 5.",
    "Paris has a population of 5 \u00d7 1000.",
    "Paris has a population of 5 in 1200.",
)
_UNITS = (
    Case("Paris has a population of 5 km per hour.", "Paris", "has_population", _number("5", "km"), "I"),
    Case("Paris has a population of 5 km - 9 km.", "Paris", "has_population", _number("5", "km"), "I"),
    Case("Paris has a population of 5 km and more.", "Paris", "has_population", _number("5", "km"), "I"),
    Case(
        "FastAPI requires Python >=3.8 <3.",
        "FastAPI",
        "requires_python",
        TypedValue("string", ">=3.8"),
        "I",
    ),
)
_DENIALS = _denials(
    "FastAPI does not depend on Starlette; it requires Starlette.",
    "FastAPI does not depend on Starlette; FastAPI requires Starlette.",
    "FastAPI does not depend on Starlette. FastAPI requires Starlette.",
    "FastAPI does not depend on Starlette. It requires Starlette.",
    "It is not true that\n\nFastAPI does not depend on Starlette.",
    "It is not true that\n\nFastAPI depends on Starlette without Flask.",
    "If you remove the code,\n\nFastAPI does not depend on Starlette.",
    "It is not the case that!! FastAPI does not depend on Starlette.",
    "Lies:\n\nFastAPI does not depend on Starlette.",
    "FastAPI does not depend on Starlette. Bob made that up.",
    "FastAPI does not depend on Starlette. Does it?",
    "FastAPI does not depend on Starlette - wait, I mixed that up.",
    "FastAPI does not depend on Starlette, like hell.",
    "FastAPI does not depend on Starlette as of 2099.",
    "FastAPI does not depend on Starlette alone.",
    "FastAPI does not depend on imitation Starlette.",
    "FastAPI (the old one) does not depend on Starlette.",
    "The dream showed that FastAPI does not depend on Starlette.",
)
_RECORDS = _records(
    "Wrong:\nName: A\nRequires-Dist: B\nVerdict: not true",
    "False:\nName: A\nRequires-Dist: B",
    "Suppose the metadata were\n\nExample: one\n\nName: A\nRequires-Dist: B",
    "Name: A\nOptional: yes\nRequires-Dist: B",
    "Extra: test\nName: A\nRequires-Dist: B",
    "Name: A\nRequires-Dist: B\nStatus: withdrawn",
    "Name: A\nRequires-Dist: B\n\nThe record above is false.",
    "Name: A\nRequires-Dist: B ==0.0.0, !=0.0.0",
    "Name: A\nRequires-Dist: B <0",
    "Name: A\nRequires-Dist: B >=2, <1",
    "Name: A\nRequires-Dist: B ==1.0, ==2.0",
    "Name: A\nRequires-Dist: B !=1.*, >=1.0, <2",
    "Name: A\n  no more\nRequires-Dist: B",
    "Name: A\nSummary: The lines below are invented\nRequires-Dist: B",
    "Name: A\nRequires-Dist: B\nEnd: of the joke",
    "Name: A\nRequires-Dist: B\n\nWhat a tale.",
    "Bob's draft\n\nName: A\nRequires-Dist: B",
    "Name: A\nRequires-Dist: B\n\nValid: never",
    "Name: A\rVerdict: no\nRequires-Dist: B",
    "Name: A\nRequires-Dist: B\nSummary: x\u2028Verdict: no",
    "Name: A\nIf:\nRequires-Dist: B",
    "Name: A\nRemoved-Lines:\nRequires-Dist: B",
    "Name: A\nSummary: none of this holds\nRequires-Dist: B",
    "Name: A\nDescription: no\nRequires-Dist: B",
    "Name: A\nRequires-Dist: B @ nowhere",
    "Name: A\nRequires-Dist: B # removed",
    "```\nName: A\nRequires-Dist: B\n```",
)
OTHER_TRAPS: tuple[Case, ...] = (
    *_LICENSED,
    *_PLACED,
    *_CREATED,
    *_USED,
    *_NAMES,
    *_VALUES,
    *_UNITS,
    *_DENIALS,
    *_RECORDS,
)
