"""Word lists for the gaps of a clause: what may stand between and beside subject, predicate and object.

Pure data, folded. They are allow lists: whatever is in none of them is unknown, and unknown words are
refused. A word belongs here only if no sentence becomes false or doubtful through it.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("the a an")
ADVERBS = _words(
    "also still currently now directly internally always already actually certainly definitely clearly "
    "indeed heavily strongly explicitly mainly primarily largely natively fully itself therefore thus "
    "greatly today too"
)
NEGATION_ADVERBS = _words("currently now actually")
KIND_NOUNS = _words(
    "framework toolkit library package database browser compiler interpreter language company corporation "
    "foundation organization organisation city country town village river engineer developer scientist "
    "mathematician physicist chemist programmer author writer server tool product service application "
    "program module protocol standard"
)
# After a name only these leave its meaning alone: "the Starlette framework" is Starlette, its plugin is not.
KIND_NOUNS_AFTER = _words("framework toolkit database browser company corporation city country")
LICENSE_NOUNS = _words("license licence")
# No "&": it joins one name ("Simon & Schuster") as often as it lists two.
LIST_SEPARATORS = _words(", and")
# "Starlette and Company" is one name, and another one.
FIRM_ENDINGS = _words("co company sons brothers bros partners associates friends daughters family inc ltd")
PREPOSITIONS = _words("on in at by for from to with of under")
# A word before the right name, or before a kind noun, that narrows it without turning it into something else.
MODIFIERS = _words(
    "explicit direct core underlying external internal main popular flexible fast modern small large "
    "powerful reliable robust stable efficient lightweight standard official famous well-known web native "
    "essential central open-source asynchronous fresh strong deep full improved increased enhanced"
)
# Words that close a sentence without taking anything away.
CLOSERS = tuple(
    tuple(closer.split())
    for closer in (
        *("too", "as well", "also", "now", "today", "currently", "directly", "internally", "heavily"),
        *("natively", "explicitly", "strongly", "in production"),
    )
)
# What "for" may name after the object: a function that a thing serves, never a circumstance.
PURPOSES = _words(
    "routing validation parsing serialization serialisation storage search searching caching logging "
    "authentication authorization networking indexing rendering scheduling templating data request "
    "requests response responses input output http html json xml sql text image async file files "
    "concurrency compression encryption packaging formatting typing"
)
DENIED_CLOSERS = (("anymore",), ("any", "more"), ("any", "longer"), ("at", "all"))
BULLETS = _words("- * + • ◦ ‣ · – —")

# Finite verbs, in the present, whose clause can stand beside a statement: all of them are about things.
PLAIN_VERBS = _words(
    "is are has have uses use provides provide supports support includes include contains contain runs run "
    "requires require depends depend relies rely implements implement extends extend offers offer serves "
    "serve belongs belong borders border comprises comprise defines define utilizes"
)
PLAIN_PARTICIPLES = _words(
    "created released founded written born developed designed published licensed located based built used "
    "maintained owned funded distributed implemented documented headquartered situated employed"
)
# What such a clause may be made of beside names: none of these words speaks about truth, time or the text.
PLAIN_WORDS = (
    MODIFIERS
    | KIND_NOUNS
    | PURPOSES
    | LICENSE_NOUNS
    | _words(
        "nice simple easy quick slow big new safe secure open source software project programming "
        "system systems api apis client clients interface interfaces feature features plugin plugins "
        "component components user users team teams developers engineers libraries frameworks tools "
        "packages modules services applications databases languages performance memory network "
        "documentation docs community company team capital population part parts member version versions "
        "platform platforms linux windows macos python code tests type types hints"
    )
)
HEADING_WORDS = _words(
    "dependencies dependency requirements overview introduction about summary background architecture "
    "design installation usage license licence details facts readme documentation metadata package "
    "packages libraries frameworks and the of"
)
# What may stand around a record beside other records: words that only announce it.
RECORD_INTRODUCTIONS = _words(
    "the a of from this is and metadata package packages header headers description record records name "
    "distribution : ."
)

# Closed-class words: none of them can be part of a listed name in lower case.
FUNCTION_WORDS = PREPOSITIONS | _words(
    "over into onto upon about after before through between among across within without against toward "
    "towards during per via this that these those its their our your my his her it they we you i he she "
    "the a an who whom whose which what whoever whatever whichever where when while why how if unless "
    "until since because although though whereas as than then and or nor but so yet not no none never "
    "only even just is are was were be been being am has have had having do does did done doing can could "
    "may might must shall should will would all any each every either neither both few many much more "
    "most less least other another others such same some several own everything anything nothing "
    "something everyone anyone nobody someone like unlike except besides including excluding instead "
    "rather also there here let us them him me one ones else out up down off away back again further once"
)
# Function words that a name of several capitalised words may hold: "Bank of England".
NAME_LINKS = _words("of the a an de in for on to and")
# A sentence that holds one of these speaks about another sentence, or hangs on it.
POINTERS = _words(
    "this that these those it its they them their he him his she her we us our i my you your which who "
    "such so same one ones above below following preceding previous previously foregoing former latter "
    "first last next earlier later opposite reverse contrary correction corrections sentence sentences "
    "statement statements paragraph text line lines claim claims assertion story tale truth reality fact "
    "document page author writer reader readers here there everything anything all both"
)
