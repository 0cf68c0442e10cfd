"""What monitoring sees, and who may see it."""

import re
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.api.app import create_app
from app.api.metrics.instance import FAMILIES, InstanceCollector
from app.kernel.database import Database
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from tests.api.client import Api

Labels = dict[str, str]
PAGES = {
    page: set(re.findall(r"densemem_[a-z_]+", Path(page).read_text(encoding="utf-8")))
    for page in ("docs/grafana-dashboard.json", "docs/operations.md")
}


@pytest.fixture
def api(database: Database) -> Api:
    """A door that has counted nothing yet."""
    settings = Settings.model_validate({"metrics_token": "a token of the scraper"})
    return Api(create_app(database, settings), database)


def from_elsewhere(api: Api, **headers: str) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(api.app, client=("203.0.113.7", 4711))
    return httpx2.AsyncClient(transport=transport, base_url="http://door", headers=headers)


async def scrape(api: Api) -> dict[str, list[tuple[Labels, float]]]:
    answer = await api.anonymous().get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    found: dict[str, list[tuple[Labels, float]]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def value(samples: list[tuple[Labels, float]], **labels: str) -> float:
    [found] = [number for has, number in samples if labels.items() <= has.items()]
    return found


async def test_requests_are_counted_by_template_and_status(api: Api, team: Caller) -> None:
    client = await api.client(team)
    for _ in range(2):
        await client.get("/v1/dreams/hyp_00000000000000000000000000")
    await client.get("/no/such/path/" + team.team_id)
    await client.request("BREW", "/v1/dreams")
    seen = await scrape(api)
    requests = seen["densemem_http_requests_total"]
    assert value(requests, route="/v1/dreams/{hypothesis_id}", method="GET", status="404") == 2
    assert value(requests, route="other", method="GET", status="404") == 1
    assert value(requests, method="other") == 1
    counts = seen["densemem_http_request_seconds_count"]
    assert value(counts, route="/v1/dreams/{hypothesis_id}", method="GET") == 2


async def test_a_run_shows_in_queue_and_states(api: Api, team: Caller) -> None:
    before = await scrape(api)
    client = await api.client(team)
    run_id = (await client.post("/v1/cycle-runs", json={})).json()["run_id"]
    await client.post(f"/v1/cycle-runs/{run_id}/cancel")
    await client.post("/v1/cycle-runs", json={})
    after = await scrape(Api(create_app(api.database, Settings()), api.database))

    def grown(name: str, **labels: str) -> float:
        found = [has for has, _ in before.get(name, []) if labels.items() <= has.items()]
        return value(after[name], **labels) - (value(before[name], **labels) if found else 0)

    assert grown("densemem_runs_live", status="queued") == 1
    assert grown("densemem_runs_ended_day", status="cancelled", trigger="manual") == 1
    assert grown("densemem_queue_depth", kind="cycle", state="due") == 1
    assert value(after["densemem_queue_oldest_due_seconds"], kind="cycle") >= 0
    assert {labels["step"] for labels, _ in after["densemem_funnel_day"]} >= {"eligible", "persisted"}


async def test_nothing_names_a_team_and_every_label_is_known(api: Api, team: Caller) -> None:
    client = await api.client(team)
    await client.post("/v1/cycle-runs", json={"note": "a note of mine"})
    await client.get(f"/v1/teams/{team.team_id}/keys")
    text = (await api.anonymous().get("/metrics")).text
    assert team.team_id not in text
    assert not re.search(r"(team|prof|key|run)_[0-9A-Z]{26}|a note of mine|First", text)
    labels = {name for samples in (await scrape(api)).values() for has, _ in samples for name in has}
    assert labels <= {
        *("method", "route", "status", "le", "version", "pool", "trigger", "reason", "step", "kind", "state"),
        "purpose",
    }


async def test_a_scrape_reads_the_database_at_most_every_few_seconds(database: Database) -> None:
    now = 0.0
    collector = InstanceCollector(database, clock=lambda: now)
    await collector.refresh()
    rows = collector._rows
    await collector.refresh()
    assert collector._rows is rows
    now = 6.0
    await collector.refresh()
    assert collector._rows is not rows
    assert {row["name"] for row in rows} <= FAMILIES.keys()


async def test_metrics_are_open_here_and_closed_elsewhere(api: Api, team: Caller) -> None:
    async def status(key: str | None, **headers: str) -> int:
        given = {} if key is None else {"Authorization": f"Bearer {key}"}
        return (await from_elsewhere(api, **given, **headers).get("/metrics")).status_code

    admin = (await api.admin()).headers["Authorization"].removeprefix("Bearer ")
    assert (await api.anonymous().get("/metrics")).status_code == 200
    passed_on = {"X-Forwarded-For": "127.0.0.1"}
    assert (await api.anonymous().get("/metrics", headers=passed_on)).status_code == 401
    assert await status(None) == 401
    assert await status("another token") == 401
    assert await status("a token of the scraper") == 200
    assert await status(admin) == 200
    assert await status((await api.make_key(team)).secret) == 403


@pytest.mark.parametrize("page", PAGES)
async def test_a_page_names_only_metrics_that_there_are(api: Api, team: Caller, page: str) -> None:
    named = PAGES[page]
    assert len(named) > 5
    await (await api.client(team)).get("/v1/dreams")
    exposed = (await api.anonymous().get("/metrics")).text
    known = set(re.findall(r"densemem_[a-z_]+", exposed)) | {"densemem_redis_up"}
    known |= {f"{name}_total" for name in known}
    assert named <= known
