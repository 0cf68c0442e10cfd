"""Commands that measure this machine."""

from dataclasses import asdict
from typing import Annotated

import typer

from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines, print_table


def add_bench_commands(cli: typer.Typer) -> None:
    """Add these commands to the tree."""
    bench = typer.Typer(help="Measure this machine.", no_args_is_help=True)
    bench.command("remember")(bench_remember)
    bench.command("schedule")(bench_schedule)
    bench.command("leases")(bench_leases)
    bench.command("recall")(bench_recall)
    bench.command("http")(bench_http)
    cli.add_typer(bench, name="bench")


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


def bench_http(
    hypotheses: Annotated[int, typer.Option(min=1, max=10_000_000, help="In all teams.")] = 1_000_000,
    relationships: Annotated[int, typer.Option(min=100, max=10_000_000, help="In all teams.")] = 1_000_000,
    teams: Annotated[int, typer.Option(min=1, max=10_000, help="Large and small.")] = 1_000,
    clients: Annotated[
        list[int] | None, typer.Option("--clients", min=1, max=1_000, help="At once; repeatable.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="Of each measurement.")] = 5,
    seed: Annotated[int, typer.Option(help="What all is drawn from.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Requests a second of one API process, beside a bare endpoint and pgbench; exit code 1 below a bar.

    Authentication, row security and the rate limit are on; the limit is too high to refuse. Clients, API process
    and PostgreSQL share this machine's cores.
    """
    from app.cli.bench.http.loading import Size
    from app.cli.bench.http.measuring import Plan
    from app.cli.bench.http.report import (
        BAR_COLUMNS,
        COLUMNS,
        describe_load,
        run_bench,
        write_bars,
        write_rows,
    )

    measured = run_bench(
        read_settings(log_level="error"),
        Size(hypotheses, relationships, teams, seed),
        Plan(clients or [1, 8, 32], seconds, seed),
    )
    points, bars = write_rows(measured.points), write_bars(measured.bars)
    if as_json:
        print_json({"load": describe_load(measured), "points": points, "bars": bars})
    else:
        print_table(COLUMNS, points)
        print_lines("")
        print_table(BAR_COLUMNS, bars)
        print_lines(
            "", *(f"{name.replace('_', ' ')}: {value}" for name, value in describe_load(measured).items())
        )
    if not measured.is_good:
        raise typer.Exit(1)
