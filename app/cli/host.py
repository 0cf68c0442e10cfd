"""Commands for the machine with the database."""

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines, print_table
from app.kernel.settings import Settings
from app.postgres.doctor import Finding, diagnose


def add_commands(cli: typer.Typer) -> None:
    """Add the host commands to the tree."""
    for command in (serve, worker, migrate, demo, doctor, openapi):
        cli.command()(command)
    bench = typer.Typer(help="Measure this machine.", no_args_is_help=True)
    bench.command("remember")(bench_remember)
    bench.command("schedule")(bench_schedule)
    bench.command("leases")(bench_leases)
    bench.command("recall")(bench_recall)
    cli.add_typer(bench, name="bench")


def serve(
    host: Annotated[str | None, typer.Option(help="Address; DENSEMEM_HOST.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port, 0 picks one; DENSEMEM_PORT.")
    ] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Serve the API only.")] = False,
) -> None:
    """Serve the API with its workers; migrates first, and starts an embedded PostgreSQL without DATABASE_URL."""
    from app.cli.server import serve_until_signalled

    chosen = {"host": host, "port": port}
    serve_until_signalled(
        read_settings().model_copy(
            update={name: value for name, value in chosen.items() if value is not None}
        ),
        with_worker=not no_worker,
    )


def worker() -> None:
    """Work without an API: place submissions and dream."""
    from app.cli.server import work_until_signalled

    work_until_signalled(read_settings())


def migrate() -> None:
    """Bring the database's roles and tables up to date; safe to run by many at once."""
    from app.kernel.backend import migrate_backend, running_backend

    settings = read_settings()
    with running_backend(settings, joins_running=True) as backend:
        migrate_backend(backend, settings)
    print_lines("The database is up to date.")


