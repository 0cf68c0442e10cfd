"""Commands for operators: runs, costs and settings over HTTP; the instance's settings on its own machine."""

import json
from typing import Annotated, Final

import typer

from app.cli.client import open_client
from app.cli.context import AsJson, read_settings
from app.cli.output import Json, print_json, print_lines, print_table, show

RUN_COLUMNS: Final = {
    "Run": "run_id",
    "Trigger": "trigger",
    "Dry": "dry_run",
    "Status": "status",
    "Mode": "provider_mode",
    "Window": "window_key",
    "Started": "started_at",
    "Summary": "summary",
}
COST_COLUMNS: Final = {
    "Day": "day",
    "Purpose": "purpose",
    "Model": "model",
    "Tokens in": "input_tokens",
    "Cached": "cache_read_tokens",
    "Tokens out": "output_tokens",
    "USD": "cost_usd",
    "Of it reserved": "unsettled_usd",
}
SETTING_COLUMNS: Final = {"Setting": "name", "Value": "value", "Source": "source"}
OnInstance = Annotated[
    bool, typer.Option("--instance", help="The instance's, on the machine with the database.")
]


def add_commands(cli: typer.Typer) -> None:
    """Add these commands to the tree."""
    runs = typer.Typer(help="Cycle runs: what each dream pass read, rejected and cost.", no_args_is_help=True)
    runs.command("list")(list_runs)
    runs.command("show")(show_run)
    runs.command("cancel")(cancel_run)
    runs.command("exchanges")(show_exchanges)
    cli.add_typer(runs, name="runs")
    settings = typer.Typer(help="Settings of dreaming, in force at once.", no_args_is_help=True)
    settings.command("show")(show_settings)
    settings.command("set")(set_settings)
    cli.add_typer(settings, name="settings")
    cli.command()(costs)


