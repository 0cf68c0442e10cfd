"""What a value beside the name of a secret looks like: a secret, or a word that stands for one. Pure."""

import re
from typing import Final

from app.remember.guard.secret_formats import MASK

_WORD_LIST: Final = """
    none null nil undefined true false yes no on off required optional empty unset default any all
    string str text bytes int integer float bool boolean object array secretstr secretstring self
    this password passwort passwd pass passphrase secret token key apikey api_key credentials
    credential placeholder redacted masked hidden removed example sample dummy username user email
    and or not the a an is are was be it in of to for must should can may will with from by your our
    my their hashed encrypted expired invalid missing valid wrong incorrect revoked rotated changed
    enter bearer basic oauth oauth2 jwt totp opaque random generated environment env vault prompt
    stdin auto manual disabled enabled value base64 base64url sha256 sha512 bcrypt argon2 argon2id scrypt
    pbkdf2 utf-8
"""
_WORDS: Final = frozenset(_WORD_LIST.split())
# What a sentence says about a password, where it does not say the password.
_DESCRIPTION: Final = """
    correct same different weak strong short long longer simple complex secure insecure safe unsafe public private
    known unknown common unique obvious easy hard old new fresh current previous here there below above elsewhere
    yours ours theirs mine lost stolen broken shown kept sent written forgotten blank plain clear case too
    alphanumeric next identical equal similar stale obsolete ready locked unlocked unused synced available under
    inside outside safely monthly yearly weekly daily always never again today tomorrow yesterday gone rather very
    fine wrongly secretly mandatory necessary temporary
"""
_DESCRIPTIONS: Final = frozenset(_DESCRIPTION.split())
_DESCRIBES: Final = re.compile(r"[a-z]+(?:ed|able|ible|ing|ful|ous|less|ory|ary|ient|ent|ant|ic|ive|al)")
_FILLER: Final = re.compile(
    rf"[*x•.…_#?-]+|{MASK}+|<[^<>]*>|\$.*|%.*|\{{.*\}}|\[[^\[\]]*\]|!\w+|@[\w.]+|&[\w.]+|~[/.].*"
    r"|(?:your|the|some|insert|enter|add|replace)[-_ ].*"
    r"|(?:sha\d+|base64|utf|md5|argon2|bcrypt|scrypt|pbkdf2|x509|oauth2?)[-_].*"
    r"|(?:sha|md|aes|rsa|utf|iso|rfc|hs|rs|es|http|v)[-_/]?\d[\d.x]*\w{0,8}"
    # The address of a contract.
    r"|0x[0-9a-f]{40}"
    r"|(?:env|vault|file|ref|ssm|op|arn|projects|secrets?)[:/.].*|/[\w./-]*",
    re.IGNORECASE,
)
_EXPRESSION: Final = re.compile(
    r"(?:req|request|form|self|this|args|opts|options|config|cfg|body|params|props|state|ctx)(?:\.\w{1,40}){1,4}\Z"
    r"|[A-Za-z_]+(?:(?:\.|::|->)[A-Za-z_]+)+\Z|(?:[A-Z][a-z]+){2,}\Z"
)
# Digits in front of the parenthesis are rare in names of functions and common in passwords.
_CALL: Final = re.compile(r"[A-Za-z_.]+[(\[]|[({\[][^0-9]*\Z")
_NAMED: Final = re.compile(r"[a-z_-]*(?:passw|pwd|secret|token|key|cred)[a-z_-]*\Z", re.IGNORECASE)
_CONSTANT: Final = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
# A label of words and small numbers, such as `ACME-2024`, `k8s/db-credentials` or `blue+shoes+42`.
_PART: Final = r"(?:(?:[a-z]{2,14}|[A-Z]{2,14}|[A-Z][a-z]{1,14})\d{0,2}|[a-z]\d{1,2}[a-z]?|\d{1,4})"
_LABEL: Final = re.compile(rf"(?=.{{0,60}}[A-Za-z]{{2}}){_PART}(?:[-_./+]{_PART}){{1,8}}")
_MARK: Final = re.compile(r"[!@#$%^&*+=~?]")
_TEXT: Final = re.compile(r"[A-Za-z][a-z]*(?:[-_./:][A-Za-z][a-z]*)*")


def is_placeholder(value: str, *, is_quoted: bool) -> bool:
    """Say whether the value is a word, a type, a reference, an expression or a mask."""
    if value.lower().rstrip(".,;:!?") in _WORDS or _FILLER.fullmatch(value) or _CONSTANT.fullmatch(value):
        return True
    if is_quoted:
        return False
    return any(pattern.match(value) for pattern in (_CALL, _EXPRESSION, _NAMED))


def is_key_like(value: str) -> bool:
    """Say whether the value is one that people do not write as a word: mixed, and long enough."""
    if len(value) < 8 or _TEXT.fullmatch(value) or is_label(value):
        return False
    has_digit, has_letter = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    return has_letter and (has_digit or len(value) >= 16)


def is_label(value: str) -> bool:
    """Say whether the value is joined from words and small numbers, as people name things."""
    return _LABEL.fullmatch(value) is not None


def is_no_word(value: str) -> bool:
    """Say whether nobody writes the value for anything else: it is mixed, or a phrase."""
    if not any(map(str.isalpha, value)):
        return False
    return (
        any(map(str.isdigit, value))
        or _MARK.search(value) is not None
        or is_phrase(value)
        or (
            len(value) >= 16
            and value.isalnum()
            and not (value.islower() or value.isupper() or value.istitle())
        )
    )


def is_phrase(value: str) -> bool:
    """Say whether the value is a passphrase: four or more words of small letters that say nothing."""
    words = value.split(" ")
    return 4 <= len(words) <= 24 and all(
        len(word) > 2 and word.isascii() and word.isalpha() and word.islower() and word not in _WORDS
        for word in words
    )


def is_odd_phrase(value: str) -> bool:
    """Say whether a value with spaces is short, holds a digit, and has no word that describes passwords."""
    words = value.lower().split()
    return len(value) <= 40 and any(map(str.isdigit, value)) and not any(word in _WORDS for word in words)


def describes(value: str) -> bool:
    """Say whether the word says what a password is like rather than what it is."""
    word = value.lower().rstrip(".,;:!?")
    return word in _WORDS or word in _DESCRIPTIONS or _DESCRIBES.fullmatch(word) is not None