def demo(
    seed: Annotated[int, typer.Option(help="Draws the fifth that is held back.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Measure the guesses over so many draws.")] = 1,
    packages: Annotated[
        int | None, typer.Option(min=20, help="Read so many packages only, drawn with the seed.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave it serving until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the whole loop on real evidence: the metadata of the packages that are installed here.

    On an embedded server of its own, gone afterwards; with DATABASE_URL, in a team of its own that stays.

    Exit code 1 when no dream was a held-back edge.
    """
    from app.cli.demo.loop import Plan
    from app.cli.demo.stage import run_demo

    plan = Plan(seed, seeds, packages)
    settings = read_settings(log_level="error")
    if not run_demo(settings, plan, keeps_serving=keep, prints_json=as_json):
        raise typer.Exit(1)


def doctor(as_json: AsJson = False) -> None:
    """Say what is wrong with the set-up and how to mend it; exit code 1 when something is."""
    settings = read_settings()
    if settings.database_url is None:
        findings = diagnose(settings.data_dir, os.environ)
    else:
        from app.kernel.backend import diagnose_external

        findings = diagnose_external(settings)
    findings = [*findings, *asyncio.run(_diagnose_services(settings))]
    if as_json:
        print_json([{"check": f.check, "ok": f.ok, "detail": f.detail, "remedy": f.remedy} for f in findings])
    else:
        for finding in findings:
            print_lines(f"{'ok  ' if finding.ok else 'BAD '} {finding.check}: {finding.detail}")
            if finding.remedy and not finding.ok:
                print_lines(f"       {finding.remedy}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


async def _diagnose_services(settings: Settings) -> list[Finding]:
    from app.coordination.doctor import diagnose_redis
    from app.llm.doctor import diagnose_provider

    return [await diagnose_redis(settings), *await diagnose_provider(settings)]


def openapi(
    output: Annotated[Path | None, typer.Option(help="File to write; standard output without.")] = None,
    client_types: Annotated[
        bool, typer.Option("--client-types", help="The Python client's types instead.")
    ] = False,
) -> None:
    """Print the OpenAPI document of the HTTP API."""
    from app.api.app import build_openapi
    from app.api.client_types import write_client_types
    from app.api.openapi import write_contract

    document = build_openapi()
    text = write_client_types(document) if client_types else write_contract(document)
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")


def bench_remember(
    relationships: Annotated[int, typer.Option(min=1, max=100_000, help="How many, for each batch.")] = 1000,
    batches: Annotated[
        list[int] | None,
        typer.Option("--batch", min=1, max=100, help="Relationships a submission; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Relationships a second for batches of 1 and 100, beside the raw insert rate of the same rows."""
    from app.cli.bench.remember import run_bench

    measured = run_bench(
        read_settings(log_level="error"), relationships=relationships, batches=batches or [1, 100]
    )
    rows = [
        {
            "batch": one.batch,
            "relationships": one.relationships,
            "rows": one.rows,
            "accepted_per_second": round(one.accept_rate, 1),
            "placed_per_second": round(one.place_rate, 1),
            "remembered_per_second": round(one.total_rate, 1),
            "raw_insert_per_second": round(one.raw_rate, 1),
            "share_of_raw": round(one.share, 3),
        }
        for one in measured
    ]
    if as_json:
        print_json(rows)
        return
    columns = {
        "Batch": "batch",
        "Count": "relationships",
        "Rows": "rows",
        "Accepted/s": "accepted_per_second",
        "Placed/s": "placed_per_second",
        "Remembered/s": "remembered_per_second",
        "Raw insert/s": "raw_insert_per_second",
        "Share": "share_of_raw",
    }
    print_table(columns, rows)


def bench_schedule(
    teams: Annotated[int, typer.Option(min=1, max=10_000, help="All due at one moment.")] = 300,
    workers: Annotated[int, typer.Option(min=1, max=32, help="Worker processes.")] = 4,
    schedulers: Annotated[int, typer.Option(min=0, max=32, help="Further processes that only schedule.")] = 8,
    as_json: AsJson = False,
) -> None:
    """Seconds until every team of many that are due at once has had its one run; exit code 1 if one has not."""
    from app.cli.bench.schedule import run_bench

    measured = run_bench(
        read_settings(log_level="error"), teams=teams, workers=workers, schedulers=schedulers
    )
    row = {
        "teams": measured.teams,
        "runs": measured.runs,
        "teams_with_a_run": measured.teams_with_a_run,
        "elapsed_seconds": round(measured.elapsed_seconds, 2),
        "work_seconds": round(measured.work_seconds, 2),
    }
    if as_json:
        print_json(row)
    else:
        columns = {"Teams": "teams", "Runs": "runs", "Teams with one": "teams_with_a_run"}
        print_table(columns | {"Elapsed, s": "elapsed_seconds", "Sum of the runs, s": "work_seconds"}, [row])
    if not measured.is_exact:
        raise typer.Exit(1)


def bench_leases(
    connections: Annotated[
        list[int] | None, typer.Option("--connections", min=1, max=64, help="At once; repeatable.")
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, max=60, help="Of each measurement.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Items leased and finished a second, beside pgbench with the same statements."""
    from app.cli.bench.leases import run_bench

    measured = run_bench(read_settings(log_level="error"), connections=connections or [1, 4], seconds=seconds)
    rows = [
        {
            "connections": one.connections,
            "leased_and_finished_per_second": round(one.rate, 1),
            "pgbench_per_second": None if one.pgbench_rate is None else round(one.pgbench_rate, 1),
            "share_of_pgbench": None if one.share is None else round(one.share, 3),
        }
        for one in measured
    ]
    if as_json:
        print_json(rows)
        return
    columns = {
        "Connections": "connections",
        "Leased and finished/s": "leased_and_finished_per_second",
        "pgbench/s": "pgbench_per_second",
        "Share": "share_of_pgbench",
    }
    print_table(columns, rows)


def bench_recall(
    relationships: Annotated[int, typer.Option(min=100, max=1_000_000, help="In all teams.")] = 20_000,
    teams: Annotated[int, typer.Option(min=1, max=1_000, help="Large and small.")] = 50,
    questions: Annotated[int, typer.Option(min=1, max=2_000, help="Of each of the five classes.")] = 120,
    seed: Annotated[int, typer.Option(help="What all is drawn from; 1 was tuned on.")] = 2,
    as_json: AsJson = False,
) -> None:
    """How well and how fast recall finds known answers, beside plain full text; exit code 1 below a bar."""
    from app.cli.bench.recall.report import COLUMNS, Plan, run_bench

    measured = run_bench(read_settings(log_level="error"), Plan(relationships, teams, questions, seed))
    if as_json:
        print_json(asdict(measured))
    else:
        print_table(COLUMNS, measured.rows)
        print_lines(
            f"{measured.relationships} Relationships, {measured.questions} questions, seed {seed}.",
            f"Planted Hypotheses among the first 5 related: {measured.related_share:.3f}.",
            *(f"Missed: {one}." for one in measured.missed),
        )
    if measured.missed:
        raise typer.Exit(1)
