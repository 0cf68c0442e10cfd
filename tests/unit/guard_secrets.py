"""Seeded secrets, each in a text that gives it away, and technical text that no masking may touch.

All values are made up. They are put together from pieces, so that no scanner takes this file for a leak.
"""

import base64
from typing import Final

# Letters and digits without any meaning, of the lengths that the formats want.
MIXED: Final = "a8Kq2ZtR5wYx7LmP3vNc9BdF4gHjS6eT1uQoWiEr0yUzXpMkVnAbCdGhJfLsOtRqZx8w2K5m"
HEX: Final = "9f3a7c1e5b8d2046af71c3e9d5b80246e1f7a3c95d8b2046"


def _jwt() -> str:
    parts = (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","iat":1516239022}')
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), MIXED[:43]])


def _private_key(label: str) -> tuple[str, tuple[str, ...]]:
    lines = (MIXED[:64], MIXED[4:68], MIXED[8:48] + "==")
    mark = "PRIVATE " + "KEY"
    return "\n".join([f"-----BEGIN {label}{mark}-----", *lines, f"-----END {label}{mark}-----"]), lines


_BY_FORM: Final = (
    *("dm_" + MIXED[:43], "AK" + "IA" + MIXED[:16].upper(), "AS" + "IA" + MIXED[4:20].upper()),
    *(f"gh{kind}_" + MIXED[:36] for kind in "pousr"),
    *(
        "github" + "_pat_" + MIXED[:22] + "_" + MIXED[:40],
        "gl" + "pat-" + MIXED[:20],
        "gl" + "dt-" + MIXED[:20],
    ),
    *(
        "xo" + "xb-123456789012-123456789012-" + MIXED[:24],
        "xo" + "xp-" + MIXED[:40],
        "xa" + "pp-1-A0B1-" + HEX,
    ),
    *("sk" + "_live_" + MIXED[:24], "sk" + "_test_" + MIXED[:24], "rk" + "_live_" + MIXED[:24]),
    *(
        "wh" + "sec_" + MIXED[:32],
        "AI" + "za" + MIXED[:35],
        "ya" + "29." + MIXED[:60],
        "GOC" + "SPX-" + MIXED[:28],
    ),
    *(
        "sk" + "-" + MIXED[:48],
        "sk" + "-proj-" + MIXED[:60],
        "sk" + "-ant-api03-" + MIXED,
        "sk" + "-or-v1-" + HEX,
    ),
    *(
        "np" + "m_" + MIXED[:36],
        "py" + "pi-AgE" + MIXED[:60],
        "hf" + "_" + MIXED[:34],
        "dckr" + "_pat_" + MIXED[:27],
    ),
    *(
        "dop" + "_v1_" + (HEX + HEX)[:64],
        "hv" + "s." + MIXED[:24],
        "da" + "pi" + HEX[:32],
        "key" + "-" + HEX[:32],
    ),
    *("S" + "G." + MIXED[:22] + "." + MIXED[:43], "shp" + "at_" + HEX[:32], "sq" + "0atp-" + MIXED[:22]),
    *(
        "123456789" + ":AA" + MIXED[:33],
        "gls" + "a_" + MIXED[:32] + "_1a2b3c4d",
        "lin" + "_api_" + MIXED[:40],
    ),
    *("AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE", _jwt()),
)
_BY_NAME: Final = (
    ("postgres://app:{}@db.internal:5432/app", "s3cr3t"),
    ("postgresql+psycopg://user:{}@localhost/x", "pass"),
    ("mysql://root:{}@10.0.0.3/shop", "p@ss!word"),
    ("redis://:{}@cache:6379/0", "hunter2"),
    ("amqps://svc:{}@broker/vhost", "a/b/c9d"),
    ("mongodb+srv://admin:{}@cluster0.example.net/?w=majority", "Tr0ub4dor&3"),
    ("Clone https://user:{}@git.example.com/a/b.git now.", MIXED[:20]),
    ("https://{}@git.example.com/a/b.git", MIXED[:40]),
    (
        "https://b.s3.example.com/k?X-Amz-Date=20250101T000000Z&X-Amz-Signature={}&X-Amz-Expires=60",
        HEX + HEX[:16],
    ),
    ("https://b.s3.example.com/k?X-Amz-Security-Token={}&x=1", MIXED[:60]),
    ("https://a.blob.example.net/c/b?sv=2022-11-02&se=2025-01-01&sr=b&sig={}", MIXED[:43] + "%3D"),
    ("https://storage.example.com/b/o?X-Goog-Signature={}", HEX),
    ("https://api.example.com/v1?api_key={}&page=2", "abc123def456"),
    ("https://api.example.com/v1?access_token={}", MIXED[:30]),
    ("password = {}", "hunter2"),
    ("password: {}", "hunter2"),
    ("PASSWORD={}", "swordfish"),
    ("DB_PASSWORD={}\nDB_USER=app", "swordfish"),
    ("db_password: {}", "swordfish"),
    ('{{"password": "{}", "user": "app"}}', "correct-horse"),
    ('{{\\"password\\": \\"{}\\"}}', "hunter2!"),
    ("'passwd': '{}',", "x9!kk"),
    ("pwd={};Server=db;User=sa", "P4ss.word"),
    ("Server=db;User Id=sa;Password={};", "P4ss,w(o)rd"),
    ("The password is {}.", "hunter2"),
    ("Password for the admin: use `x`; password: {}, user: admin", "tiger-77"),
    ("Das Passwort lautet {}", "geheim123"),
    ("Passwort: {}", "Sommer2024!"),
    ("パスワード: {}", "sakura99"),
    ("密码:{}", "mima2024"),
    ("пароль: {}", "zima2024"),
    ("passphrase: {}", "correct horse battery staple"),
    ("mnemonic = {}", "legal winner thank year wave sausage worth useful legal winner thank yellow"),
    ("--password {}", "hunter22"),
    ("--api-key={}", MIXED[:24]),
    ("curl -u admin:{} https://api.example.com", "hunter2"),
    ("api_key: {}", MIXED[:32]),
    ('apiKey = "{}"', HEX[:32]),
    ("API_KEY='{}'", "live-9a8b7c"),
    ("X-Api-Key: {}", MIXED[:24]),
    ('client_secret = "{}"', MIXED[:32]),
    ("SECRET_KEY = 'django-insecure-{}'", "x+k2#9q$7w^z&1m(5n)3b@8v"),
    ("aws_secret_access_key = {}", MIXED[:38] + "/+"),
    ("auth_token: {}", HEX[:40]),
    ("token={}", MIXED[:20]),
    ("Authorization: Bearer {}", MIXED[:40]),
    ("curl -H 'Authorization: Basic {}'", "dXNlcjpodW50ZXIyMjI="),
    ("authorization: token {}", HEX[:40]),
    ("The header was Bearer {} yesterday.", MIXED[:40]),
    ("Set-Cookie: sessionid={}; HttpOnly", MIXED[:32]),
    ('encryption_key: "{}"', HEX[:32]),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x", MIXED[:60] + "=="),
    ("https://hooks." + "slack.com/services/{}", "T00000000/B00000000/" + MIXED[:24]),
    ('blob = "{}"', MIXED[:40]),
    ("DATADOG_APP: {}", MIXED[10:50]),
    ("PIN: {}", "4711"),
    ("password:\t{}\r\n", "hunter2"),
    ("password :  '{}'", "two words 7"),
    ("MYSQL_PWD={} mysqldump app", "tiger123"),
    ("sshpass -p x; export SSHPASS; secret={}", "q1w2e3r4"),
    ('sa_password := "{}"', "Str0ng!Pass"),
    ("machine api.example.com login me password {}", "netrc-pw-9"),
)
_KEYS: Final = tuple(_private_key(label) for label in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "))

# A text, and the values in it of which nothing may remain.
SEEDED: Final = (
    *((f"The deploy uses {value} since May.", (value,)) for value in _BY_FORM),
    *((value, (value,)) for value in _BY_FORM),
    *((f'key="{value}"\nnext line', (value,)) for value in _BY_FORM),
    *((text.format(value), (value,)) for text, value in _BY_NAME),
    *((f"Some words before.\n{text.format(value)}\nand after", (value,)) for text, value in _BY_NAME),
    *(_KEYS),
    *((f"kubectl shows\n{text}\nand more", lines) for text, lines in _KEYS),
    *((text.rpartition("\n")[0], lines) for text, lines in _KEYS),
    *((text.partition("\n")[2], lines) for text, lines in _KEYS),
    *((text.replace("\n", "\\n"), lines) for text, lines in _KEYS),
    (f"AKIA{MIXED[:16].upper()} {MIXED[:38]}/x", (MIXED[:38] + "/x",)),
)

UNTOUCHED: Final = (
    "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it; see 9fceb02.",
    "commit: 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "--hash=sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
    "Request 123e4567-e89b-12d3-a456-426614174000 timed out.",
    "id = 123e4567-e89b-12d3-a456-426614174000",
    "rel_01J9ZK3V8Q4W5X6Y7Z8A9B0C1D supports hyp_01J9ZK3V8Q4W5X6Y7Z8A9B0C1E.",
    "run: 01J9ZK3V8Q4W5X6Y7Z8A9B0C1D",
    "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA)",
    'src = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"',
    "FastAPI 0.165.0rc1 depends on Starlette>=0.40.0,<0.50.0",
    "Write to maintainers@example.org or mailto:help@example.org.",
    "https://example.com:8080/path?page=2&email=a@b.example",
    "http://localhost:8000/users/me@example.com",
    "git@github.com:owner/repository.git",
    "ssh://git@host.example/owner/repository.git",
    "https://registry.example.com/@scope/package/-/package-1.2.3.tgz",
    "max_tokens: 4096\ntokenizer: gpt2\ntoken_count = 128000",
    "The tokens were rotated. A token is required. Tokens: see below.",
    "password: str = Field(min_length=8)",
    "password: SecretStr",
    "password=settings.db_password",
    "password = get_password(user)",
    "token = request.headers['authorization']",
    "api_key=os.environ['API_KEY']",
    "api_key: ${API_KEY}",
    "password: <password>",
    "password: {{ vault_password }}",
    "PASSWORD=$DB_PASSWORD",
    "password: ********",
    "Password: required",
    "password is required",
    "The password is hashed with argon2id.",
    "The password is checked by the identity provider before anything else.",
    "secret: true",
    "secretName: app-tls",
    "secretKeyRef:\n  name: app\n  key: password",
    "token: string",
    "access_token: a JSON web token, see RFC 7519",
    "Authorization: Bearer <token>",
    "Bearer authentication is described in RFC 6750.",
    "Basic usage and basic-authentication-requirements are in chapter 2.",
    "eos_token: <|endoftext|>",
    "next_page_token=CAUQAA",
    "docker run -u 1000:1000 image",
    "key: value\nsort_key: created_at",
    "pin: numpy==2.0.1",
    "The secretary of the society kept the minutes.",
    "Passing tests: 1432; compass: north",
    "class AbstractSingletonProxyFactoryBean extends AbstractFactoryBean2 {}",
    "module = 'com.example.project.service.implementation.UserServiceImpl2'",
    "The key 'name' maps to the label of the predicate.",
    "A private key must never be committed. The PRIVATE KEY block starts with dashes.",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIKc1mZ7V3pQn0yR1hT8wX5uG2fJ9dL4sB6kE7oA0vNq user@host",
    "The sk-learn package; .sk-fading-circle { margin: 100px auto; }",
    "dm_users is a table; dm_ is the prefix of our keys.",
    "東京は日本の首都です。パスワードは必須です。",
    'etag: W/"a8Kq2ZtR5wYx7LmP3vNc9BdF4gHj"',
    "Requires-Dist: PyJWT[crypto]>=2.0; extra == 'auth'",
    "token_url: https://auth.example.com/oauth/token",
    "session: asyncio; session_id is the primary key",
)
