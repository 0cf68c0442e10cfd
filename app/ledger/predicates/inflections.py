"""Inflection of English verbs: enough of it for verb phrases.

Pure. Regular verbs follow spelling rules; the irregular ones that name relations are in a table, and an
unknown word is treated as regular. Where spelling leaves two readings open (the base of "created"), both
are given: a form that nobody writes matches nothing, so a wrong one costs the lexical verifier no
precision.
"""

MODALS = frozenset({"can", "could", "may", "might", "must", "should", "will", "would"})

# base: (past, past participle)
_IRREGULAR: dict[str, tuple[str, str]] = {
    "be": ("was", "been"),
    "bear": ("bore", "born"),
    "become": ("became", "become"),
    "begin": ("began", "begun"),
    "break": ("broke", "broken"),
    "bring": ("brought", "brought"),
    "build": ("built", "built"),
    "buy": ("bought", "bought"),
    "choose": ("chose", "chosen"),
    "come": ("came", "come"),
    "deal": ("dealt", "dealt"),
    "do": ("did", "done"),
    "draw": ("drew", "drawn"),
    "drive": ("drove", "driven"),
    "feed": ("fed", "fed"),
    "fight": ("fought", "fought"),
    "find": ("found", "found"),
    "forget": ("forgot", "forgotten"),
    "get": ("got", "got"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "grow": ("grew", "grown"),
    "have": ("had", "had"),
    "hold": ("held", "held"),
    "keep": ("kept", "kept"),
    "know": ("knew", "known"),
    "lead": ("led", "led"),
    "leave": ("left", "left"),
    "lie": ("lay", "lain"),
    "lose": ("lost", "lost"),
    "make": ("made", "made"),
    "mean": ("meant", "meant"),
    "meet": ("met", "met"),
    "pay": ("paid", "paid"),
    "run": ("ran", "run"),
    "see": ("saw", "seen"),
    "sell": ("sold", "sold"),
    "send": ("sent", "sent"),
    "sing": ("sang", "sung"),
    "speak": ("spoke", "spoken"),
    "spend": ("spent", "spent"),
    "stand": ("stood", "stood"),
    "take": ("took", "taken"),
    "teach": ("taught", "taught"),
    "understand": ("understood", "understood"),
    "wear": ("wore", "worn"),
    "win": ("won", "won"),
    "write": ("wrote", "written"),
}
_BASE_OF_PAST = {past: base for base, (past, _) in _IRREGULAR.items()}
_BASE_OF_PARTICIPLE = {participle: base for base, (_, participle) in _IRREGULAR.items()}
_DOUBLED_LATE = frozenset(
    {"admit", "commit", "control", "equip", "occur", "permit", "prefer", "refer", "submit", "transfer"}
)
# Verbs whose regular past does not tell its base by spelling: "created" could come from "creat".
_REGULAR_EVENTS = frozenset(
    {
        "acquire",
        "approve",
        "author",
        "cause",
        "cite",
        "close",
        "complete",
        "compose",
        "create",
        "design",
        "develop",
        "direct",
        "discover",
        "found",
        "fund",
        "host",
        "invent",
        "join",
        "launch",
        "merge",
        "open",
        "organize",
        "participate",
        "produce",
        "propose",
        "publish",
        "release",
        "rename",
        "replace",
        "review",
        "sponsor",
        "start",
        "translate",
        "visit",
    }
)
_CH_WITH_E = frozenset({"caches", "aches"})
_BASES_IN_S = frozenset({"focus", "canvas", "bias"})
_VOWELS = "aeiou"


def base_verb(verb: str) -> str:
    """Return the base of a third person singular form; any other word stays as it is.

    is → be, has → have, relies → rely, uses → use, publishes → publish, goes → go.
    """
    if verb == "is":
        return "be"
    if verb == "has":
        return "have"
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 3 or verb in _BASES_IN_S:
        return verb
    if verb.endswith("ies"):
        return f"{verb[:-3]}y" if len(verb) > 4 else verb[:-1]
    if verb.endswith(("sses", "shes", "xes", "zzes", "oes", "focuses", "biases")):
        return verb[:-2]
    if verb.endswith("ches") and verb not in _CH_WITH_E:
        return verb[:-2]
    return verb[:-1]


def third_person(base: str) -> str:
    """Return the third person singular: depend → depends, rely → relies, have → has, be → is, go → goes."""
    if base in ("be", "have"):
        return "is" if base == "be" else "has"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ies"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{base}es"
    return f"{base}s"


def past_tense(base: str) -> str:
    """Return the simple past: depend → depended, write → wrote, be → was."""
    return _IRREGULAR[base][0] if base in _IRREGULAR else _regular_past(base)


def past_participle(base: str) -> str:
    """Return the past participle: depend → depended, write → written, found → founded."""
    return _IRREGULAR[base][1] if base in _IRREGULAR else _regular_past(base)


def present_participle(base: str) -> str:
    """Return the -ing form: depend → depending, use → using, run → running, lie → lying."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


def is_past(word: str) -> bool:
    """Whether the word is a simple past: created, wrote, took."""
    return word in _BASE_OF_PAST or _is_regular_past(word)


def is_participle(word: str) -> bool:
    """Whether the word is a past participle: created, written, held."""
    return word in _BASE_OF_PARTICIPLE or _is_regular_past(word)


def participle_of_past(past: str) -> str:
    """Return the participle of a simple past: created → created, wrote → written."""
    return _IRREGULAR[_BASE_OF_PAST[past]][1] if past in _BASE_OF_PAST else past


def base_of_past(past: str) -> str | None:
    """Return the base of a simple past, or None where its spelling leaves that open: took → take."""
    return _BASE_OF_PAST.get(past) or _BASE_OF_REGULAR_PAST.get(past)


def bases_of_past(word: str) -> tuple[str, ...]:
    """Return what the base of a past form can be: created → (creat, create), written → (write,)."""
    if word in _BASE_OF_PAST:
        return (_BASE_OF_PAST[word],)
    if word in _BASE_OF_PARTICIPLE:
        return (_BASE_OF_PARTICIPLE[word],)
    if word.endswith("ied"):
        return (f"{word[:-3]}y",)
    stem = word[:-2]
    bases = (stem, f"{stem}e")
    return (*bases, stem[:-1]) if stem[-1:] == stem[-2:-1] else bases


def _is_regular_past(word: str) -> bool:
    return word.endswith("ed") and not word.endswith("eed") and len(word) > 3


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def _doubled(base: str) -> str:
    """Return the stem before -ed or -ing: plan → plann, refer → referr, depend → depend."""
    if len(base) < 3 or base[-1] in f"{_VOWELS}wxy" or base[-2] not in _VOWELS or base[-3] in _VOWELS:
        return base
    one_syllable = not any(letter in _VOWELS for letter in base[:-2])
    return f"{base}{base[-1]}" if one_syllable or base in _DOUBLED_LATE else base


_BASE_OF_REGULAR_PAST = {_regular_past(base): base for base in _REGULAR_EVENTS}
