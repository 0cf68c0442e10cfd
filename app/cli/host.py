"""Commands for the machine with the database."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, TypeVar, get_args

import typer

from app.cli.client import save_key
from app.cli.output import print_json, print_lines, print_table
from app.cli.server import open_database, serving, until_signalled
from app.kernel.backend import Backend, migrate_backend, running_backend
from app.kernel.database import Database, Scope
from app.kernel.errors import NotFound
from app.kernel.logs import configure_logs
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.postgres.doctor import diagnose
from app.tenancy.authority import Authority
from app.tenancy.callers import KeyScope
from app.tenancy.keys import NewKey, create_admin_key, create_key, revoke_key
from app.tenancy.teams import Profile, create_profile, find_profile, find_team, list_teams, new_team_id
from app.worker.loop import run_worker

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def add_commands(cli: typer.Typer) -> None:
    """Add the host commands to the tree."""
    for command in (serve, worker, migrate, doctor, openapi):
        cli.command()(command)
    team = typer.Typer(help="Teams: the tenants.", no_args_is_help=True)
    team.command("create")(create_team_command)
    team.command("list")(list_teams_command)
    cli.add_typer(team, name="team")
    key = typer.Typer(help="API keys.", no_args_is_help=True)
    key.command("create")(create_key_command)
    key.command("revoke")(revoke_key_command)
    cli.add_typer(key, name="key")


def serve(
    host: Annotated[str | None, typer.Option(help="Address; DENSEMEM_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port, 0 picks one; DENSEMEM_PORT.")] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Serve the API only.")] = False,
) -> None:
    """Serve the API with its workers; migrates first, and starts an embedded PostgreSQL without DATABASE_URL."""
    chosen = {"host": host, "port": port}
    settings = read_settings().model_copy(
        update={name: value for name, value in chosen.items() if value is not None}
    )

    async def run(backend: Backend) -> None:
        asked = asyncio.create_task(until_signalled())
        await asyncio.sleep(0)
        async with (
            open_database(settings, backend) as database,
            serving(database, settings, with_worker=not no_worker) as url,
        ):
            where = f"embedded PostgreSQL in {settings.data_dir}" if backend.is_embedded else "DATABASE_URL"
            print_lines(f"Dense-Mem serves at {url} ({where}). Ctrl-C ends it.")
            await asked

    with running_backend(settings) as backend:
        migrate_backend(backend, settings)
        asyncio.run(run(backend))


def worker() -> None:
    """Work without an API: place submissions and dream."""
    settings = read_settings()

    async def run(backend: Backend) -> None:
        stop = asyncio.Event()
        async with open_database(settings, backend) as database, asyncio.TaskGroup() as tasks:
            working = tasks.create_task(run_worker(database, settings, stop=stop))
            asked = tasks.create_task(until_signalled())
            await asyncio.wait([working, asked], return_when=asyncio.FIRST_COMPLETED)
            stop.set()
            asked.cancel()

    with running_backend(settings, joins_running=True, may_start=False) as backend:
        asyncio.run(run(backend))


def migrate() -> None:
    """Bring the database's roles and tables up to date; safe to run by many at once."""
    settings = read_settings()
    with running_backend(settings) as backend:
        migrate_backend(backend, settings)
    print_lines("The database is up to date.")


def doctor(as_json: AsJson = False) -> None:
    """Say what is wrong with the set-up and how to mend it; exit code 1 when something is."""
    settings = read_settings()
    if settings.database_url is not None:
        with running_backend(settings) as backend:
            migrate_backend(backend, settings)
        print_lines("DATABASE_URL answers, and its roles and tables are up to date.")
        return
    findings = diagnose(settings.data_dir, os.environ)
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
) -> None:
    """Print the OpenAPI document of the HTTP API."""
    from app.api.app import build_openapi  # The API's modules cost start-up time that only this needs.

    text = json.dumps(build_openapi(), ensure_ascii=False, indent=2, sort_keys=False) + "\n"
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")


