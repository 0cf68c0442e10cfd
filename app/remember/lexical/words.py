"""Word lists for the gaps of a clause: what may stand between subject, predicate and object.

Pure data, folded. Whatever is in none of these lists is unknown, and unknown words are refused.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _words("the a an its their our")
ADVERBS = _words(
    "also still currently now directly internally always already actually certainly definitely clearly "
    "indeed heavily strongly explicitly officially mainly primarily largely natively fully itself "
    "therefore thus greatly today too"
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
FINITE_VERBS = _words("is are was were has have uses use provides supports includes runs requires depends")
LIST_SEPARATORS = _words(", and &")
PARENTHESIS_STARTERS = _words("unlike like a an the which who whose together along formerly as with")
TAIL_STARTERS = _words("and which who while whereas so because since but for making as like unlike")
TAIL_PREPOSITIONS = _words("for to since because as via while whereas but and &")
DENIED_TAIL = (("anymore",), ("any", "more"), ("any", "longer"), ("at", "all"))
MONTHS = _words("january february march april may june july august september october november december")
PREPOSITIONS = _words(
    "on in at by for from to with of under over into onto upon about after before through between among "
    "across within without against toward towards during per via"
)
# Closed-class words: none of them can be part of a modifier or of a listed name in lower case.
FUNCTION_WORDS = PREPOSITIONS | _words(
    "the a an this that these those its their our your my his her it they we you i he she who whom whose "
    "which what whoever whatever whichever where when while why how if unless until since because "
    "although though whereas as than then and or nor but so yet not no none never only even just is are "
    "was were be been being am has have had having do does did done doing can could may might must shall "
    "should will would all any each every either neither both few many much more most less least other "
    "another others such same some several own everything anything nothing something everyone anyone "
    "nobody someone like unlike except besides including excluding instead rather also there here let us "
    "them him me one ones others else out up down off away back again further once"
)
# Adjectives that turn the noun into something else or into its lack.
REVERSING_MODIFIERS = _words(
    "weaker slow slower fewer lesser smaller delayed diminished poor low lower lacking missing absent "
    "minimal reduced limited little bad zero former alleged so-called fake pseudo potential possible "
    "future planned old older obsolete hypothetical imaginary broken stale worse weak partial optional "
    "certain various alternative different similar compatible early late next previous unofficial "
    "unsupported removed deprecated virtual mock dummy counterfeit supposed would-be prospective lack "
    "absence removal anti non half part parts wannabe self-styled code software users people everybody "
    "north south east west new san saint los las el la le"
)
PLAIN_ED_MODIFIERS = _words(
    "improved increased enhanced distributed automated shared managed embedded advanced updated dedicated "
    "added combined"
)
MODIFIER_SUFFIXES_REFUSED = (
    "ing",
    "less",
    "-like",
    "-free",
    "-inspired",
    "-compatible",
    "-style",
    "-only",
    "'s",
    "s'",
)
MODIFIER_PREFIXES_REFUSED = (
    "non-",
    "anti-",
    "pseudo-",
    "quasi-",
    "ex-",
    "pre-",
    "post-",
    "semi-",
    "un-",
    "counter-",
)
BULLETS = _words("- * + • ◦ ‣ · – —")

ASSERTIVE_PAST = _words(
    "confirmed verified showed shown documented proved proven established demonstrated observed measured "
    "determined recorded found"
)
ASSERTIVE_PRESENT = _words("confirms verifies shows proves demonstrates")
ASSERTIVE_BASE = _words("confirm verify show prove demonstrate")
FRAME_WORDS = _words(
    "the a an our this these all both of on in from it is are was were has have been we i they he she "
    "also explicitly again itself"
)
DENIAL_FRAMES = tuple(
    tuple(frame.split())
    for frame in (
        "it is not true that",
        "it isn't true that",
        "it is false that",
        "it is untrue that",
        "it is not the case that",
        "it isn't the case that",
        "it is incorrect that",
        "it is wrong that",
        "it is not correct that",
    )
)
LEAD_INS = tuple(
    tuple(words.split())
    for words in (
        "currently",
        "today",
        "now",
        "also",
        "indeed",
        "internally",
        "therefore",
        "thus",
        "finally",
        "additionally",
        "moreover",
        "furthermore",
        "consequently",
        "similarly",
        "as documented",
        "as confirmed",
        "as verified",
        "in addition",
        "for example",
        "for instance",
        "in fact",
        "note that",
        "first",
        "second",
        "third",
    )
)
