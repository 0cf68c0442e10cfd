"""Secrets that a name beside them gives away: `password = …`, `"api_key": "…"`, `?sig=…`, `--token …`. Pure.

The name is looked for first; what stands around it is then read piece by piece from there, each piece bounded, so
that the cost follows the number of names.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.remember.guard.placeholders import is_key_like, is_odd_phrase, is_phrase, is_placeholder
from app.remember.guard.secret_formats import MASK, Secret

_PASSWORD: Final = (
    r"pass[-_ ]?(?:word|wd|phrase|code)|(?<![a-z])pass(?=[\"']?[ ]{0,2}[=:])|pwd|pswd|passwort|kennwort"
    r"|contraseña|mot de passe|пароль|パスワード|密码|口令|비밀번호|seed phrase|mnemonic|(?<![a-z])pin(?![a-z])"
)
_KEY: Final = r"secret|token|credential|key|sessionid|set-cookie|authorization"
# A key alone is the key of a dictionary; these are the ones that open something.
_KEY_BEFORE: Final = re.compile(
    r"(?:api|access|account|private|signing|encryption|master|auth|shared|deploy|service|session)[-_ ]?\Z"
)
_SIGNATURE: Final = (
    r"x-(?:amz|goog)-(?:signature|security-token|credential)|[?&;](?:sig|signature|key|auth|code)(?==)"
)
# Searched in lower case: a pattern that ignores case is ten times slower.
_NAME: Final = re.compile(f"(?P<password>{_PASSWORD})|(?P<signature>{_SIGNATURE})|(?P<key>{_KEY})")
# A name that is about something else than the secret itself: `token_count`, `password_field`, `next_token`.
_OTHER_AFTER: Final = re.compile(
    r"[-_ ]?(?:counts?|names?|ids?|ur[il]s?|paths?|files?|fields?|types?|len\w{0,3}|sizes?|limits?"
    r"|polic\w{1,4}|hints?|expir\w{0,6}|ttl|env|refs?|ize\w{0,3}|index|max|min|budget|usage|manager|provider|store|version|prefix|algorithm"
    r"|rotation|scopes?|endpoint|param\w{0,6}|headers?|label|input|per\w{0,10})(?![a-z])",
    re.IGNORECASE,
)
_OTHER_BEFORE: Final = re.compile(
    r"(?:next|page|continuation|max|min|num|eos|bos|pad|unk|sep|cls|special|input|output|cancel\w{0,6}|total)"
    r"[-_ ]?\Z",
    re.IGNORECASE,
)
_REST: Final = re.compile(r"[\w-]{0,40}")
_SEPARATOR: Final = re.compile(
    r"(?:\\?[\"'`\]]){0,2}(?:\s{0,4}(?::=|=>|==?|:|：|->)[ \t]{0,8}(?:\r?\n[ \t]{1,12}(?=[\"']))?"
    r"|[ \t]{1,4}(?:is|was|lautet|ist)[ \t]{0,2}:?[ \t]{1,4}|[ \t]{1,3}(?=[\"'`]))"
)
_SPACE: Final = re.compile(r"[ \t]{1,4}")
_OPTION: Final = re.compile(r"--?[\w-]{0,40}\Z")
_QUOTED: Final = re.compile(
    r"\\\"([^\"\\\n]{1,400})\\\"|[bfru]?\"((?:[^\"\\\n]|\\.){1,400})\"|[bfru]?'((?:[^'\\\n]|\\.){1,400})'|`([^`\n]{1,400})`"
)
_BARE: Final = re.compile(r"[^\s\"'`<>]{1,1000}|<[^\s<>]{1,100}>")
_PHRASE: Final = re.compile(r"[^\n\"'`]{1,300}")
_NEXT_PAIR: Final = re.compile(r"[&;,][ ]?[\w-]{1,40}[=:]|#\w|\\n|\\r")
_SCHEME: Final = re.compile(r"(?:bearer|basic|token|digest|negotiate|apikey)[ ]{1,3}", re.IGNORECASE)


def find_assignments(text: str) -> Iterator[Secret]:
    """Yield the value beside each name of a secret, in their order; they do not overlap."""
    lowered = _lower(text)
    place = 0
    while name := _NAME.search(lowered, place):
        place = name.end()
        separator = _find_separator(text, name)
        if separator is None:
            continue
        secret = _read_value(text, name, separator)
        if secret is not None:
            yield secret
            place = secret.end


def kind_of_value(key: str, value: str) -> str | None:
    """Return the kind of secret that the value under this key of a JSON object is, or None."""
    for name in _NAME.finditer(_lower(key)):
        is_named = _find_separator(key + "=", name) is not None
        if is_named and _is_secret(value, name, is_quoted=True, is_sure=True):
            return _kind(name)
    return None


def _lower(text: str) -> str:
    """Return the text in lower case with every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def _find_separator(text: str, name: re.Match[str]) -> re.Match[str] | None:
    """Return what stands between name and value, or None where the name names something else."""
    before = max(0, name.start() - 12)
    if name[0] == "key" and not _KEY_BEFORE.search(name.string, before, name.start()):
        return None
    if _OTHER_AFTER.match(text, name.end()) or _OTHER_BEFORE.search(text, before, name.start()):
        return None
    rest = _REST.match(text, name.end())
    end = rest.end() if rest else name.end()
    # A small letter goes on with another word, such as "secretary"; a plural does not.
    if text[name.end() : end].lstrip("s")[:1].islower() and not text[name.end() - 1].isupper():
        return None
    separator = _SEPARATOR.match(text, end)
    if separator is None and _OPTION.search(text, max(0, name.start() - 42), name.start()):
        return _SPACE.match(text, end)
    return separator


