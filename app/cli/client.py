"""The HTTP client behind the remote commands."""

import stat
from pathlib import Path
from typing import Any, Final, Self

import httpx2

from app.cli.output import Json
from app.kernel.errors import DenseMemError, SetupError, Unavailable
from app.kernel.settings import Settings

TIMEOUT_SECONDS: Final = 60.0


class Client:
    """Calls the API with one key; every refusal becomes an error that people can read."""

    def __init__(self, url: str, key: str) -> None:
        self._http = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_SECONDS, trust_env=False
        )
        self._url = url

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return a client for DENSEMEM_URL (else the local server) with DENSEMEM_KEY (else the saved key)."""
        key = settings.key.get_secret_value() if settings.key is not None else read_saved_key(settings)
        return cls(settings.url or f"http://{settings.host}:{settings.port}", key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **params: object) -> Json:
        """Return the answer of a GET; parameters that are None or empty are left out."""
        given = {name: value for name, value in params.items() if value not in (None, [], ())}
        return self._call("GET", path, params=given)

    def post(self, path: str, body: Json | None = None) -> Json:
        """Return the answer of a POST."""
        return self._call("POST", path, json=body or {})

    def _call(
        self, method: str, path: str, **options: Any
    ) -> Json:  # httpx2 types the options of each method.
        try:
            response = self._http.request(method, path, **options)
        except httpx2.TransportError as error:
            raise Unavailable(
                f"No server answers at {self._url}. Start one with `densemem serve`, or set DENSEMEM_URL."
            ) from error
        try:
            answer = response.json()
        except ValueError as error:
            raise DenseMemError(f"{self._url} does not speak this API.", code="not_ours") from error
        if response.is_success:
            found: Json = answer
            return found
        raise DenseMemError(explain_problem(answer, response.status_code), code=str(answer.get("code")))


def explain_problem(problem: Json, status: int) -> str:
    """Return a problem document as a sentence, with the wrong fields below it."""
    lines = [str(problem.get("detail") or problem.get("title") or f"HTTP {status}")]
    lines += [f"  {error['field']}: {error['message']}" for error in problem.get("errors") or []]
    if problem.get("next_action"):
        lines.append(str(problem["next_action"]))
    return "\n".join(lines)


def saved_key_path(settings: Settings) -> Path:
    """Return where `key create --save` keeps the key for this machine's client commands."""
    return settings.data_dir / "key"


def read_saved_key(settings: Settings) -> str:
    """Return the saved key.

    Raises:
        SetupError: none was saved, or others may read it.
    """
    path = saved_key_path(settings)
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SetupError(f"{path} may be read by others: chmod 600 {path}")
        return path.read_text().strip()
    except OSError as error:
        raise SetupError(
            "No key: set DENSEMEM_KEY, or make one with "
            "`densemem key create --team TEAM --profile NAME --save`."
        ) from error


def save_key(settings: Settings, secret: str) -> Path:
    """Keep the key for client commands, readable by its owner only."""
    path = saved_key_path(settings)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(secret + "\n")
    return path
