"""Secrets that can be told by their form alone. Pure.

Each format has the literal texts that it cannot be without, so that most texts are done with after a few searches
for substrings. Every pattern is one run of characters with a bounded or a disjoint end: none can backtrack far.
The forms are public facts of the issuers' documentation.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

MASK: Final = "█"


@dataclass(frozen=True, slots=True)
class Secret:
    """Half-open range of code points that holds a secret, and what kind it is of."""

    start: int
    end: int
    kind: str


# Neither inside a word nor right behind something that is masked already.
_START: Final = rf"(?<![A-Za-z0-9{MASK}])"
_TEXT: Final = "[A-Za-z0-9_-]"
_FORMATS: Final = (
    ("densemem_key", ("dm_",), rf"dm_{_TEXT}{{43}}(?!{_TEXT})"),
    (
        "aws_access_key_id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    ("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{30,255}"),
    ("github_token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    (
        "gitlab_token",
        ("gl",),
        r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|wt)-[A-Za-z0-9_.-]{20,300}",
    ),
    ("slack_token", ("xox", "xapp-"), r"(?:xox[a-z]|xapp)(?:\.xox[a-z])?-[A-Za-z0-9-]{10,300}"),
    (
        "slack_webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/+-]{20,200})",
    ),
    (
        "stripe_key",
        ("k_live_", "k_test_", "whsec_"),
        r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{16,255}",
    ),
    ("google_key", ("AIza",), rf"AIza{_TEXT}{{35}}"),
    ("google_token", ("ya29.", "GOCSPX-", "1//0"), r"(?:ya29\.|GOCSPX-|1//0)[A-Za-z0-9_.-]{20,600}"),
    ("anthropic_key", ("sk-ant-",), rf"sk-ant-{_TEXT}{{16,255}}"),
    (
        "openai_key",
        ("sk-",),
        rf"sk-(?:(?:proj|svcacct|admin|None|or-v1)-{_TEXT}{{20,255}}|[A-Za-z0-9]{{32,64}}(?!{_TEXT}))",
    ),
    ("openai_key", ("T3BlbkFJ",), rf"(?<![_-]){_TEXT}{{8,200}}T3BlbkFJ{_TEXT}{{8,200}}"),
    ("npm_token", ("npm_",), r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi_token", ("pypi-",), rf"pypi-AgE{_TEXT}{{40,400}}"),
    ("huggingface_token", ("hf_",), r"hf_[A-Za-z0-9]{30,50}(?![A-Za-z0-9_])"),
    ("docker_token", ("dckr_",), rf"dckr_(?:pat|oat)_{_TEXT}{{20,64}}"),
    ("cloud_token", ("_v1_",), r"do[opr]_v1_[a-f0-9]{64}"),
    ("cloud_token", ("dapi",), r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("vault_token", ("hvs.", "hvb.", "hvr."), rf"hv[sbr]\.{_TEXT}{{20,300}}"),
    ("sendgrid_key", ("SG.",), rf"SG\.{_TEXT}{{16,32}}\.{_TEXT}{{16,64}}"),
    ("mail_key", ("key-",), r"key-[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("shop_token", ("shp",), r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("square_token", ("sq0", "EAAA"), rf"(?:sq0[a-z]{{3}}-{_TEXT}{{22,50}}|EAAA{_TEXT}{{50,80}})"),
    ("telegram_token", (":AA",), rf"\d{{8,10}}:AA{_TEXT}{{33}}(?!{_TEXT})"),
    ("grafana_token", ("glsa_", "glc_"), r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,300}"),
    (
        "service_token",
        ("lin_api_", "ntn_", "PMAK-", "NRAK-", "dp.", "r8_", "figd_", "sntry"),
        r"(?:lin_api_|ntn_|PMAK-|NRAK-|dp\.(?:pt|st|ct|sa|scim|audit)\.|r8_|figd_|sntry[su]_)"
        r"[A-Za-z0-9_.+/=-]{20,300}",
    ),
    ("age_key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    (
        "jwt",
        ("eyJ",),
        r"(?<![_-])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,4000}){1,3}",
    ),
    (
        "storage_key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/=]{20,200})",
    ),
)
_COMPILED: Final = tuple((kind, anchors, re.compile(_START + pattern)) for kind, anchors, pattern in _FORMATS)
_AWS_SECRET: Final = re.compile(rf"{_START}(?<![+/=])[A-Za-z0-9+/]{{40}}(?![A-Za-z0-9+/=])")
_KEY_LABEL: Final = r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_KEY_BEGINS: Final = re.compile(f"-----BEGIN {_KEY_LABEL}")
_KEY_ENDS: Final = re.compile(f"-----END {_KEY_LABEL}")
_KEY_HEADER: Final = re.compile(r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): ")
_LINE: Final = re.compile(r"[^\n]+")
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")


def find_formats(text: str) -> Iterator[Secret]:
    """Yield each secret of a known form; they may overlap."""
    for kind, anchors, pattern in _COMPILED:
        if any(anchor in text for anchor in anchors):
            for found in pattern.finditer(text):
                yield Secret(*found.span(pattern.groups), kind)
    if "AKIA" in text or "ASIA" in text:
        # The secret key has no mark of its own, so it is looked for only where its id stands.
        for found in _AWS_SECRET.finditer(text):
            if looks_random(found[0]):
                yield Secret(*found.span(), "aws_secret_access_key")
    if "PRIVATE KEY" in text:
        yield from _find_private_keys(text)


def looks_random(value: str) -> bool:
    """Say whether the value is mixed as only a random one is: not a word, a path, a number or a hex digest."""
    if not (any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))):
        return False
    if len(set(value)) < 12:
        return False
    kinds = [
        "d" if one.isdigit() else "u" if one.isupper() else "l" if one.islower() else "s" for one in value
    ]
    changes = sum(before != after for before, after in pairwise(kinds))
    return changes >= 0.35 * len(value) and kinds.count("s") <= 0.15 * len(value)


def _find_private_keys(text: str) -> Iterator[Secret]:
    """Yield the lines between the marks; where one is missing, the lines beside the other that look like a key."""
    place = 0
    while place < len(text):
        begins = _KEY_BEGINS.search(text, place)
        ends = _KEY_ENDS.search(text, begins.end() if begins else place)
        if begins is None and ends is None:
            return
        start, stop = begins.end() if begins else place, ends.start() if ends else len(text)
        for line in _LINE.finditer(text, start, stop):
            bare = line[0].strip()
            if begins is None and not _ENCODED.fullmatch(bare):
                continue
            if ends is None and " " in bare and not _KEY_HEADER.match(bare):
                stop = line.start()
                break
            yield Secret(*line.span(), "private_key")
        place = ends.end() if ends else stop
