"""Words that take away what a sentence would otherwise say.

Pure. They are looked for in every word of the sentence that is not part of the matched subject, predicate
or object. A cue is refused rather than weighed: "FastAPI depends on Starlette, not Flask" is insufficient
too.
"""

from collections.abc import Iterable, Sequence

from app.remember.lexical.tokens import Token

QUESTION_MARKS = frozenset("?？")
_QUOTES = frozenset('"“”„«»‹›「」『』‘')


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEGATION = _words(
    "not no never none neither nor nobody nothing nowhere cannot without hardly scarcely barely rarely "
    "seldom few isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't won't wouldn't "
    "can't couldn't shouldn't mustn't ain't needn't isnt arent doesnt dont didnt cant wont false falsely "
    "untrue wrong wrongly incorrect incorrectly mistaken mistakenly erroneous erroneously myth myths joke "
    "joking kidding fiction fictional lie lied lying hoax misconception refuted disproved debunked denied "
    "denies deny refute disprove stopped stops ceased ceases lacks lack lacking fails failed fail refuses "
    "refused except excluding instead rather longer anymore nope opposite contrary dropped removed "
    "removes abandoned deprecated avoid avoids unlikely impossible pretend pretends pretended sarcasm "
    "sarcastic parody satire satirical outdated obsolete"
)
_HEDGE = _words(
    "may might could would should must can shall will possibly perhaps maybe probably presumably likely "
    "potentially conceivably arguably apparently seemingly supposedly allegedly reportedly ostensibly "
    "purportedly seems seem seemed appears appear appeared looks almost nearly practically virtually "
    "partly partially somewhat roughly about approximately about unclear uncertain unsure unknown "
    "possible probable plausible potential tentative tentatively planned plans plan planning intends "
    "intend intended going future soon upcoming eventually tomorrow ideally theoretically theory "
    "hypothetical hypothetically hypothesis hopefully try tries trying tried attempts attempt former "
    "formerly previously once before prior until till historically older old earlier some sometimes "
    "occasionally often usually typically generally normally mostly degree extent sort experimental "
    "experimentally dream dreams hope hopes wish wishes want wants wanted expect expects expected doubt "
    "doubts doubtful guess guesses guessed speculation speculative example-only ought need needs needed"
)
_CONDITION = _words(
    "if unless when whenever only provided providing assuming assume assumes assumed suppose supposes "
    "supposing imagine whether depending otherwise case cases else either or optional optionally option "
    "options conditional conditionally conditioned extra extras at-most subject personal academic "
    "commercial noncommercial non-commercial trial whichever where wherever should in-case requires-if "
    "upon"
)
_ATTRIBUTION = _words(
    "say says said saying claim claims claimed claiming think thinks thought believe believes believed "
    "belief opinion opinions opine opines according allege alleges alleged argue argues argued suggest "
    "suggests suggested suggestion propose proposes proposed proposal rumor rumors rumour rumours rumored "
    "rumoured heard hear hears tell tells told feel feels felt consider considers considered report "
    "reports state states stated write writes wrote ask asks asked wonder wonders wondered assert asserts "
    "asserted insist insists insisted imply implies implied view views promise promises promised predict "
    "predicts predicted recommend recommends recommended conjecture conjectures mention mentions "
    "mentioned quote quotes quoted post posted tweet tweeted blog gossip announce announces announced "
    "advertise advertised advertises suspect suspects suspected dreams dreamt hallucinated"
)

_NAME_WORDS = _words("may will states state post hope future view case guess option")
_STRONG = _words(
    "not no never none nobody without if unless only when whether untrue false suppose imagine says said "
    "claims claimed thinks believes according perhaps possibly maybe allegedly supposedly"
)
_KINDS = (
    ("attributed", _ATTRIBUTION),
    ("conditional", _CONDITION),
    ("hedged", _HEDGE),
    ("negation_unclear", _NEGATION),
)
# A sentence right after that begins so withdraws or narrows the one before.
_WITHDRAWING_STARTS = _words(
    "no nope not false wrong incorrect except unless only or supposedly allegedly until but however "
    "though although yet just otherwise if when maybe perhaps provided never or-so untrue sike"
)
_FALSEHOOD = _words(
    "false untrue wrong incorrect myth myths joke joking kidding fiction fictional lie hoax misconception "
    "misconceptions rumor rumors rumour rumours hypothetical hypothetically suppose imagine pretend "
    "mistaken refuted debunked retracted nonsense"
)
_JUDGED = _words("true correct right so case accurate valid longer anymore real")


def find_cue(
    tokens: Iterable[Token], *, sentence_start: int, name_tokens: Iterable[Token] = ()
) -> str | None:
    """Return the code of the first kind of cue among the tokens, or None.

    `name_tokens` are those of the matched names: in them, quotation marks and capitalised words are part
    of the name ("Free Software Foundation"), unless the word is a strong cue; a client chooses names, too.
    Elsewhere only a few capitalised words pass ("May"), and never one at `sentence_start`.
    """
    words: set[str] = set()
    for token in tokens:
        if any(character in QUESTION_MARKS for character in token.text):
            return "question"
        if token.folded in _QUOTES or token.folded == "'":
            return "quoted"
        if not (token.folded in _NAME_WORDS and _is_capitalised_inside(token, sentence_start)):
            words.add(token.folded)
    for token in name_tokens:
        if token.folded in _STRONG or not _is_capitalised_inside(token, sentence_start):
            words.add(token.folded)
    for word in tuple(words):
        words.update(part for part in word.split("-") if part in _STRONG)
    for code, cues in _KINDS:
        if words & cues:
            return code
    return "negation_unclear" if any(word.endswith("n't") for word in words) else None


def takes_back(previous: Sequence[Token], following: Sequence[Token]) -> bool:
    """Whether a neighbouring sentence withdraws, doubts or introduces as untrue what stands between them."""
    if any(token.folded in _FALSEHOOD for token in (*previous, *following)):
        return True
    if previous and previous[-1].folded in (":", "："):
        return find_cue(previous, sentence_start=previous[0].start) is not None
    if not following:
        return False
    words = [token.folded for token in following]
    if words[0] in _WITHDRAWING_STARTS or words[:2] in (["at", "least"], ["i", "guess"], ["or", "so"]):
        return True
    points_back = bool({"this", "that", "it", "that's", "it's", "which", "so"} & set(words[:3]))
    denies = bool({"not", "isn't", "wasn't", "never", "no", "was", "were"} & set(words)) and bool(
        _JUDGED & set(words)
    )
    is_short = len(words) <= 9
    cue = find_cue(following, sentence_start=following[0].start) if is_short else None
    return points_back and (denies or cue in ("attributed", "hedged", "conditional"))


def _is_capitalised_inside(token: Token, sentence_start: int) -> bool:
    text = token.text
    return token.start != sentence_start and text[:1].isupper() and text[1:].islower() and len(text) > 1
