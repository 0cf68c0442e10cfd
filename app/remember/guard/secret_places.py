"""Secrets that their place gives away: addresses with a login, headers, options, random values. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from app.remember.guard.placeholders import describes, is_key_like, is_placeholder
from app.remember.guard.secret_formats import MASK, Secret, looks_random

_LOGIN_IN_ADDRESS: Final = re.compile(r"://([^\s/?#:@\"'<>]{0,128})(?::(?!//)([^\s\"'<>]{1,128}))?@")
_PORT: Final = re.compile(r"\d{1,5}(?:[/?#]|\Z)")
_BEARER: Final = re.compile(r"\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC)[ ]{1,3}([A-Za-z0-9._~+/=-]{16,2000})")
_LOGIN_OPTION: Final = re.compile(
    r"(?<![\w-])(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"']{1,64}:([^\s\"']{3,128})"
)
_RUN: Final = re.compile(rf"(?<![A-Za-z0-9+/_=.{MASK}-])[A-Za-z0-9+/_=-]{{24,200}}(?![A-Za-z0-9+/_=.-])")
_ASSIGNED: Final = re.compile(r"([A-Za-z][\w.-]{0,60})[\"']?[ \t]{0,4}(?:=|:|:=|=>)[ \t]{0,4}[\"']?\Z")
_CONTRACT: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PUBLIC: Final = re.compile(
    r"(?<![a-z])(?:hash|sha|digest|checksum|integrity|commit|rev|revision|etag|uuid|guid|id|image|img"
    r"|data|path|url|uri|src"
    r"|href|fingerprint|public|pub|cert|certificate|version|content|file|name|class|module|import|nonce"
    r"|slug|cursor"
    r"|title|text|link|page|next)(?![a-z])"
)
_NETRC: Final = re.compile(r"\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4}(\S{4,128})")
_STATEMENT: Final = re.compile(
    r"\bIDENTIFIED\s(?:WITH\s\S{1,64}\s)?BY\s(?:PASSWORD\s)?'([^'\n]{3,128})'"
    r"|^\s{0,8}requirepass\s+\"?([^\s\"]{4,128})",
    re.MULTILINE,
)
# `creds: admin / hunter2`, `login: admin:hunter2`: after such a word the second of a pair is the password.
_PAIR: Final = re.compile(
    r"(?<![\w-])(?P<sure>creds?|credentials?|zugangsdaten|identifiants|credenciales)|(?<![\w-])(?:login"
    r"|log-in|logins|auth|account)"
)
_OF_PAIR: Final = re.compile(
    r"[^\n:=]{0,40}?(?:[ \t]{0,2}(?:[:=]|->)|[ \t](?:are|is|were))[ \t]{0,4}[\"'`]?[\w.@+-]{1,64}[\"'`]?"
    r"(?:[ ]{0,2}(?P<mark>[/:|,])[ ]{0,2}|[ ]{1,2})[\"'`]?([^\s\"'`,;/:]{4,128})"
)
# A private key of a ledger looks like the hash of a transaction, so the nearest word before it decides.
_HEX_KEY: Final = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?![0-9A-Za-z])")
_IS_KEY: Final = re.compile(r"[\"'`)]{0,2} (?:is|was) (?:\w{1,12} ){1,3}?(?:private|secret|signing) key")
_NEAREST: Final = re.compile(
    r"(?P<public>(?:pub\w{0,4}|cache|dedup\w{0,10}|object|idempotency|partition|sort|lookup|row|tx|redis|primary"
    r"|foreign|routing)[-_ ]?key|\w{0,12}hash|\btx\b|transaction|block|root|topic|digest|sha\d{0,3}"
    r"|address"
    r"|etag|commit)|key|mnemonic|(?<![a-z])(?:seed|sk|pk|priv)(?![a-z])"
)


def find_placed(text: str) -> Iterator[Secret]:
    """Yield each secret that its place gives away; they may overlap."""
    if "://" in text:
        yield from _find_in_addresses(text)
    for found in _BEARER.finditer(text):
        if is_key_like(found[1]) and not is_placeholder(found[1], is_quoted=False):
            yield Secret(*found.span(1), "authorization")
    if "-u" in text:
        for found in _LOGIN_OPTION.finditer(text):
            if not found[1].isdigit() and not is_placeholder(found[1], is_quoted=False):
                yield Secret(*found.span(1), "password")
    for found in _NETRC.finditer(text) if "login" in text else ():
        yield Secret(*found.span(1), "password")
    for found in _STATEMENT.finditer(text) if "IDENTIFIED" in text or "requirepass" in text else ():
        yield Secret(*found.span(found.lastindex or 1), "password")
    yield from _find_pairs(text)
    yield from _find_hex_keys(text)
    for found in _RUN.finditer(text):
        name = _ASSIGNED.search(text, max(0, found.start() - 80), found.start())
        if (
            name is not None
            and not found[0].startswith("_Z")
            and not _is_public(name[1])
            and not _CONTRACT.fullmatch(found[0])
            and looks_random(found[0])
        ):
            yield Secret(*found.span(), "random_value")


def _find_pairs(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):
        return
    for word in _PAIR.finditer(lowered):
        found = _OF_PAIR.match(text, word.end())
        if found is None or is_placeholder(found[2], is_quoted=False):
            continue
        is_mixed = any(map(str.isdigit, found[2])) and any(map(str.isalpha, found[2])) and "." not in found[2]
        if is_mixed or (word["sure"] and found["mark"] and not describes(found[2])):
            yield Secret(*found.span(2), "password")


def _find_hex_keys(text: str) -> Iterator[Secret]:
    for found in _HEX_KEY.finditer(text):
        before = text[max(0, found.start() - 60) : found.start()].rpartition("\n")[2].lower()
        words = [*_NEAREST.finditer(before)]
        if (words and not words[-1]["public"]) or _IS_KEY.match(text, found.end()):
            yield Secret(*found.span(), "private_key")


def _is_public(name: str) -> bool:
    return _PUBLIC.search(_HUMP.sub("_", name).lower()) is not None


def _find_in_addresses(text: str) -> Iterator[Secret]:
    for found in _LOGIN_IN_ADDRESS.finditer(text):
        user, password = found[1], found[2]
        if password is not None:
            # Here even a word such as "pass" stands where a password stands.
            if not _PORT.match(password) and (
                password.isalpha() or not is_placeholder(password, is_quoted=True)
            ):
                yield Secret(*found.span(2), "address_password")
        elif len(user) >= 20 and is_key_like(user):
            yield Secret(*found.span(1), "address_password")
