"""Words that take away what a sentence would otherwise say.

Pure. They are looked for in every word of the sentence that is not part of the matched subject, predicate
or object. A cue is refused rather than weighed: "FastAPI depends on Starlette, not Flask" is insufficient
too.
"""

from collections.abc import Iterable, Sequence

from app.remember.lexical.tokens import Token, is_plain_script, without_accents

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
    "sarcastic parody satire satirical outdated obsolete sham legend fable fairy novel fake invented "
    "zero nil null fewer oops psych gotcha sike nah jk lol fabricated fabrication imaginary "
    "imitation retracted withdrawn discontinued"
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
# Wherever in a text one of these stands, the text speaks of its own untruth, and nothing in it is certain.
_DOUBTS = _words(
    "false falsehood falsehoods untrue wrong incorrect mistaken erroneous myth myths joke jokes joking "
    "kidding fiction fictional fictitious lie lies lied lying hoax misconception misconceptions rumor "
    "rumors rumour rumours hypothetical hypothetically imagine imaginary imagined invented fabricated "
    "fabrication pretend refuted debunked disproved retract retracts retracted retraction withdraw "
    "withdrawn correction corrections erratum errata disregard ignore nonsense satire satirical parody "
    "scrap scratch prank fake faked fairy tale fable novel legend nope bogus counterfactual "
    "counterfactuals opposite "
    "sentence sentences statement statements assertion assertions outdated obsolete sarcasm sarcastic"
)
_DOUBTFUL_PHRASES = (
    *(("made", "up"), ("makes", "up"), ("making", "up"), ("not", "true"), ("no", "longer"), ("not", "so")),
    *(("not", "the", "case"), ("in", "jest"), ("the", "above"), ("the", "following"), ("as", "if")),
    *(("in", "error"), ("by", "mistake"), ("what", "if"), ("are", "false"), ("were", "false")),
)
_DOUBTFUL_STARTS = frozenset(phrase[0] for phrase in _DOUBTFUL_PHRASES)


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
        if not is_plain_script(token.text):
            return "script_unclear"
        if any(character in QUESTION_MARKS for character in token.text):
            return "question"
        if token.folded in _QUOTES or token.folded == "'":
            return "quoted"
        if not (token.folded in _NAME_WORDS and _is_capitalised_inside(token, sentence_start)):
            words.add(without_accents(token.folded))
    for token in name_tokens:
        if token.folded in _STRONG or not _is_capitalised_inside(token, sentence_start):
            words.add(token.folded)
    for word in tuple(words):
        words.update(part for part in word.split("-") if part in _STRONG)
    for code, cues in _KINDS:
        if words & cues:
            return code
    return "negation_unclear" if any(word.endswith("n't") for word in words) else None


def has_doubt(tokens: Sequence[Token]) -> bool:
    """Whether the text calls something untrue or withdraws it, wherever it stands and whatever it means."""
    words = [without_accents(token.folded) for token in tokens]
    if any(part in _DOUBTS for word in words for part in (word, *word.split("-"))):
        return True
    return any(
        tuple(words[start : start + len(phrase)]) == phrase
        for start, word in enumerate(words)
        if word in _DOUBTFUL_STARTS
        for phrase in _DOUBTFUL_PHRASES
    )


def is_cue(word: str) -> bool:
    """Whether the folded word, or a part of it between hyphens, is a cue of any kind."""
    bare = without_accents(word)
    return any(part in cues for part in (bare, *bare.split("-")) for _, cues in _KINDS) or bare.endswith(
        "n't"
    )


def is_name_word(word: str) -> bool:
    """Whether the folded word is a cue that is a common name, too, when written with a capital: "May"."""
    return word in _NAME_WORDS


def _is_capitalised_inside(token: Token, sentence_start: int) -> bool:
    text = token.text
    return token.start != sentence_start and text[:1].isupper() and text[1:].islower() and len(text) > 1
