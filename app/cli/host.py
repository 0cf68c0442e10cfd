"""Commands for the machine with the database."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, get_args

import typer

from app.cli.client import save_key
from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines, print_table
from app.postgres.doctor import diagnose
from app.tenancy.authority import Authority
from app.tenancy.callers import KeyScope


def add_commands(cli: typer.Typer) -> None:
    """Add the host commands to the tree."""
    for command in (serve, worker, migrate, demo, doctor, openapi):
        cli.command()(command)
    team = typer.Typer(help="Teams: the tenants.", no_args_is_help=True)
    team.command("create")(create_team)
    team.command("list")(list_teams)
    cli.add_typer(team, name="team")
    key = typer.Typer(help="API keys.", no_args_is_help=True)
    key.command("create")(create_key)
    key.command("list")(list_keys)
    key.command("revoke")(revoke_key)
    cli.add_typer(key, name="key")
    bench = typer.Typer(help="Measure this machine.", no_args_is_help=True)
    bench.callback()(lambda: None)  # Keeps the only command a command of its own.
    bench.command("remember")(bench_remember)
    cli.add_typer(bench, name="bench")


def serve(
    host: Annotated[str | None, typer.Option(help="Address; DENSEMEM_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port, 0 picks one; DENSEMEM_PORT.")] = None,
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
    if as_json:
        print_json([{"check": f.check, "ok": f.ok, "detail": f.detail, "remedy": f.remedy} for f in findings])
    else:
        for finding in findings:
            print_lines(f"{'ok  ' if finding.ok else 'BAD '} {finding.check}: {finding.detail}")
            if finding.remedy and not finding.ok:
                print_lines(f"       {finding.remedy}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


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


def create_team(name: str, as_json: AsJson = False) -> None:
    """Make a team, with the seeded predicates."""
    from app.cli.administration import make_team, on_database

    team = on_database(lambda database: make_team(database, name))
    if as_json:
        print_json({"team_id": team.team_id, "name": team.name})
    else:
        print_lines(f"Team {team.name}: {team.team_id}")


def list_teams(as_json: AsJson = False) -> None:
    """List the teams of this instance, newest first."""
    from app.cli.administration import newest_teams, on_database

    teams = [
        {"team_id": team.team_id, "name": team.name, "created_at": team.created_at.isoformat()}
        for team in on_database(newest_teams)
    ]
    if as_json:
        print_json(teams)
    else:
        print_table({"Team": "name", "Id": "team_id", "Created": "created_at"}, teams)


def create_key(
    team: Annotated[str | None, typer.Option(help="Team by name or id.")] = None,
    profile: Annotated[str, typer.Option(help="Profile by name or id; made when missing.")] = "default",
    scopes: Annotated[str, typer.Option(help="Of read, write, operate; comma-separated.")] = "read,write",
    max_authority: Annotated[
        str,
        typer.Option(help="The most that evidence of this key may claim: " + ", ".join(get_args(Authority))),
    ] = "primary",
    days: Annotated[int | None, typer.Option(min=1, help="Days until the key expires.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="A key that manages teams and reads none.")] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Keep it for client commands on this machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make an API key. It is shown once and stored as a digest."""
    from app.cli.administration import make_admin_key, make_key, on_database

    wanted = frozenset(scope.strip() for scope in scopes.split(",") if scope.strip())
    if admin == (team is not None):
        raise typer.BadParameter("A key needs either --team or --admin.")
    if not wanted or not wanted <= frozenset(get_args(KeyScope)):
        raise typer.BadParameter("--scopes takes read, write and operate, comma-separated.")
    if max_authority not in get_args(Authority):
        raise typer.BadParameter("--max-authority takes one of " + ", ".join(get_args(Authority)) + ".")
    if team is None:
        key = on_database(make_admin_key)
    else:
        key = on_database(
            lambda database: make_key(
                database,
                team,
                profile,
                scopes=wanted,  # type: ignore[arg-type]  # Checked against the Literal above.
                max_authority=max_authority,  # type: ignore[arg-type]  # Likewise.
                expires_at=None if days is None else datetime.now(UTC) + timedelta(days=days),
            )
        )
    kept_in = save_key(read_settings(), key.secret) if save else None
    if as_json:
        print_json({"key_id": key.key_id, "key": key.secret})
    elif kept_in is not None:
        print_lines(f"{key.key_id} is kept in {kept_in}.")
    else:
        print_lines(key.secret)
        print(f"This is {key.key_id}; the secret is not shown again.", file=sys.stderr)


def list_keys(
    team: Annotated[str, typer.Option(help="Team by name or id.")], as_json: AsJson = False
) -> None:
    """List a team's keys, newest first; secrets are not stored."""
    from app.cli.administration import newest_keys, on_database

    keys = [
        {
            "key_id": key.key_id,
            "profile_id": key.profile_id,
            "scopes": list(key.scopes),
            "expires_at": key.expires_at and key.expires_at.isoformat(),
            "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
        }
        for key in on_database(lambda database: newest_keys(database, team))
    ]
    if as_json:
        print_json(keys)
    else:
        columns = {"Key": "key_id", "Profile": "profile_id", "Scopes": "scopes"}
        print_table(columns | {"Expires": "expires_at", "Revoked": "revoked_at"}, keys)


def revoke_key(key_id: str) -> None:
    """Make a key unusable at once."""
    from app.cli.administration import end_key, on_database

    revoked_at = on_database(lambda database: end_key(database, key_id))
    print_lines(f"{key_id} is revoked since {revoked_at:%Y-%m-%d %H:%M} UTC.")


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
