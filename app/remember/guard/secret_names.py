"""Secrets that a name gives away: `password = …`, `"api_key": "…"`, `?sig=…`, `the password of x is …`. Pure.

The name is looked for first; what stands between it and a value is then read piece by piece from there, each piece
bounded, so that the cost follows the number of names. `named_values` reads and judges the value.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.remember.guard.named_values import Separator, is_secret, kind_of, read_value
from app.remember.guard.reading import read
from app.remember.guard.secret_formats import Secret

_PASSWORD: Final = (
    r"pass[-_ ]?(?:word|wd|phrase|code)|pass(?=[\"']?[ ]{0,2}[=:])(?<!bypass)(?<!ompass)"
    r"(?<!respass)(?<!surpass)(?<!verpass)(?<!derpass)|pwd|pswd|passwort|kennwort"
    r"|(?<![a-z])(?:pw|mdp|senha|heslo|has[lł]o|lösenord|wachtwoord)(?![a-z])|contrase[ñn]a|mot de passe"
    r"|пароль"
    r"|パスワード|密码|口令|비밀번호|seed phrase|mnemonic|(?<![a-z])pin(?![a-z])"
)
_KEY: Final = r"secret|token|credential|(?<![a-z])creds(?![a-z])|key|sessionid|set-cookie|authorization"
# A key alone is the key of a dictionary; these are the ones that open something.
_KEY_BEFORE: Final = re.compile(
    r"(?:api|access|account|private|signing|encryption|master|auth|shared|deploy|service|session|client"
    r"|wallet"
    r"|deployer|signer|secret|security|storage|consumer|subscription|webhook|bot|license)[-_ ]?\Z"
)
_SIGNATURE: Final = (
    r"x-(?:amz|goog)-(?:signature|security-token|credential)|[?&;](?:sig|signature|key|auth|code)(?==)"
)
# Searched in lower case: a pattern that ignores case is ten times slower.
_NAME: Final = re.compile(f"(?P<password>{_PASSWORD})|(?P<signature>{_SIGNATURE})|(?P<key>{_KEY})")
# A name that is about something else than the secret itself: `token_count`, `password_field`, `next_token`.
_OTHER_AFTER: Final = re.compile(
    r"[-_ ]?(?:counts?|names?|ids?|ur[il]s?|paths?|files?|fields?|types?|len\w{0,3}|sizes?|limits?"
    r"|polic\w{1,4}|hints?|expir\w{0,6}|ttl|env|refs?|ize\w{0,3}|index|max|min|budget|usage|manager"
    r"|provider|store|version|prefix|algorithm"
    r"|rotation|scopes?|endpoint|param\w{0,6}|headers?|label|input|per\w{0,10})(?![a-z])",
    re.IGNORECASE,
)
_OTHER_BEFORE: Final = re.compile(
    r"(?:next|page|continuation|max|min|num|eos|bos|pad|unk|sep|cls|special|input|output|cancel\w{0,6}|total)"
    r"[-_ ]?\Z",
    re.IGNORECASE,
)
# What one shows at a gate, and what one does again.
_PASS_BEFORE: Final = re.compile(
    r"(?:boarding|ski|bus|rail|season|day|guest|visitor|lift|event|travel|bass|first|second|low|high|band)"
    r"[-_ ]?\Z",
    re.IGNORECASE,
)
_REST: Final = re.compile(r"[\w-]{0,40}")
# Behind a mark, a value may stand on the next line: quoted, or as a block of YAML.
_MARK: Final = (
    r"(?:(?P<mark>:=|=>|->|→|==?|:)\*{0,2}[ \t]{0,8}"
    r"(?:[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,24}|\r?\n[ \t]{1,12}(?=[\"']|[A-Za-z0-9+/=]{40}))?)"
)
_SAID: Final = (
    r"(?:[ \t]{1,4}(?P<said>(?:has been|have been|is|was|are|were|been)?[ \t]?(?:now[ \t])?(?:re)?"
    r"(?:set|changed|updated|rotated) to|is|was|remains|lautet|ist|war|est|es|era|è|é|jest|är|это)"
    r"(?:[ \t](?:now|still|jetzt))?[ \t]{0,2}:?[ \t]{1,4})"
)
_SEPARATOR: Final = re.compile(
    rf"(?:\\?[\"'`\]]|\*){{0,2}}(?:\s{{0,4}}{_MARK}|{_SAID}|[ \t]{{1,3}}(?=[\"'`]))", re.IGNORECASE
)
# Whose secret it is, between its name and what it is.
_QUALIFIED: Final = re.compile(
    r"[ \t]{1,3}(?:for|of|to|on|at|in|from|für|von|des|der|zu[mr]?|vom|im|am|del?|la|du|pour|per|para|d[ao]s?"
    r"|voor|van|для|от|used|that|we)[ \t]"
    rf"(?:[^\n:=;!?.]|\.(?=\w)|:(?=//)){{1,60}}?(?:[ \t]{{0,2}}{_MARK}|{_SAID})",
    re.IGNORECASE,
)
# `name: DB_PASSWORD, value: …`: the name is itself the value of a name.
_VALUE_OF_NAME: Final = re.compile(
    r"[\"']?\s{0,2}(?:[,;]\s{0,24}|\s{1,24})[\"']?value[\"']?[ \t]{0,4}(?P<mark>[:=])[ \t]{0,4}",
    re.IGNORECASE,
)
# `{"password": {"value": …}}` and its like in YAML: the value of a value.
_VALUE_BELOW: Final = re.compile(
    r"[\"']?[ \t]{0,4}[:=]\s{0,24}\{?\s{0,24}[\"']?(?:value|plaintext|stringvalue)[\"']?"
    r"[ \t]{0,4}(?P<mark>[:=])[ \t]{0,4}",
    re.IGNORECASE,
)
# `password (prod): …`
_ASIDE: Final = re.compile(rf"[ \t]{{1,2}}\([^()\n]{{1,30}}\)[ \t]{{0,2}}{_MARK}")
_LOOSE: Final = re.compile(r"\*{0,2}[ \t]{0,4}(?:[-–—|(][ \t]{0,4}|(?<=[ \t]))`?")
_SPACE: Final = re.compile(r"[ \t]{1,4}")
_OPTION: Final = re.compile(r"--?[\w-]{0,40}\Z")
_ELEMENT: Final = re.compile(r"<[\w:.-]{0,40}\Z")


def find_assignments(text: str) -> Iterator[Secret]:
    """Yield the value beside each name of a secret, in their order; they do not overlap."""
    lowered = _lower(text)
    place = 0
    while name := _NAME.search(lowered, place):
        place = name.end()
        separator = _find_separator(text, name)
        if separator is None:
            continue
        secret = read_value(text, name, separator)
        if secret is not None:
            yield secret
            place = secret.end


def kind_of_value(key: str, value: str) -> str | None:
    """Return the kind of secret that the value under this key of a JSON object is, or None."""
    # What a key would be in a text; some names are only names with a mark behind them.
    name_as_read = read(key).text + "="
    for name in _NAME.finditer(_lower(name_as_read)):
        is_named = _find_separator(name_as_read, name) is not None
        if is_named and is_secret(value, name, is_quoted=True, is_sure=True):
            return kind_of(name)
    return None


def _lower(text: str) -> str:
    """Return the text in lower case with every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def _find_separator(text: str, name: re.Match[str]) -> Separator | None:
    """Return what stands between name and value, or None where the name names something else."""
    before = max(0, name.start() - 16)
    if name[0] == "key" and not _KEY_BEFORE.search(name.string, before, name.start()):
        return None
    if _OTHER_AFTER.match(text, name.end()) or _OTHER_BEFORE.search(text, before, name.start()):
        return None
    if name[0] == "pass" and _PASS_BEFORE.search(text, before, name.start()):
        return None
    rest = _REST.match(text, name.end())
    end = rest.end() if rest else name.end()
    # A small letter goes on with another word, such as "secretary"; a plural does not.
    if text[name.end() : end].lstrip("s")[:1].islower() and not text[name.end() - 1].isupper():
        return None
    for pattern in (_VALUE_BELOW, _SEPARATOR, _ASIDE, _QUALIFIED, _VALUE_OF_NAME):
        if found := pattern.match(text, end):
            groups = found.groupdict()
            said = groups.get("said")
            if said:
                # Of other verbs it is not known here what they are followed by.
                return Separator(
                    found.end(), "said" if said.lower().endswith(("is", "was", "to")) else "loose"
                )
            if found[0].isspace():
                return Separator(found.end(), "said")
            is_tight = found[0] == groups["mark"] == "="
            return Separator(found.end(), "tight" if is_tight else "marked")
    if text.startswith(">", end) and _ELEMENT.search(text, max(0, name.start() - 41), name.start()):
        return Separator(end + 1, "tight")
    is_option = _OPTION.search(text, max(0, name.start() - 42), name.start())
    beside = _SPACE.match(text, end) if is_option else _LOOSE.match(text, end)
    return None if beside is None else Separator(beside.end(), "tight" if is_option else "loose")
