"""The recipe of the image and the compose file, as far as they can be held to something without an engine."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from app.kernel.secret_files import name_secret
from app.kernel.settings import Settings

ROOT: Final = Path(__file__).parents[2]
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
OURS: Final = ("migrate", "api", "worker")
DOCKERFILE: Final = (ROOT / "Dockerfile").read_text(encoding="utf-8")
KNOWN_KEYS: Final = {
    *(
        "image",
        "build",
        "command",
        "user",
        "read_only",
        "tmpfs",
        "cap_drop",
        "cap_add",
        "security_opt",
        "init",
    ),
    *(
        "stop_grace_period",
        "environment",
        "secrets",
        "networks",
        "volumes",
        "restart",
        "healthcheck",
        "ports",
    ),
    *("depends_on", "shm_size"),
}


def variables() -> set[str]:
    """Return every environment variable that the program reads."""
    found = {"ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE"}
    for name, field in Settings.model_fields.items():
        secret = name_secret(name, field)
        alias = field.validation_alias
        plain = f"DENSEMEM_{name.upper()}" if alias is None else str(getattr(alias, "choices")[0])  # noqa: B009
        found |= {plain} | ({f"{secret}_FILE"} if secret else set())
    return found


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined(name: str) -> None:
    service = SERVICES[name]
    assert service.keys() <= KNOWN_KEYS
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"]
    assert "privileged" not in service
    if name != "migrate":
        assert service["healthcheck"]["test"][0] == "CMD"
        assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", OURS)
def test_our_services_are_nobody_and_read_known_settings(name: str) -> None:
    service = SERVICES[name]
    assert int(service["user"].partition(":")[0]) > 0
    assert set(service["environment"]) <= variables()
    for variable, value in service["environment"].items():
        if variable.endswith("_FILE"):
            assert value.removeprefix("/run/secrets/") in service["secrets"]


def test_what_is_named_is_there() -> None:
    for service in SERVICES.values():
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys()
        assert set(service["networks"]) <= COMPOSE["networks"].keys()
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in COMPOSE["volumes"]


def test_only_the_api_is_reached_and_from_this_machine_only() -> None:
    open_ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert open_ports == {"api": ["127.0.0.1:${DENSEMEM_PORT:-8420}:8420"]}


def test_nothing_starts_before_the_tables_are_there() -> None:
    for name in ("api", "worker"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["depends_on"]["postgres"] == {"condition": "service_healthy"}


def test_the_image_runs_as_nobody_from_what_it_copies() -> None:
    lines = DOCKERFILE.splitlines()
    assert [line for line in lines if line.startswith("USER")] == ["USER 10001:10001"]
    assert len([line for line in lines if line.startswith("FROM")]) == 2
    copied = re.findall(r"^COPY ([^\s-]\S*) /", DOCKERFILE, re.MULTILINE)
    assert copied == ["requirements-runtime.lock", "app", "migrations", "prompts"]
    assert all((ROOT / path).exists() for path in copied)
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert sorted(kept) == sorted(copied)
    assert "--require-hashes" in DOCKERFILE
    assert "://" not in DOCKERFILE
    command = re.findall(r"^(?:ENTRYPOINT|CMD) (.*)$", DOCKERFILE, re.MULTILINE)
    assert [json.loads(part) for part in command] == [["densemem"], ["serve", "--no-worker"]]


def test_what_runs_is_locked_as_it_is_tested() -> None:
    def pins(path: str) -> set[str]:
        return set(re.findall(r"^(\S+==[^\s;]+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))

    runtime = pins("requirements-runtime.lock")
    assert len(runtime) > 30
    assert runtime <= pins("requirements.lock")