def create_team_command(name: str, as_json: AsJson = False) -> None:
    """Make a team, with the seeded predicates."""

    async def work(database: Database) -> dict[str, str]:
        team_id = new_team_id()
        team = await database.unit_of_work(Scope("app", team_id), lambda w: found_team(w, team_id, name))
        return {"team_id": team.team_id, "name": team.name}

    team = on_database(work)
    print_json(team) if as_json else print_lines(f"Team {team['name']}: {team['team_id']}")


def list_teams_command(as_json: AsJson = False) -> None:
    """List the teams of this instance, newest first."""

    async def work(database: Database) -> list[dict[str, object]]:
        async with database.reading(Scope("app")) as reading:
            page = await list_teams(reading, limit=1000, cursor=None)
        return [{"team_id": t.team_id, "name": t.name, "created_at": t.created_at} for t in page.items]

    teams = on_database(work)
    if as_json:
        print_json(teams)
    else:
        print_table({"Team": "name", "Id": "team_id", "Created": "created_at"}, teams)


def create_key_command(
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
    wanted = frozenset(scope.strip() for scope in scopes.split(",") if scope.strip())
    if not admin and team is None:
        raise typer.BadParameter("A key needs --team, or --admin.")
    if not wanted or not wanted <= frozenset(get_args(KeyScope)):
        raise typer.BadParameter("--scopes takes read, write and operate, comma-separated.")
    if max_authority not in get_args(Authority):
        raise typer.BadParameter("--max-authority takes one of " + ", ".join(get_args(Authority)) + ".")
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)

    async def work(database: Database) -> NewKey:
        if team is None:
            return await database.unit_of_work(Scope("app"), create_admin_key)
        async with database.reading(Scope("app")) as reading:
            team_id = (await find_team(reading, team)).team_id
        author = await find_or_create_profile(database, team_id, profile)
        return await database.unit_of_work(
            Scope("app", team_id),
            lambda w: create_key(
                w,
                team_id=team_id,
                profile_id=author.profile_id,
                scopes=wanted,  # type: ignore[arg-type]  # Checked against the Literal above.
                max_authority=max_authority,  # type: ignore[arg-type]  # Likewise.
                expires_at=expires_at,
            ),
        )

    key = on_database(work)
    if save:
        path = save_key(read_settings(), key.secret)
    if as_json:
        print_json({"key_id": key.key_id, "key": key.secret})
    elif save:
        print_lines(f"{key.key_id} is kept in {path}.")
    else:
        print_lines(key.secret)


def revoke_key_command(key_id: str) -> None:
    """Make a key unusable at once."""

    async def work(database: Database) -> datetime:
        return await database.unit_of_work(Scope("app"), lambda w: revoke_key(w, key_id))

    print_lines(f"{key_id} is revoked since {on_database(work):%Y-%m-%d %H:%M} UTC.")


async def find_or_create_profile(database: Database, team_id: str, name_or_id: str) -> Profile:
    """Return the team's profile; one is made under that name when there is none."""
    scope = Scope("app", team_id)
    try:
        async with database.reading(scope) as reading:
            return await find_profile(reading, team_id, name_or_id)
    except NotFound:
        return await database.unit_of_work(scope, lambda w: create_profile(w, team_id, name_or_id))


def on_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Run the work on this machine's database, migrated; an embedded one is started when none runs."""
    settings = read_settings()

    async def run(backend: Backend) -> T:
        async with open_database(settings, backend) as database:
            return await work(database)

    with running_backend(settings, joins_running=True) as backend:
        migrate_backend(backend, settings)
        return asyncio.run(run(backend))


def read_settings(*, log_level: str | None = None) -> Settings:
    """Read the environment and set up logging, once a command; `log_level` outweighs the environment's."""
    settings = Settings()
    configure_logs(log_level or settings.log_level)
    return settings
