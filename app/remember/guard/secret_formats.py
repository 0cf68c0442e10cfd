"""Secrets that can be told by their form alone. Pure.

Each format has the literal texts that it cannot be without, so that most texts are done with after a few searches
for substrings. Every pattern is one run of characters with a bounded or a disjoint end: none can backtrack far.
The forms are public facts of the issuers' documentation.
"""

import base64
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
    ("mapbox_token", ("sk.eyJ",), rf"sk\.eyJ{_TEXT}{{20,400}}\.{_TEXT}{{16,100}}"),
    ("notion_token", ("secret_",), r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9_])"),
    (
        "vault_token",
        ("s.",),
        r"(?<![\w.])s\.(?=[A-Za-z]{0,23}\d)(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![\w.])",
    ),
    ("cloud_key", ("LTAI", "AKID"), r"(?:LTAI[A-Za-z0-9]{16,24}|AKID[A-Za-z0-9]{32})(?![A-Za-z0-9])"),
    ("wallet_key", ("xprv",), r"xprv[A-Za-z0-9]{90,112}(?![A-Za-z0-9])"),
    ("service_token", ("tvly-", "sk-lf-"), r"(?:tvly-[A-Za-z0-9-]{28,60}|sk-lf-[a-f0-9-]{36})(?![\w-])"),
    ("airtable_token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("fly_token", ("FlyV1 ",), r"FlyV1 (?=[A-Za-z_-]{0,40}\d)([A-Za-z0-9+/=_,-]{20,4000})"),
    ("supabase_key", ("sbp_", "sb_secret_"), r"sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,80})"),
    ("pulumi_token", ("pul-",), r"pul-[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("terraform_token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,100}"),
    ("rubygems_key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    ("nuget_key", ("oy2",), r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("langsmith_key", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    (
        "azure_client_secret",
        ("Q~",),
        r"(?<![~_.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
    ),
    (
        "discord_webhook",
        ("/webhooks/",),
        r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,21}/([A-Za-z0-9_-]{40,100})",
    ),
    ("atlassian_token", ("ATATT3", "ATCTT3", "ATBB"), r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{28,300}"),
    ("mail_key", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ("mail_key", ("-us",), r"[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])"),
    ("dynatrace_token", ("dt0",), r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("hubspot_token", ("pat-",), r"pat-(?:na|eu|ap)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"),
    ("heroku_key", ("HRKU-",), r"HRKU-[A-Za-z0-9_-]{36,80}"),
    ("quality_token", ("sqp_", "squ_", "sqa_"), r"sq[pua]_[a-f0-9]{40}"),
    (
        "service_token",
        (
            *(
                "tskey-",
                "gsk_",
                "xai-",
                "pplx-",
                "pscale_",
                "CCIPAT_",
                "nfp_",
                "bkua_",
                "CFPAT-",
                "rnd_",
                "napi_",
            ),
            *("phx_", "re_", "fio-u-", "EZAK", "pnu_", "ops_eyJ", "sl.", "tfp_", "shippo_", "cfpat_"),
        ),
        r"(?:tskey-[a-z]{2,12}-|gsk_|xai-|pplx-|pscale_(?:tkn|pw|oauth)_|CCIPAT_|nfp_|bkua_|CFPAT-|cfpat_"
        r"|rnd_"
        r"|napi_|phx_|re_(?=[A-Za-z0-9]{8}_)|fio-u-|EZAK|pnu_|ops_eyJ|sl\.[A-Z]\.|tfp_|shippo_(?:live|test)_)"
        r"(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_.=-]{24,1000}",
    ),
    ("password_hash", ("$2",), r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"),
    (
        "password_hash",
        ("$1$", "$5$", "$6$", "$y$", "$gy$", "$7$", "$apr1$", "$md5", "$sha1$", "$P$", "$H$"),
        r"\$(?:[1567]|g?y|apr1|md5|sha1)\$(?:[A-Za-z0-9=,./-]{1,60}\$){1,2}[./A-Za-z0-9]{20,100}"
        r"|\$[PH]\$[./A-Za-z0-9]{31}",
    ),
    (
        "password_hash",
        ("$argon2", "$scrypt$", "$pbkdf2", "$bcrypt"),
        r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-[a-z0-9]{2,10})?|bcrypt-sha256)\$[A-Za-z0-9$=,./+-]{0,80}"
        r"\$[A-Za-z0-9./+=-]{16,200}",
    ),
    (
        "password_hash",
        ("pbkdf2", "scrypt", "argon2$", "bcrypt_sha256$"),
        r"(?:pbkdf2_sha(?:1|256|512)|pbkdf2:sha\d{1,3}:\d{1,8}|scrypt:\d{1,8}:\d{1,3}:\d{1,3}|argon2"
        r"|bcrypt_sha256)"
        r"\$[A-Za-z0-9$=,./+-]{0,100}\$[A-Za-z0-9./+=]{20,200}",
    ),
    (
        "password_hash",
        ("SHA}", "SHA256}", "SHA512}", "CRYPT}", "MD5}"),
        r"\{S?(?:SHA(?:256|512)?|MD5|CRYPT)\}[A-Za-z0-9+/=$.]{20,150}",
    ),
    (
        "password_hash",
        ("SCRAM-SHA-",),
        r"SCRAM-SHA-(?:1|256)\$\d{1,7}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=:]{30,150}",
    ),
    (
        "storage_key",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/=]{20,200})",
    ),
)
_COMPILED: Final = tuple((kind, anchors, re.compile(_START + pattern)) for kind, anchors, pattern in _FORMATS)
# The first part is a number in base64; nothing else in a token is a mark of it.
_DISCORD: Final = re.compile(
    rf"{_START}(?<![_.-])([MNO][A-Za-z0-9]{{23,27}})\.{_TEXT}{{6}}\.{_TEXT}{{27,40}}(?!{_TEXT})"
)
_AWS_SECRET: Final = re.compile(rf"{_START}(?<![+/=])[A-Za-z0-9+/]{{40}}(?![A-Za-z0-9+/=])")


def find_formats(text: str) -> Iterator[Secret]:
    """Yield each secret of a known form; they may overlap."""
    for kind, anchors, pattern in _COMPILED:
        if any(anchor in text for anchor in anchors):
            for found in pattern.finditer(text):
                yield Secret(*found.span(pattern.groups), kind)
    for found in _DISCORD.finditer(text):
        if _is_number(found[1]):
            yield Secret(*found.span(), "discord_token")
    if "AKIA" in text or "ASIA" in text:
        # The secret key has no mark of its own, so it is looked for only where its id stands.
        for found in _AWS_SECRET.finditer(text):
            if looks_random(found[0]):
                yield Secret(*found.span(), "aws_secret_access_key")


def _is_number(encoded: str) -> bool:
    return base64.b64decode(encoded + "=" * (-len(encoded) % 4)).isdigit() if len(encoded) % 4 != 1 else False


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
