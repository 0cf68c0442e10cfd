"""What every command shares: the settings, and the choice between people and programs.

Modules of the service are imported inside the commands that need them: they cost seconds, and most commands only
ask a server.
"""

import os
from typing import Annotated

import typer
from pydantic import ValidationError

from app.kernel.errors import SetupError
from app.kernel.logs import configure_logs
from app.kernel.secret_files import read_secret_files
from app.kernel.settings import Settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def read_settings(*, log_level: str | None = None) -> Settings:
    """Read the environment and set up logging, once a command; `log_level` outweighs the environment's.

    Raises:
        SetupError: a setting or the file of a secret is wrong; its value is not repeated, for it may be a secret.
    """
    try:
        settings = Settings(**read_secret_files(os.environ))  # type: ignore[arg-type]  # Secrets, validated there.
    except ValidationError as error:
        wrong = "; ".join(f"{name_variable(e['loc'])}: {e['msg']}" for e in error.errors())
        raise SetupError(f"A setting of the environment is wrong: {wrong}. See docs/settings.md.") from None
    configure_logs(log_level or settings.log_level)
    return settings


def name_variable(location: tuple[int | str, ...]) -> str:
    """Return the environment variable behind a wrong field."""
    field = str(location[0])
    return f"DENSEMEM_{field.upper()}" if field in Settings.model_fields else field
