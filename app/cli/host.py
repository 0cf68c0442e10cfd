"""Commands for the machine with the database."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines
from app.kernel.settings import Settings
from app.postgres.doctor import Finding, diagnose


def add_commands(cli: typer.Typer) -> None:
    """Add the host commands to the tree."""
    for command in (serve, worker, migrate, demo, doctor, openapi):
        cli.command()(command)


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
    from app.cli.worker import work_until_signalled

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
    from app.recall.configured_embedder import examine_embedder

    return [
        await diagnose_redis(settings),
        *await diagnose_provider(settings),
        await asyncio.to_thread(examine_embedder, settings.embed_model),
    ]


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
