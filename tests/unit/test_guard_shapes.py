"""A secret is known by the shape of its surroundings: a column, a call, a sentence, a line that goes on."""

import pytest

from app.remember.guard.mask import mask_text
from app.remember.guard.secret_formats import MASK
from tests.unit.guard_secrets import MIXED

TOKEN = "ghp_" + MIXED[:36]
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw" + MIXED[:28]
HEX = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"export GITHUB_TOKEN={TOKEN[:22]}\\\n{TOKEN[22:]}", [TOKEN[:22], TOKEN[22:]]),
        (f"my token is {TOKEN[:25]}\n{TOKEN[25:]} as mailed", [TOKEN[:25], TOKEN[25:]]),
        (f"> key: {TOKEN[:24]}\n> {TOKEN[24:]}", [TOKEN[:24], TOKEN[24:]]),
        ("| host | user | password |\n|---|---|---|\n| db1 | app | g7-Rwq-88x |", ["g7-Rwq-88x"]),
        ("host,user,password\ndb1,app,g7-Rwq-88y\ndb2,app,h2k-Wq", ["g7-Rwq-88y", "h2k-Wq"]),
        ("user\tpassword\napp\thunter2zebra", ["hunter2zebra"]),
        ("password (prod): hunter2zebra", ["hunter2zebra"]),
        (f"DD_APP_KEY={HEX}", [HEX]),
        ('auth=("bob", "hunter2zebra")', ["hunter2zebra"]),
        ('new NetworkCredential("bob", "hunter2zebra")', ["hunter2zebra"]),
        (f"The file was:\n{BODY}\n{MIXED[:48]}", [BODY, MIXED[:48]]),
        (f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUA{MIXED[:40]}", [MIXED[:40]]),
        (f"MAPBOX=sk.eyJ1Ijoi{MIXED[:40]}.{MIXED[:22]}", [MIXED[:22]]),
        (f"it uses secret_{MIXED[:43]} now", [MIXED[:43]]),
        (f"vault login s.{MIXED[:24]}", [MIXED[:24]]),
        ('Use "Summer-2026!" as the password', ["Summer-2026!"]),
        ("The door PIN is 4821.", ["4821"]),
        ("db.internal:5432:app:appuser:f5J!kd0w", ["f5J!kd0w"]),
        ("Le mot de passe du compte admin est « Chaton!2024 ».", ["Chaton!2024"]),
        ("La contraseña del servidor es Girasol#77x, gracias.", ["Girasol#77x"]),
    ],
)
def test_a_shape_gives_a_secret_away(text: str, values: list[str]) -> None:
    masked = mask_text(text).text
    assert not [value for value in values if value in masked]
    assert len(masked) == len(text)
    assert MASK in masked
    assert mask_text(masked).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "| field | password |\n|---|---|\n| type | string |\n| length | at least 12 |",
        "name,token,unit\nusage,count,1",
        f"CACHE_KEY={HEX}",
        f"the commit\n{MIXED[:36]}",
        'connect("db1", "app-2024")',
        "Use port 8443 as the default.",
        "The PIN is printed on the card of 2024.",
        "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" + MIXED[:20],
        "12:30:00:app:done",
    ],
)
def test_what_only_has_the_shape_stays(text: str) -> None:
    assert mask_text(text).text == text
