"""Names that name nothing: pronouns, "the system", a single letter. Pure.

Two things that are both called "it" would become one Entity, and every sentence would seem to name it.
"""

import unicodedata

from app.ledger.nodes.names import fold_name, tidy_name

_PRONOUN_LIST = """
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this that
    these those who whom whose which what someone somebody anyone anybody everyone everybody nobody something
    anything everything nothing one ones other others another here there
"""
_ARTICLE_LIST = "the a an this that these those my our your his her its their some any"
_NOUN_LIST = """
    agent app application assistant author bot client code company customer data database dependency developer
    document entity feature file framework function group idea item library maintainer man member method model
    module name object office organisation organization package people person place product program project
    repository server service software subject system team thing things tool topic user users value version
    website woman world
"""
_PRONOUNS = frozenset(_PRONOUN_LIST.split())
_ARTICLES = frozenset(_ARTICLE_LIST.split())
_GENERIC_NOUNS = frozenset(_NOUN_LIST.split())


def is_one_letter(name: str) -> bool:
    """Whether the name is a single letter and no word: generic, yet the whole name of some things: C and R."""
    folded = fold_name(name)
    is_letter = len(folded) == 1 and unicodedata.category(folded)[0] == "L"
    return is_letter and folded not in _PRONOUNS | _ARTICLES


def is_generic_name(name: str) -> bool:
    """Whether the name could stand for anything.

    A single letter of an alphabet is generic; a single ideograph is a word. A generic noun is one only with an
    article before it: "the system" names nothing, "System" may be a name. In capitals, a pronoun may be an
    abbreviation: "US", "WHO", "IT".
    """
    folded = fold_name(name)
    categories = {unicodedata.category(character) for character in folded}
    if not any(category[0] in "LN" or category == "So" for category in categories):
        return True
    if len(folded) == 1:
        return not categories & {"Lo", "So"}
    words = folded.split(" ")
    if len(words) == 1:
        if tidy_name(name).isupper():
            return False
        return folded in _PRONOUNS or folded in _ARTICLES
    return len(words) == 2 and words[0] in _ARTICLES and words[1] in (_GENERIC_NOUNS | _PRONOUNS)
