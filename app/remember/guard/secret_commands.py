"""Passwords that command lines carry: which program takes one, and in which option. Pure.

An option such as `-p` means something else to most programs, so it is read only behind those that take a password
in it, in the same command: up to a line end, a pipe or a semicolon.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.remember.guard.placeholders import is_placeholder
from app.remember.guard.secret_formats import Secret

_VALUE: Final = r"(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|([^\s'\"|;&<>\-][^\s'\"|;&<>]{0,200}))"
_LOGIN: Final = (
    r"(?:'[^':\n]{1,64}:([^'\n]{3,200})'|\"[^\":\n]{1,64}:([^\"\n]{3,200})\""
    r"|[^\s:'\"]{1,64}:([^\s'\"]{3,200}))"
)
# Programs, and the options of theirs that a password follows.
_COMMANDS: Final = tuple(
    (anchors, re.compile(rf"(?<![\w-])(?:{programs})(?![\w-])"), re.compile(rf"(?<=\s){option}"))
    for anchors, programs, option in (
        (("mysql", "mariadb"), r"mysql\w{0,8}|mariadb(?:-\w{1,9})?", rf"-p(?=\S){_VALUE}"),
        (("sshpass",), r"sshpass", rf"-p\s?{_VALUE}"),
        (
            ("login", "mongo", "svn"),
            r"(?:docker|podman|nerdctl|helm registry|helm|oras|skopeo|buildah|az|oc|ibmcloud|bw|vsce"
            r"|cf)\s+login"
            r"|mongo\w{0,8}",
            rf"-p[ =]\s{{0,3}}{_VALUE}",
        ),
        (("redis-cli", "valkey-cli"), r"(?:redis|valkey)-cli", rf"(?:-a|--pass)[ =]{_VALUE}"),
        (("sqlcmd", "bcp", "osql"), r"sqlcmd|bcp|osql", rf"-P\s?{_VALUE}"),
        (
            ("smb", "rpcclient"),
            r"smbclient|smbget|smbmap|rpcclient",
            r"(?:-U|--user)[ =]?'?[^\s%']{1,64}%([^\s']{3,200})",
        ),
        (("ldap",), r"ldap(?:search|add|modify|delete|passwd|whoami|compare)", rf"-w\s?{_VALUE}"),
        (("htpasswd",), r"htpasswd", rf"-\w*b\w*\s+\S{{1,200}}\s+\S{{1,64}}\s+{_VALUE}"),
        (("htpasswd",), r"htpasswd", rf"-\w*n\w*b\w*\s+\S{{1,64}}\s+{_VALUE}"),
        (("zip",), r"(?:un)?zip", rf"-P\s?{_VALUE}"),
        (("7z", "7za", "rar"), r"7za?|(?:un)?rar", rf"-p(?=\S){_VALUE}"),
        (("curl",), r"curl", rf"-[a-zA-Z]{{0,8}}u\s?{_LOGIN}"),
        (("curl",), r"curl", rf"--(?:proxy-)?user[ =]{_LOGIN}"),
        (("net use",), r"net use", rf"/user:\S{{1,64}}\s+{_VALUE}"),
        (("net user",), r"net user", rf"\S{{1,64}}\s+{_VALUE}(?=\s+/add)"),
        (("xfreerdp", "mstsc"), r"xfreerdp3?|mstsc", rf"/p:{_VALUE}"),
        (("keytool", "jarsigner"), r"keytool|jarsigner", rf"-(?:store|key|deststore|srcstore)pass\s{_VALUE}"),
        (("openssl",), r"openssl", rf"-k\s{_VALUE}"),
        (("lftp", "ncftp"), r"lftp|ncftp", r"-u\s[^\s,]{1,64},([^\s'\"]{3,200})"),
        (("snmp",), r"snmp\w{2,10}", rf"-[AX]\s?{_VALUE}"),
        (("wpa_passphrase",), r"wpa_passphrase", rf"\S{{1,64}}\s+{_VALUE}"),
    )
)
# The rest of a command, quoted parts whole.
_REST: Final = re.compile(r"(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|[^\n|;&'\"]){0,400}+")
# What is piped into a program that reads a password, or given to one that takes `pass:…`.
_PIPED: Final = re.compile(
    rf"\b(?:echo|printf)\s(?:-[ne]{{1,2}}\s)?{_VALUE}\s{{0,4}}\|\s{{0,4}}(?:[^\n|;&]{{0,200}}--password-std"
    rf"in|sudo\s[^\n|;&]{{0,40}}-\w{{0,4}}S"
    rf"|(?:sudo\s)?(?:chpasswd|passwd --stdin|kinit|cryptsetup)\b)"
)
_PASS_SOURCE: Final = re.compile(r"(?<=\s)-pass(?:in|out)?\s['\"]?pass:([^\s'\"]{1,200})")
_PIPED_ANCHORS: Final = ("stdin", "sudo", "chpasswd", "kinit", "cryptsetup")


def find_in_commands(text: str) -> Iterator[Secret]:
    """Yield the value of each option that is a password to its program; they may overlap."""
    for anchors, programs, option in _COMMANDS:
        if any(anchor in text for anchor in anchors):
            for command in programs.finditer(text):
                rest = _REST.match(text, command.end())
                if rest is not None and (found := option.search(text, command.end(), rest.end())):
                    yield from _read(found)
    if any(anchor in text for anchor in _PIPED_ANCHORS):
        for found in _PIPED.finditer(text):
            yield from _read(found)
    if "pass:" in text:
        for found in _PASS_SOURCE.finditer(text):
            yield from _read(found)


def _read(found: re.Match[str]) -> Iterator[Secret]:
    group = found.lastindex
    if group is None:
        return
    start, end = found.span(group)
    value = found[group]
    if value.startswith("root:") or (":" in value and "chpasswd" in found[0]):
        start += value.index(":") + 1
    # Even a word such as "pass" stands where a password stands.
    if len(value) > 2 and (value.isalpha() or not is_placeholder(value, is_quoted=True)):
        yield Secret(start, end, "password")
