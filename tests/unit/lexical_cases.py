"""Labelled cases for the lexical verifier, written before it was tuned.

`[[…]]` marks the cited spans; a text without marks is cited whole. The label is what a careful reader says the
cited text carries, not what the verifier happens to answer: E entailed, C contradicted, I insufficient. Every
second case (the odd ones) is the test half: the rules were written against the even ones only. The test half was
looked at once: precision 43 of 43, recall 43 of 44; its one miss (", which depends on …, ") was mended afterwards.
"""

from app.ledger.vocabulary import TypedValue
from tests.unit.lexical_case import Case


def _string(text: str) -> TypedValue:
    return TypedValue("string", text)


CASES: tuple[Case, ...] = (
    # Plain statements.
    Case("FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("Starlette depends on anyio", "Starlette", "depends_on", "anyio", "E"),
    Case("FastAPI relies on Pydantic.", "FastAPI", "depends_on", "Pydantic", "E"),
    Case("httpx requires httpcore.", "httpx", "depends_on", "httpcore", "E"),
    Case("FastAPI is licensed under MIT.", "FastAPI", "licensed_under", "MIT", "E"),
    Case("FastAPI is licensed under the MIT license.", "FastAPI", "licensed_under", "MIT", "E"),
    Case("NumPy is released under the BSD License.", "NumPy", "licensed_under", "BSD License", "E"),
    Case("Paris is the capital of France.", "Paris", "capital_of", "France", "E"),
    Case("Marie Curie was married to Pierre Curie.", "Marie Curie", "married_to", "Pierre Curie", "I"),
    Case("Marie Curie was born in Warsaw.", "Marie Curie", "born_in", "Warsaw", "E"),
    Case("PostgreSQL runs on Linux.", "PostgreSQL", "runs_on", "Linux", "E"),
    Case("CPython is written in C.", "CPython", "written_in", "C", "E"),
    Case("The Eiffel Tower is located in Paris.", "Eiffel Tower", "located_in", "Paris", "E"),
    Case("The routing module is part of Starlette.", "routing module", "part_of", "Starlette", "E"),
    Case("pip supports wheels.", "pip", "supports", "wheels", "E"),
    Case("Psycopg implements DB-API 2.0.", "Psycopg", "implements", "DB-API 2.0", "E"),
    Case("The release manager works for the foundation.", "release manager", "works_for", "foundation", "E"),
    Case("France borders Spain.", "Spain", "borders", "France", "E"),
    Case("Requests has version 2.32.", "Requests", "has_version", _string("2.32"), "E"),
    Case("httpx has the topic HTTP.", "httpx", "has_topic", "HTTP", "E"),
    # Passives, inverses, symmetric predicates, tenses.
    Case("Starlette is used by FastAPI.", "FastAPI", "uses", "Starlette", "E"),
    Case("Starlette is required by FastAPI.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("Starlette is used by FastAPI.", "Starlette", "uses", "FastAPI", "I"),
    Case("Linux was created by Linus Torvalds.", "Linux", "created_by", "Linus Torvalds", "E"),
    Case("Linus Torvalds created Linux.", "Linux", "created_by", "Linus Torvalds", "E"),
    Case("Linus Torvalds created Linux.", "Linus Torvalds", "created", "Linux", "E"),
    Case("Linux was created by Linus Torvalds in 1991.", "Linus Torvalds", "created", "Linux", "E"),
    Case("Starlette includes the routing module.", "routing module", "part_of", "Starlette", "E"),
    Case("uvicorn is compatible with FastAPI.", "FastAPI", "compatible_with", "uvicorn", "E"),
    Case("uvicorn is compatible with FastAPI.", "uvicorn", "compatible_with", "FastAPI", "E"),
    Case("The outage was caused by the migration.", "migration", "caused", "outage", "E"),
    Case("The migration caused the outage.", "outage", "caused", "migration", "I"),
    Case("FastAPI depended on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI used to depend on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI will depend on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI had depended on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Starlette depends on FastAPI.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("Ada Lovelace wrote Note G.", "Ada Lovelace", "created", "Note G", "E"),
    Case("Note G was written by Ada Lovelace.", "Note G", "created_by", "Ada Lovelace", "E"),
    Case("The conference took place in Prague.", "conference", "took_place_in", "Prague", "E"),
    # Frames.
    Case(
        "[[The user confirmed that Dense-Mem benefits from explicit search freshness]].",
        "Dense-Mem",
        "benefits_from",
        "search freshness",
        "E",
    ),
    Case("We verified that FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("The tests showed that pip supports wheels.", "pip", "supports", "wheels", "E"),
    Case("It is documented that FastAPI uses Pydantic.", "FastAPI", "uses", "Pydantic", "E"),
    Case("The maintainer says that FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("The blog claims that FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("The user thinks FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Many believe FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("According to a forum post, FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case('The post reads "FastAPI depends on Flask".', "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI depends on Flask, the reviewer says.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Nobody confirmed that FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("The user has not confirmed that FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Myth: FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Suppose FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("We recommend that FastAPI depend on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("The user asked whether FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("The user confirmed that FastAPI may depend on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Currently, FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("As documented, FastAPI uses Pydantic.", "FastAPI", "uses", "Pydantic", "E"),
    # Negation, hedges, conditions, questions; spans that cut them away.
    Case("FastAPI does not depend on Flask.", "FastAPI", "depends_on", "Flask", "C"),
    Case("FastAPI doesn't depend on Flask.", "FastAPI", "depends_on", "Flask", "C"),
    Case("FastAPI does not depend on Flask.", "FastAPI", "depends_on", "Flask", "E", "-"),
    Case("FastAPI no longer depends on Flask.", "FastAPI", "depends_on", "Flask", "E", "-"),
    Case("FastAPI is not licensed under GPL.", "FastAPI", "licensed_under", "GPL", "C"),
    Case("Lyon isn't the capital of France.", "Lyon", "capital_of", "France", "E", "-"),
    Case("FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "I", "-"),
    Case("FastAPI never depends on Flask.", "FastAPI", "depends_on", "Flask", "C"),
    Case("Flask is not used by FastAPI.", "FastAPI", "uses", "Flask", "C"),
    Case("Linus Torvalds did not create Git-SVN.", "Linus Torvalds", "created", "Git-SVN", "E", "-"),
    Case("It is not true that [[FastAPI depends on Flask]].", "FastAPI", "depends_on", "Flask", "C"),
    Case(
        "[[FastAPI depends on Flask]] only if an extra is installed.", "FastAPI", "depends_on", "Flask", "I"
    ),
    Case("Does [[FastAPI depend on Flask]]?", "FastAPI", "depends_on", "Flask", "I"),
    Case("[[FastAPI depends on Flask]]?", "FastAPI", "depends_on", "Flask", "I"),
    Case(
        "[[FastAPI depends on Flask]] in your dreams, not in reality.", "FastAPI", "depends_on", "Flask", "I"
    ),
    Case("FastAPI may depend on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI possibly depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("Perhaps [[FastAPI depends on Flask]].", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI probably depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI could be licensed under GPL.", "FastAPI", "licensed_under", "GPL", "I"),
    Case("If the extra is on, FastAPI depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI depends on Flask when the extra is on.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI depends on Flask unless configured.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI does not only depend on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI [[depends on Flask]]. That is false.", "FastAPI", "depends_on", "Flask", "I"),
    Case("[[FastAPI depends on Flask.]] That is not true.", "FastAPI", "depends_on", "Flask", "I"),
    Case("[[FastAPI]] is fast. [[It depends on Starlette.]]", "FastAPI", "depends_on", "Starlette", "I"),
    Case("I doubt that [[FastAPI depends on Flask]].", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI hardly depends on Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI should depend on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    # Other clauses, other subjects, lists.
    Case("FastAPI is fast and Starlette depends on anyio.", "FastAPI", "depends_on", "anyio", "I"),
    Case("FastAPI, unlike Flask, depends on Starlette.", "Flask", "depends_on", "Starlette", "I"),
    Case("FastAPI, unlike Flask, depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI depends on Starlette and Pydantic.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI depends on Starlette and Pydantic.", "FastAPI", "depends_on", "Pydantic", "E"),
    Case("FastAPI depends on Starlette, Pydantic, and anyio.", "FastAPI", "depends_on", "anyio", "E"),
    Case(
        "Flask depends on Werkzeug and FastAPI depends on Starlette.", "Flask", "depends_on", "Starlette", "I"
    ),
    Case(
        "Flask depends on Werkzeug and FastAPI depends on Starlette.",
        "FastAPI",
        "depends_on",
        "Starlette",
        "E",
    ),
    Case("FastAPI depends on Starlette or Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI and Starlette depend on anyio.", "FastAPI", "depends_on", "anyio", "E"),
    Case("FastAPI and Starlette depend on anyio.", "Starlette", "depends_on", "anyio", "E"),
    Case(
        "The combination of FastAPI and Starlette depends on anyio.", "Starlette", "depends_on", "anyio", "I"
    ),
    Case("Users of FastAPI depend on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI users depend on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI's routing depends on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI depends on Starlette plugins.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI depends on Starlette's router.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI depends on everything except Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI depends on a fork of Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI depends on libraries using Flask.", "FastAPI", "depends_on", "Flask", "I"),
    Case("FastAPI uses Pydantic and depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI, which depends on Starlette, is fast.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI, a web framework, depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI (a web framework) depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case(
        "Flask depends on Werkzeug; FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"
    ),
    Case("Flask depends on Werkzeug; FastAPI depends on Starlette.", "Flask", "depends_on", "Starlette", "I"),
    Case("Seoul is the capital of South Korea.", "Seoul", "capital_of", "Korea", "I"),
    Case("Plugins for FastAPI depend on Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI depends directly on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI also depends on Pydantic for validation.", "FastAPI", "depends_on", "Pydantic", "E"),
    Case("The FastAPI framework depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("The web framework FastAPI depends on Starlette.", "FastAPI", "depends_on", "Starlette", "E"),
    # Names on token boundaries.
    Case("Reactive depends on rxjs.", "React", "depends_on", "rxjs", "I"),
    Case("React-Native depends on Hermes.", "React", "depends_on", "Hermes", "I"),
    Case("Clang supports C++.", "Clang", "supports", "C++", "E"),
    Case("Clang supports C++.", "Clang", "supports", "C", "I"),
    Case("ASP.NET depends on Kestrel.", ".NET", "depends_on", "Kestrel", "I"),
    Case(".NET supports F#.", ".NET", "supports", "F#", "E"),
    Case("org/a/b depends on libc.", "a/b", "depends_on", "libc", "I"),
    Case("a/b depends on libc.", "a/b", "depends_on", "libc", "E"),
    Case("x: y depends on libc.", "x: y", "depends_on", "libc", "E"),
    Case("fastapi depends on STARLETTE.", "FastAPI", "depends_on", "Starlette", "E"),
    Case("FastAPI depends on typing_extensions.", "FastAPI", "depends_on", "typing-extensions", "I"),
    Case("搜索引擎 depends on 倒排索引。", "搜索引擎", "depends_on", "倒排索引", "E"),
    Case("搜索引擎 depends on 倒排索引。", "搜索", "depends_on", "倒排索引", "I"),
    Case("搜索引擎 depends on 倒排索引。", "搜索引擎", "depends_on", "倒排", "I"),
    Case("The 🦊 browser depends on 🦀.", "🦊 browser", "depends_on", "🦀", "E"),
    Case("FastAPI depends on non-Starlette code.", "FastAPI", "depends_on", "Starlette", "I"),
    # What is outside of the spans is not cited.
    Case("[[FastAPI]] depends on [[Starlette]].", "FastAPI", "depends_on", "Starlette", "I"),
    Case("FastAPI [[depends on Starlette]].", "FastAPI", "depends_on", "Starlette", "I"),
    Case("[[FastAPI depends on]] Starlette.", "FastAPI", "depends_on", "Starlette", "I"),
    Case("[[FastAPI]] certainly [[depends on Starlette]].", "FastAPI", "depends_on", "Starlette", "E"),
    Case("[[FastAPI]] is fast and Starlette [[depends on anyio]].", "FastAPI", "depends_on", "anyio", "I"),
    Case(
        "FastAPI is fast. [[FastAPI depends on Starlette]]. It is nice.",
        "FastAPI",
        "depends_on",
        "Starlette",
        "E",
    ),
    # Values.
    Case(
        "Paris has a population of 2,102,650.",
        "Paris",
        "has_population",
        TypedValue("number", "2102650"),
        "E",
    ),
    Case(
        "Paris has a population of 2102650.", "Paris", "has_population", TypedValue("number", "210265"), "I"
    ),
    Case(
        "Python was released on 20 February 1991.",
        "Python",
        "released_on",
        TypedValue("date", "1991-02-20"),
        "E",
    ),
    Case(
        "Python was released on 1991-02-20.", "Python", "released_on", TypedValue("date", "1991-02-21"), "I"
    ),
    Case(
        "Marie Curie was born on November 7, 1867.",
        "Marie Curie",
        "born_on",
        TypedValue("date", "1867-11-07"),
        "E",
    ),
    Case("FastAPI requires Python >=3.8.", "FastAPI", "requires_python", _string(">=3.8"), "E"),
    # Records.
    Case(
        "[[Name: fastapi]]\nVersion: 1\n[[Requires-Dist: starlette>=0.40]]",
        "fastapi",
        "depends_on",
        "starlette",
        "E",
    ),
    Case("[[Name: anyio]]\n[[Requires-Dist: idna]]\n", "anyio", "depends_on", "idna", "E"),
    Case("[[Name: httpx]]\n[[Requires-Dist: anyio[trio]>=3]]", "httpx", "depends_on", "anyio", "E"),
    Case("[[Name: old]]\n[[Requires-Dist: uvicorn (>=0.1)]]", "old", "depends_on", "uvicorn", "E"),
    Case(
        '[[Name: fastapi]]\n[[Requires-Dist: httpx>=0.23; extra == "all"]]',
        "fastapi",
        "depends_on",
        "httpx",
        "I",
    ),
    Case(
        '[[Name: fastapi]]\n[[Requires-Dist: httpx>=0.23]]; extra == "all"',
        "fastapi",
        "depends_on",
        "httpx",
        "I",
    ),
    Case("[[Name: fastapi]]\n[[License: MIT]]", "fastapi", "licensed_under", "MIT", "E"),
    Case("[[Name: fastapi]]\n[[License-Expression: MIT]]", "fastapi", "licensed_under", "MIT", "E"),
    Case(
        "[[Name: cryptography]]\n[[License-Expression: Apache-2.0 OR MIT]]",
        "cryptography",
        "licensed_under",
        "MIT",
        "I",
    ),
    Case(
        "[[Name: fastapi]]\n[[Requires-Python: >=3.11]]", "fastapi", "requires_python", _string(">=3.11"), "E"
    ),
    Case(
        "[[Name: fastapi]]\n[[Requires-Python: >=3.11]]", "fastapi", "requires_python", _string(">=3.1"), "I"
    ),
    Case(
        "[[Name: httpx]]\n[[Classifier: Topic :: Internet :: WWW/HTTP]]",
        "httpx",
        "has_topic",
        "Internet :: WWW/HTTP",
        "E",
    ),
    Case(
        "[[Name: httpx]]\n[[Classifier: Topic :: Internet :: WWW/HTTP]]",
        "httpx",
        "has_topic",
        "Internet",
        "I",
    ),
    Case(
        "[[Name: httpx]]\n[[Classifier: License :: OSI Approved :: MIT License]]",
        "httpx",
        "licensed_under",
        "MIT License",
        "E",
    ),
    Case("[[Name: a]]\nRequires-Dist: c\n\nName: b\n[[Requires-Dist: d]]", "a", "depends_on", "d", "I"),
    Case("[[Name: fastapi]]\n[[Requires-Dist: starlette-core]]", "fastapi", "depends_on", "starlette", "I"),
    Case("[[Requires-Dist: starlette]]", "fastapi", "depends_on", "starlette", "I"),
    Case("[[Name: other]]\n[[Requires-Dist: starlette]]", "fastapi", "depends_on", "starlette", "I"),
    Case("[[Name: fastapi]]\n[[Provides-Extra: starlette]]", "fastapi", "depends_on", "starlette", "I"),
    Case("[[Name: fastapi]]\n[[Summary: depends on starlette]]", "fastapi", "depends_on", "starlette", "I"),
)
DEVELOPMENT_HALF = CASES[::2]
TEST_HALF = CASES[1::2]