def list_runs(
    status: Annotated[list[str] | None, typer.Option(help="Only this status; repeatable.")] = None,
    window: Annotated[str | None, typer.Option(help="Only this window.")] = None,
    started_after: Annotated[
        str | None, typer.Option(help="Only runs begun after this RFC 3339 time.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Rows at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List cycle runs, newest first."""
    filters = {"status": status, "window": window, "started_after": started_after, "limit": limit}
    with open_client(read_settings()) as client:
        page = client.get("/v1/cycle-runs", **filters)
    print_json(page) if as_json else print_table(RUN_COLUMNS, page["items"])


def show_run(run_id: str, as_json: AsJson = False) -> None:
    """Show what a cycle read, rejected, kept and cost."""
    with open_client(read_settings()) as client:
        run = client.get(f"/v1/cycle-runs/{run_id}")
    print_json(run) if as_json else print_run(run)


def cancel_run(run_id: str, as_json: AsJson = False) -> None:
    """Cancel a cycle that has not ended."""
    with open_client(read_settings()) as client:
        run = client.post(f"/v1/cycle-runs/{run_id}/cancel")
    print_json(run) if as_json else print_run(run)


def show_exchanges(run_id: str, as_json: AsJson = False) -> None:
    """Show what a cycle and its provider said to each other, where the server keeps it."""
    with open_client(read_settings()) as client:
        kept = client.get(f"/v1/cycle-runs/{run_id}/exchanges")
    if as_json:
        print_json(kept)
        return
    if not kept["items"]:
        print_lines("Nothing was kept: the run asked no provider, or DENSEMEM_EXCHANGE_DAYS is 0.")
    for turn in kept["items"]:
        fault = f" ({turn['fault']})" if turn["fault"] else ""
        print_lines(
            f"Turn {turn['turn']}, {turn['model']}, {turn['prompt_version']}: {turn['outcome']}{fault},"
            f" {turn['ideas']} ideas, {turn['malformed']} of them malformed."
        )
        print_lines(*(turn["request"] or "The request is kept no longer.").split("\n"), "")
        print_lines(*(turn["answer"] or "There is no answer, or it is kept no longer.").split("\n"), "")
        print_lines(
            *(f"  {reference}: {meaning}" for reference, meaning in (turn["references"] or {}).items())
        )


def costs(
    days: Annotated[int, typer.Option(min=1, max=366, help="Days back, today included.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Show what providers were paid for the team, a day and a model."""
    with open_client(read_settings()) as client:
        answer = client.get("/v1/dreaming/costs", days=days)
    if as_json:
        print_json(answer)
        return
    # A verdict costs less than a cent.
    money = ("cost_usd", "unsettled_usd")
    rows = [{**item, **{name: f"{item[name]:.4f}" for name in money}} for item in answer["items"]]
    print_table(COST_COLUMNS, rows)
    print_lines(
        f"{answer['total_usd']:.4f} USD in all; today dreaming {answer['today_usd']:.4f} and verifying"
        f" {answer['verifying_today_usd']:.4f}, of {answer['max_daily_cost_usd']:.2f} USD each."
    )


def show_settings(on_instance: OnInstance = False, as_json: AsJson = False) -> None:
    """Show what holds for the team and which level says so; with --instance, what the instance has set."""
    if on_instance:
        from app.cli.administration import on_database, read_instance_settings

        values = on_database(read_instance_settings)
        rows = [{"name": name, "value": value} for name, value in values.items()]
    else:
        with open_client(read_settings()) as client:
            values = client.get("/v1/dreaming/status")["settings"]
        rows = [{"name": name, **setting} for name, setting in values.items()]
    if as_json:
        print_json(values)
    else:
        print_table({key: name for key, name in SETTING_COLUMNS.items() if rows and name in rows[0]}, rows)


def set_settings(
    changes: Annotated[
        list[str], typer.Argument(metavar="NAME=VALUE...", help="NAME=null returns one to what is inherited.")
    ],
    on_instance: OnInstance = False,
    as_json: AsJson = False,
) -> None:
    """Change settings, all of them or none."""
    body = dict(_read_change(change) for change in changes)
    if on_instance:
        from app.cli.administration import on_database, store_settings_of_instance

        values = on_database(lambda database: store_settings_of_instance(database, body))
    else:
        with open_client(read_settings()) as client:
            values = client.patch("/v1/dreaming/settings", body)
    if as_json:
        print_json(values)
    else:
        print_lines(*(f"{name} = {show(values.get(name))}" for name in body))


def print_run(run: Json) -> None:
    """Print one run and its funnel."""
    funnel, usage = run["funnel"], run["usage"]
    kind = ("dry run, " if run["dry_run"] else "") + ("batch, " if run["provider_mode"] == "batch" else "")
    print_lines(
        f"{run['run_id']}: {kind}{run['status']}" + (f" ({run['reason']})" if run["reason"] else ""),
        *([f"  {run['summary']}"] if run["summary"] else []),
        *([_describe_batch(run["batch"])] if run["batch"] else []),
        "  " + ", ".join(f"{name} {show(count)}" for name, count in funnel.items()),
    )
    for rejection in run["rejections"]:
        print_lines(f"  rejected {rejection['count']}: {rejection['reason']}")
    for dream in run["would_persist"] or []:
        print_lines(f"  would come: {dream['statement']}  [likelihood {dream['likelihood']:.2f}]")
    for budget in run["budgets"]:
        stopped = ", stopped the run" if budget["name"] == run["stopped_by"] else ""
        print_lines(f"  {budget['name']}: {budget['used']:g} of {budget['limit']:g}{stopped}")
    print_lines(
        f"  {usage['input_tokens']} tokens in, {usage['output_tokens']} out, {usage['cost_usd']:.4f} USD"
    )


def _describe_batch(batch: Json) -> str:
    """Return what the run waits for, or how that ended."""
    name = f"batch {batch['batch_id']}" if batch["batch_id"] else "batch that the provider has not named"
    if batch["outcome"] is not None:
        return f"  {name}, handed in at {batch['handed_in_at']}: {batch['outcome']}"
    waits = f"  waits for a {name}, handed in at {batch['handed_in_at']}"
    if batch["batch_id"]:
        return waits
    return f"{waits}: looked for until {batch['looked_for_until']}, counted at its estimate"


def _read_change(change: str) -> tuple[str, object]:
    """Return name and value of `NAME=VALUE`; what is no JSON is text, such as a time or a zone."""
    name, equals, text = change.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"{change!r} is not written NAME=VALUE.")
    try:
        value = json.loads(text)
        # NaN and what is beyond every number are no JSON, though Python reads them.
        json.dumps(value, allow_nan=False)
    except ValueError:
        value = text
    return name, value
