"""The settings of one process: read once from the environment in a door, frozen afterwards."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.kernel.addresses import require_address


class Settings(BaseSettings):
    """Every field is an environment variable `DENSEMEM_<NAME>`, save the URLs of PostgreSQL and Redis.

    Connection strings are secrets: they are never shown, logged or put into an error.
    """

    model_config = SettingsConfigDict(env_prefix="DENSEMEM_", frozen=True, extra="ignore")

    database_url: Annotated[
        SecretStr | None,
        Field(
            default=None,
            validation_alias=AliasChoices("DATABASE_URL", "database_url"),
            description="PostgreSQL 15 or newer; unset: an embedded PostgreSQL in the data folder.",
        ),
    ]
    migration_database_url: Annotated[
        SecretStr | None,
        Field(
            default=None,
            validation_alias=AliasChoices("MIGRATION_DATABASE_URL", "migration_database_url"),
            description="Login that may create roles and tables; unset: DATABASE_URL.",
        ),
    ]
    dreamer_database_url: Annotated[
        SecretStr | None,
        Field(
            default=None,
            validation_alias=AliasChoices("DREAMER_DATABASE_URL", "dreamer_database_url"),
            description="Login that is a member of the dreamer role only; unset: DATABASE_URL.",
        ),
    ]
    redis_url: Annotated[
        SecretStr | None,
        Field(
            default=None,
            validation_alias=AliasChoices("REDIS_URL", "redis_url"),
            description="Redis for wake-ups and rate limits; unset, or while it is away: PostgreSQL.",
        ),
    ]
    data_dir: Annotated[Path, Field(default=Path(".densemem"), description="Folder of the embedded server.")]
    postgres_bin: Annotated[
        Path | None, Field(default=None, description="Folder with PostgreSQL's binaries; unset: looked up.")
    ]
    role_prefix: Annotated[
        str,
        Field(
            default="densemem",
            pattern=r"^[a-z][a-z0-9_]{0,39}$",
            description="First part of the names of the database roles.",
        ),
    ]
    host: Annotated[str, Field(default="127.0.0.1", description="Address that `serve` listens on.")]
    port: Annotated[int, Field(default=8420, ge=0, le=65535, description="Port of `serve`; 0 picks one.")]
    pool_size: Annotated[int, Field(default=10, ge=2, le=200, description="Database connections a process.")]
    pool_timeout_seconds: Annotated[
        float, Field(default=5.0, gt=0, le=60, description="Longest wait for a connection before a 503.")
    ]
    statement_timeout_seconds: Annotated[
        float, Field(default=10.0, gt=0, le=600, description="Longest single statement of a request.")
    ]
    requests_per_minute: Annotated[
        int, Field(default=6000, ge=1, le=1_000_000, description="Requests a key may send, evenly.")
    ]
    request_burst: Annotated[
        int,
        Field(default=1000, ge=1, le=1_000_000, description="Requests a key may send at once after a rest."),
    ]
    metrics_token: Annotated[
        SecretStr | None,
        Field(default=None, description="Bearer token that may read `/metrics`; this machine may without."),
    ]
    lease_seconds: Annotated[
        float,
        Field(default=60.0, ge=1, le=3600, description="Length of a worker's lease; renewed at a third."),
    ]
    poll_seconds: Annotated[
        float,
        Field(default=1.0, gt=0, le=60, description="Longest sleep of a worker that no wake-up reaches."),
    ]
    worker_placements: Annotated[
        int, Field(default=2, ge=0, le=64, description="Placements at once in a worker process.")
    ]
    worker_cycles: Annotated[
        int, Field(default=1, ge=0, le=16, description="Dream cycles at once in a worker process.")
    ]
    anthropic_base_url: Annotated[
        Annotated[str, AfterValidator(require_address)] | None,
        Field(
            default=None,
            validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "anthropic_base_url"),
            description="Address of the provider; unset: its own.",
        ),
    ]
    dreamer_model: Annotated[
        str,
        Field(
            default="claude-opus-5-5",
            min_length=1,
            max_length=128,
            description="Model that dreams, where there is an Anthropic key.",
        ),
    ]
    verifier_model: Annotated[
        str,
        Field(
            default="claude-sonnet-5-5",
            min_length=1,
            max_length=128,
            description="Model that verifies, where there is an Anthropic key.",
        ),
    ]
    provider_effort: Annotated[
        Literal["low", "medium", "high", "xhigh", "max"],
        Field(default="medium", description="Effort of both models: low, medium, high, xhigh, max."),
    ]
    provider_fallbacks: Annotated[
        bool,
        Field(default=True, description="Let the provider answer with another model where one refuses."),
    ]
    verifier: Annotated[
        Literal["auto", "lexical", "provider"],
        Field(default="auto", description="Who verifies: lexical, provider, or auto: provider with a key."),
    ]
    exchange_days: Annotated[
        int,
        Field(
            default=0, ge=0, le=90, description="Days to keep what dreams and their model say; 0: not at all."
        ),
    ]
    price_file: Annotated[
        Path | None, Field(default=None, description="Prices in place of the built-in ones; see provider.md.")
    ]
    embed_model: Annotated[
        Path | None,
        Field(default=None, description="Folder of the model that recall embeds with; unset: none."),
    ]
    log_level: Annotated[
        str,
        Field(
            default="info",
            pattern="^(debug|info|warning|error)$",
            description="Least severe log line that is written.",
        ),
    ]
    url: Annotated[
        str | None,
        Field(
            default=None,
            description="Server for the command line; unset: the one that serves from the data folder.",
        ),
    ]
    key: Annotated[SecretStr | None, Field(default=None, description="API key for the command line.")]
