"""The command lines and the environment of PostgreSQL's programs."""

from pathlib import Path

import pytest

from app.postgres.binaries import Binaries
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.options import child_environment, initdb_arguments, server_arguments, size_buffers


def serve(settings: dict[str, str], *, durable: bool = True, socket_dir: str = "/tmp/s") -> list[str]:
    return server_arguments(
        Binaries(Path("/bin"), "18.6"),
        cluster=Path("/data/cluster"),
        socket_dir=Path(socket_dir),
        settings=settings,
        durable=durable,
    )


def test_the_server_listens_on_its_socket_only() -> None:
    arguments = serve({})
    assert "listen_addresses=" in arguments
    assert 'unix_socket_directories="/tmp/s"' in arguments


def test_a_socket_folder_with_a_comma_or_a_quote_stays_one_folder() -> None:
    assert 'unix_socket_directories="/tmp/a, ""b"""' in serve({}, socket_dir='/tmp/a, "b"')


@pytest.mark.parametrize("name", ["listen_addresses", "Port", "hba_file", "unix_socket_permissions"])
def test_a_setting_that_would_open_the_server_is_refused(name: str) -> None:
    with pytest.raises(EmbeddedPostgresError, match="fixed"):
        serve({name: "x"})


@pytest.mark.parametrize("name", ["", "a b", "a=b", "-c", "1a"])
def test_what_is_no_name_of_a_setting_is_refused(name: str) -> None:
    with pytest.raises(EmbeddedPostgresError, match="can't be given"):
        serve({name: "x"})


def test_a_callers_setting_replaces_the_default_once() -> None:
    arguments = serve({"Timezone": "Asia/Tokyo"})
    assert [argument for argument in arguments if argument.startswith("timezone=")] == ["timezone=Asia/Tokyo"]


@pytest.mark.parametrize(
    ("gigabytes", "buffers"), [(0.5, "128MB"), (1, "128MB"), (4, "512MB"), (24, "3072MB"), (256, "4096MB")]
)
def test_pages_get_an_eighth_of_the_memory_within_bounds(gigabytes: float, buffers: str) -> None:
    assert size_buffers(int(gigabytes * 2**30)) == buffers


def test_durability_is_given_up_only_when_asked() -> None:
    assert "fsync=off" not in serve({})
    assert "fsync=off" in serve({}, durable=False)
    assert "--no-sync" not in initdb_arguments(Binaries(Path("/bin"), "18.6"), durable=True)
    assert "--no-sync" in initdb_arguments(Binaries(Path("/bin"), "18.6"), durable=False)


def test_client_errors_and_statements_stay_out_of_the_log() -> None:
    assert {"log_min_messages=log", "log_min_error_statement=panic", "log_error_verbosity=terse"} <= set(
        serve({})
    )


def test_the_builtin_locale_is_asked_for_where_it_exists() -> None:
    assert "--locale-provider=builtin" in initdb_arguments(Binaries(Path("/bin"), "17.0"), durable=True)
    assert "--locale-provider=builtin" not in initdb_arguments(Binaries(Path("/bin"), "16.9"), durable=True)


def test_the_owners_secrets_and_postgresql_variables_are_not_handed_on() -> None:
    env = child_environment(
        {"PATH": "/bin", "API_KEY": "secret", "PGPORT": "1", "LANG": "xx", "LC_ALL": "xx"}
    )
    assert env == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}
