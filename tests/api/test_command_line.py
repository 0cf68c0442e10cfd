"""The command line as a person uses it: the loop by hand, refusals in a sentence, nothing left behind."""

import json
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from tests.api.command_line import CommandLine, catches, descendants, hold_work, wait_until_gone

BODY = {
    "evidence": [{"content": "FastAPI depends on Starlette."}],
    "proposal": {
        "entities": [{"ref": "f", "name": "FastAPI"}, {"ref": "s", "name": "Starlette"}],
        "relationships": [
            {
                "proposal_id": "p",
                "subject_ref": "f",
                "predicate": "depends_on",
                "object_ref": "s",
                "evidence": [{"evidence_index": 0, "start": 0, "end": 29}],
            }
        ],
    },
}


REDIS_PASSWORD = "hiddenword"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as path:
        yield Path(path)


@pytest.fixture(scope="module")
def cli(folder: Path) -> Iterator[CommandLine]:
    # Nothing listens there, and what the log says of it must not tell the password.
    redis_url = f"redis://:{REDIS_PASSWORD}@127.0.0.1:9/0"
    cli = CommandLine(folder, REDIS_URL=redis_url, DENSEMEM_LOG_LEVEL="debug")
    cli.serve()
    team = cli.json("team", "create", "acme")
    assert team["name"] == "acme"
    key = cli.run("key", "create", "--team", "acme", "--scopes", "read,write,operate", "--save")
    assert key.returncode == 0, key.stderr
    yield cli
    if cli.server is not None:
        cli.stop()