def _read_value(text: str, name: re.Match[str], separator: re.Match[str]) -> Secret | None:
    start = separator.end()
    scheme = _SCHEME.match(text, start)
    if scheme is not None:
        start = scheme.end()
    quoted = _QUOTED.match(text, start)
    if quoted is None:
        return _read_bare(text, start, name, separator[0], has_scheme=scheme is not None)
    group = quoted.lastindex or 1
    is_secret = _is_secret(quoted[group], name, is_quoted=True, is_sure=scheme is not None)
    return Secret(*quoted.span(group), _kind(name)) if is_secret else None


def _read_bare(
    text: str, start: int, name: re.Match[str], separator: str, *, has_scheme: bool
) -> Secret | None:
    bare = _BARE.match(text, start)
    if bare is None or is_placeholder(bare[0], is_quoted=False):
        return None
    said = separator.strip(" \t\"'`]")
    is_prose = said[:1].isalpha()
    line = _PHRASE.match(text, start)
    if line is not None and said and not is_prose and is_phrase(line[0].strip()):
        return Secret(start, start + len(line[0].rstrip()), _kind(name))
    following = _NEXT_PAIR.search(bare[0])
    value = (bare[0][: following.start()] if following else bare[0]).rstrip(",;:.)]}\\")
    if is_prose:
        has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        is_secret = has_both and len(value) > 5 and _is_secret(value, name, is_quoted=False, is_sure=False)
    else:
        is_alone = not text[start + len(value) : start + len(value) + 9].partition("\n")[0].strip(" \t\r,;")
        is_tight = said in ("=", "") and separator == separator.strip()
        is_sure = is_alone or is_tight or has_scheme
        # `API_KEY=word` in an environment file is a secret even if it is a word.
        is_environment = is_sure and text[name.start() : name.end()].isupper() and len(value) >= 6
        is_word = value.isdigit() or is_placeholder(value, is_quoted=False)
        is_secret = (is_environment and not is_word) or _is_secret(
            value, name, is_quoted=False, is_sure=is_sure
        )
    return Secret(start, start + len(value), _kind(name)) if is_secret else None


def _is_secret(value: str, name: re.Match[str], *, is_quoted: bool, is_sure: bool) -> bool:
    if len(value.strip(MASK)) < 4 or is_placeholder(value, is_quoted=is_quoted):
        return False
    if " " in value.strip():
        return is_phrase(value) or (name["password"] is not None and is_quoted and is_odd_phrase(value))
    if name["signature"]:
        return is_key_like(value) or len(value) >= 16
    has_no_word_form = not value.isalpha()
    if name["password"]:
        if name[0] == "pin":
            return value.isdigit()
        return is_quoted or is_sure or has_no_word_form
    if name[0] in ("authorization", "set-cookie"):
        return is_sure and len(value) >= 8
    return is_key_like(value)


def _kind(name: re.Match[str]) -> str:
    if name["password"]:
        return "password"
    return "signature" if name["signature"] else "named_secret"