def test_what_was_remembered_is_recalled(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "body.json"
    file.write_text(json.dumps(BODY))
    placed = cli.json("remember", str(file))
    assert [outcome["category"] for outcome in placed["relationship_outcomes"]] == [
        "relationship_validated_claim"
    ]
    answer = cli.json("recall", "What does FastAPI depend on?")
    assert [result["statement"] for result in answer["results"]] == ["FastAPI depends on Starlette."]
    assert "FastAPI depends on Starlette.  [validated_claim]" in cli.run("recall", "fastapi").stdout


def test_what_waits_for_a_review_names_it_and_the_nearest_predicates(
    cli: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "body.json"
    file.write_text(json.dumps(BODY).replace("depends_on", "depend_on"))
    first, _, review = cli.run("remember", str(file)).stdout.splitlines()
    assert first.endswith(": awaiting_review")
    [listed] = cli.json("remember", str(file))["relationship_outcomes"]
    assert listed["predicate_options"][0] == "depends_on"
    assert re.fullmatch(r" +rev_\w{26}, nearest predicates: depends_on\b.*", review)


def test_cycle_is_started_shown_and_listed(cli: CommandLine) -> None:
    run = cli.json("dream", "run")
    assert cli.json("runs", "show", run["run_id"])["run_id"] == run["run_id"]
    assert run["run_id"] in [listed["run_id"] for listed in cli.json("runs", "list")["items"]]
    assert cli.json("dream", "list")["items"] == []
    assert cli.json("dream", "outcomes")["items"] == []
    told = cli.run("runs", "list", "--window", run["window_key"]).stdout
    assert run["summary"] in told


def test_why_a_dream_is_absent_is_said_in_words(cli: CommandLine) -> None:
    nobody = "ent_00000000000000000000000000"
    refused = cli.run("dream", "why-not", nobody, "uses", nobody)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "There is no such Entity or Value." in refused.stderr


def test_settings_of_the_team_and_of_the_instance_hold_at_once(cli: CommandLine) -> None:
    assert cli.run("settings", "set", "timezone=Asia/Tokyo", "max_outputs=7").returncode == 0
    assert cli.json("settings", "set", "--instance", "max_groups=30")["max_groups"] == 30
    shown = cli.json("settings", "show")
    assert shown["timezone"] == {"value": "Asia/Tokyo", "source": "team"}
    assert shown["max_groups"] == {"value": 30, "source": "instance"}
    for number in ("NaN", "1e400"):
        impossible = cli.run("settings", "set", f"max_cost_usd={number}")
        assert impossible.returncode != 0
        assert "max_cost_usd" in impossible.stderr
        assert "Traceback" not in impossible.stderr
    refused = cli.run("settings", "set", "--instance", "max_outputs=99", "timezone=UTC")
    assert (refused.returncode, "max_outputs: " in refused.stderr) == (1, True)
    # Without an address a command finds the server that serves from its folder, on whatever port.
    assert "0.0000 USD in all" in cli.run("costs", DENSEMEM_URL="").stdout


def test_saved_key_is_its_owners_only(cli: CommandLine, folder: Path) -> None:
    assert (folder / "data" / "key").stat().st_mode & 0o777 == 0o600


def test_refusal_is_one_sentence_and_exit_code_1(cli: CommandLine) -> None:
    for arguments in (
        ("dream", "show", "hyp_unknown"),
        ("key", "create", "--team", "nobody"),
        ("team", "create", "acme"),
        ("dream", "feedback", "hyp_unknown", "reject"),
    ):
        done = cli.run(*arguments)
        assert done.returncode == 1, arguments
        assert done.stderr.startswith("densemem: ")
        assert "Traceback" not in done.stderr


def test_what_is_not_there_is_told_with_the_place_that_was_asked(cli: CommandLine, folder: Path) -> None:
    done = cli.run("key", "create", "--team", "nobody")
    assert "no such team" in done.stderr
    assert str(folder) in done.stderr


def test_wrong_use_is_exit_code_2(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[]")
    for arguments in (
        ("dance",),
        ("dream", "list", "--limit", "0"),
        ("key", "create", "--team", "acme", "--scopes", "admin"),
        ("remember", str(tmp_path / "list.json")),
        ("remember", str(tmp_path / "missing.json")),
    ):
        done = cli.run(*arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert "Traceback" not in done.stderr


def test_revoked_key_is_refused_at_once(cli: CommandLine) -> None:
    key = cli.json("key", "create", "--team", "acme", "--profile", "reader")
    newest = cli.json("key", "list", "--team", "acme")[0]
    assert (newest["key_id"], newest["profile"]) == (key["key_id"], "reader")
    assert "7 requests a minute" in cli.run("key", "limit", key["key_id"], "7").stdout
    assert cli.run("dream", "list", DENSEMEM_KEY=key["key"]).returncode == 0
    assert cli.run("key", "revoke", key["key_id"]).returncode == 0
    done = cli.run("dream", "list", DENSEMEM_KEY=key["key"])
    assert done.returncode == 1


def test_a_team_goes_into_a_file_and_comes_back_without_keys(cli: CommandLine, tmp_path: Path) -> None:
    team_id = cli.json("team", "create", "moving")["team_id"]
    key = cli.json("key", "create", "--team", "moving")["key"]
    file = tmp_path / "team.jsonl"
    assert cli.run("export", "moving", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]
    here = cli.run("import", str(file))
    assert (here.returncode, "already" in here.stderr) == (1, True)
    assert cli.run("team", "erase", "moving", "--yes").returncode == 0
    assert cli.run("dream", "list", DENSEMEM_KEY=key).returncode == 1
    assert cli.run("import", str(file), "--team", "moved").returncode == 0
    assert {"team_id": team_id, "name": "moved"}.items() <= cli.json("team", "list")[0].items()
    assert cli.json("key", "list", "--team", "moved") == []
    acts = [event["action"] for event in cli.json("audit")]
    assert acts[0] == "team_imported"
    assert "team_erased" in acts


def test_second_server_on_the_folder_is_told_who_has_it(cli: CommandLine) -> None:
    assert cli.server is not None
    done = cli.run("serve")
    assert done.returncode == 1
    assert str(cli.server.pid) in done.stderr


def test_wrong_setting_is_named_without_its_value(cli: CommandLine) -> None:
    done = cli.run("dream", "list", DENSEMEM_POOL_SIZE="1234567")
    assert done.returncode == 1
    assert "POOL_SIZE" in done.stderr
    assert "1234567" not in done.stderr


def test_without_a_server_the_command_says_how_to_start_one(cli: CommandLine) -> None:
    done = cli.run("recall", "x", DENSEMEM_URL="http://127.0.0.1:9", DENSEMEM_KEY="dm_x")
    assert done.returncode == 1
    assert "densemem serve" in done.stderr


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        (("mcp",), {"DENSEMEM_KEY": ""}),
        (("dream", "list"), {"DENSEMEM_KEY": ""}),
        (("dream", "list"), {"DENSEMEM_KEY": "dm_abc…"}),
        (("dream", "list"), {"DENSEMEM_KEY": "dm_abc", "DENSEMEM_URL": "foo"}),
    ],
)
def test_a_key_or_an_address_that_cannot_be_one_is_told_as_that(
    cli: CommandLine, command: tuple[str, ...], wrong: dict[str, str]
) -> None:
    done = cli.run(*command, **wrong)
    assert done.returncode == 1
    [told] = done.stderr.splitlines()
    assert [*wrong][-1] in told
    assert "dm_abc" not in told


def test_doctor_finds_nothing_wrong_but_the_redis_that_is_away(cli: CommandLine) -> None:
    done = cli.run("doctor", "--json")
    assert done.returncode == 1, done.stderr
    wrong = [finding["check"] for finding in json.loads(done.stdout) if not finding["ok"]]
    assert wrong == ["redis"]


def test_logs_are_json_lines_with_neither_evidence_nor_secret(cli: CommandLine, tmp_path: Path) -> None:
    key = cli.json("key", "create", "--team", "acme", "--scopes", "read,write,operate")["key"]
    canary, secret = "canarywords", "AKIAIOSFODNN7EXAMPLE"
    content = f"FastAPI depends on Starlette. The {canary} is {secret}."
    body = BODY | {"evidence": [{"content": content}], "idempotency_key": canary}
    with httpx2.Client(
        base_url=cli.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False
    ) as client:
        assert client.post("/v1/remember", json=body, headers={"Prefer": "wait=20"}).status_code == 200
        assert client.post("/v1/remember", json=body | {canary: secret}).status_code == 422
        assert client.post("/v1/recall", json={"query": canary}).status_code == 200
        assert client.post("/v1/cycle-runs", json={"note": canary}).status_code in (200, 202)
        assert client.get(f"/v1/dreams/{canary}").status_code == 404
        assert client.get("/v1/dreams", headers={"Authorization": f"Bearer dm_{canary}"}).status_code == 401
        assert client.get("/readyz").json()["degraded"][0]["part"] == "redis"
    written = cli.log.read_text()
    lines = [json.loads(line) for line in written.splitlines()]
    assert {"redis is away"} <= {line["event"] for line in lines}
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    for word in (canary, secret, key, REDIS_PASSWORD):
        assert word not in written


def test_open_streams_end_with_the_server(cli: CommandLine) -> None:
    key = cli.json("key", "create", "--team", "acme")["key"]
    headers = {"Authorization": f"Bearer {key}"}
    with (
        httpx2.Client(base_url=cli.url, headers=headers, timeout=30, trust_env=False) as client,
        client.stream("GET", "/v1/events") as response,
    ):
        lines = response.iter_lines()
        assert next(lines).startswith("retry:")
        began = time.monotonic()
        assert cli.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < 5
        assert ": end, closing" in list(lines)
    cli.serve()


def test_ended_server_keeps_its_data_and_leaves_no_process(cli: CommandLine) -> None:
    assert cli.server is not None
    started = descendants(cli.server.pid)
    assert started
    assert cli.stop(signal.SIGTERM) == 0
    assert wait_until_gone(started) == set()
    cli.serve()
    assert len(cli.json("recall", "FastAPI")["results"]) == 1


def test_server_stopped_in_mid_run_beside_a_silent_stream_hands_the_run_back(cli: CommandLine) -> None:
    key = cli.json("key", "create", "--team", "acme", "--scopes", "read,operate")["key"]
    client = httpx2.Client(headers={"Authorization": f"Bearer {key}"}, timeout=30, trust_env=False)
    with client, client.stream("GET", f"{cli.url}/v1/events"):
        assert cli.server is not None
        run_id = client.post(f"{cli.url}/v1/cycle-runs", json={"dry_run": True}).json()["run_id"]
        hold_work(cli.server.pid)
        assert client.get(f"{cli.url}/v1/cycle-runs/{run_id}").json()["status"] == "running"
        started = descendants(cli.server.pid)
        began = time.monotonic()
        assert cli.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < 5
    assert wait_until_gone(started) == set()
    cli.serve()
    while (run := cli.json("runs", "show", run_id))["finished_at"] is None:
        pass
    # At once and without an attempt spent, so the lease was not left to run out.
    assert (run["status"], run["attempt"]) == ("succeeded", 0)


def test_second_signal_ends_the_server_at_once_and_leaves_no_process(cli: CommandLine) -> None:
    assert cli.server is not None
    server, started = cli.server, descendants(cli.server.pid)
    # The database stands still, so the ending that the first signal asks for has to wait for it.
    for pid in started:
        os.kill(pid, signal.SIGSTOP)
    server.send_signal(signal.SIGTERM)
    while catches(server.pid, signal.SIGTERM):
        time.sleep(0.001)
    assert cli.stop(signal.SIGTERM) == -signal.SIGTERM
    for pid in started:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    assert wait_until_gone(started) == set()
    cli.serve()


def test_killed_server_leaves_no_process(cli: CommandLine) -> None:
    assert cli.server is not None
    started = descendants(cli.server.pid)
    assert started
    cli.stop(signal.SIGKILL)
    assert wait_until_gone(started) == set()
