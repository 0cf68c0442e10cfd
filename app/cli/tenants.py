"""Commands about teams, their keys and what was done to them, for the machine with the database."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, get_args

import typer

from app.cli.client import save_key
from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines, print_table
from app.kernel.errors import SetupError
from app.tenancy.authority import Authority
from app.tenancy.callers import KeyScope
from app.tenancy.keys import KeyDraft

_NAMED = "Team by name or id."


def add_commands(cli: typer.Typer) -> None:
    """Add these commands to the tree."""
    team = typer.Typer(help="Teams: the tenants.", no_args_is_help=True)
    team.command("create")(create_team)
    team.command("list")(list_teams)
    team.command("erase")(erase_team)
    cli.add_typer(team, name="team")
    key = typer.Typer(help="API keys.", no_args_is_help=True)
    key.command("create")(create_key)
    key.command("list")(list_keys)
    key.command("revoke")(revoke_key)
    key.command("limit")(limit_key)
    cli.add_typer(key, name="key")
    cli.command()(audit)
    cli.command("export")(export_team)
    cli.command("import")(import_team)


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
        {
            "team_id": team.team_id,
            "name": team.name,
            "created_at": team.created_at.isoformat(),
            "closed_at": team.closed_at and team.closed_at.isoformat(),
        }
        for team in on_database(newest_teams)
    ]
    if as_json:
        print_json(teams)
    else:
        print_table({"Team": "name", "Id": "team_id", "Created": "created_at", "Closed": "closed_at"}, teams)


def erase_team(
    team: str,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask; there is no way back.")] = False,
    abandon_batches: Annotated[
        bool,
        typer.Option(
            "--abandon-batches", help="Also while a provider has a batch, which nobody then cancels."
        ),
    ] = False,
) -> None:
    """Close a team, and erase it with all that it holds, keys and history too. Only that it was erased is kept."""
    from app.archive.erase import erase_team_as_owner
    from app.cli.administration import on_database

    if not yes:
        typer.confirm(f"Erase {team} for good?", abort=True)
    erased, rows = on_database(
        lambda owner: erase_team_as_owner(owner, team, abandons_batches=abandon_batches), as_owner=True
    )
    print_lines(f"{erased.name} ({erased.team_id}) is erased: {rows} rows.")


def export_team(
    team: Annotated[str, typer.Argument(help=_NAMED)],
    file: Annotated[Path, typer.Argument(help="File to write; it appears when it is whole.")],
) -> None:
    """Write a team as JSON Lines: every row of it but its keys, as of one moment."""
    from app.archive.export import export_team as write_team
    from app.cli.administration import on_database

    part = file.with_name(file.name + ".part")
    try:
        # What the team holds is its own: nobody else on the machine reads the file.
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            counts = on_database(
                lambda owner: write_team(owner, team, out, now=datetime.now(UTC)), as_owner=True
            )
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError as error:
        raise SetupError(f"{file} can't be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    print_lines(f"{counts.total()} rows of {len(counts)} tables are in {file}.")


def import_team(
    file: Annotated[Path, typer.Argument(help="What `densemem export` wrote.", exists=True, dir_okay=False)],
    team: Annotated[
        str | None, typer.Option(help="The team's new name; without, the one that it had.")
    ] = None,
) -> None:
    """Bring an exported team back, into an instance that doesn't have it; all of it or nothing. Make keys then."""
    from app.archive.restore import import_team as read_team
    from app.cli.administration import on_database

    with file.open("rb") as rows:
        header, counts = on_database(lambda owner: read_team(owner, rows, name=team), as_owner=True)
    print_lines(f"{team or header.name} ({header.team_id}) is here: {counts.total()} rows.")


def create_key(
    team: Annotated[str | None, typer.Option(help=_NAMED)] = None,
    profile: Annotated[str, typer.Option(help="Profile by name or id; made when missing.")] = "default",
    scopes: Annotated[str, typer.Option(help="Of read, write, operate; comma-separated.")] = "read,write",
    max_authority: Annotated[
        str,
        typer.Option(help="The most that evidence of this key may claim: " + ", ".join(get_args(Authority))),
    ] = "primary",
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="Days until the key expires.")] = None,
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
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)
    if team is None:
        key = on_database(lambda owner: make_admin_key(owner, expires_at), as_owner=True)
    else:
        draft = KeyDraft(
            profile_id=None,
            scopes=wanted,  # type: ignore[arg-type]  # Checked against the Literal above.
            max_authority=max_authority,  # type: ignore[arg-type]  # Likewise.
            expires_at=expires_at,
        )
        key = on_database(lambda database: make_key(database, team, profile, draft))
    kept_in = save_key(read_settings(), key.secret) if save else None
    if as_json:
        print_json({"key_id": key.key_id, "key": key.secret})
    elif kept_in is not None:
        print_lines(f"{key.key_id} is kept in {kept_in}.")
    else:
        print_lines(key.secret)
        print(f"This is {key.key_id}; the secret is not shown again.", file=sys.stderr)


def list_keys(team: Annotated[str, typer.Option(help=_NAMED)], as_json: AsJson = False) -> None:
    """List a team's keys, newest first; secrets are not stored."""
    from app.cli.administration import newest_keys, on_database

    keys = [
        {
            "key_id": key.key_id,
            "profile_id": key.profile_id,
            "profile": profile.name,
            "scopes": list(key.scopes),
            "max_authority": key.max_authority,
            "created_at": key.created_at.isoformat(),
            "expires_at": key.expires_at and key.expires_at.isoformat(),
            "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
        }
        for key, profile in on_database(lambda database: newest_keys(database, team))
    ]
    if as_json:
        print_json(keys)
    else:
        columns = {"Key": "key_id", "Profile": "profile", "Scopes": "scopes", "Made": "created_at"}
        print_table(columns | {"Expires": "expires_at", "Revoked": "revoked_at"}, keys)


def revoke_key(key_id: str) -> None:
    """Make a key unusable at once."""
    from app.cli.administration import end_key, on_database

    revoked_at = on_database(lambda database: end_key(database, key_id))
    print_lines(f"{key_id} is revoked since {revoked_at:%Y-%m-%d %H:%M} UTC.")


def limit_key(
    key_id: str,
    per_minute: Annotated[
        int | None, typer.Argument(min=1, max=1_000_000, help="Requests a minute; without: the instance's.")
    ] = None,
) -> None:
    """Give a key a limit of its own, or the instance's again."""
    from app.cli.administration import limit_key as limit
    from app.cli.administration import on_database

    on_database(lambda database: limit(database, key_id, per_minute))
    print_lines(f"{key_id}: {per_minute or 'as many as the instance allows'} requests a minute.")


def audit(
    team: Annotated[
        str | None, typer.Option(help=_NAMED + " Without: acts of admins and the host on any team.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what admins, operators and host commands did, newest first."""
    from app.cli.administration import newest_audit, on_database

    events = [
        {
            "audit_id": event.audit_id,
            "created_at": event.created_at.isoformat(),
            "action": event.action,
            "team_id": event.team_id,
            "actor": event.actor.key_id or event.actor.kind,
            "target_id": event.target_id,
            "details": dict(event.details),
        }
        for event in on_database(lambda database: newest_audit(database, team))
    ]
    if as_json:
        print_json(events)
    else:
        columns = {"At": "created_at", "Action": "action", "Actor": "actor", "Team": "team_id"}
        print_table(columns | {"Target": "target_id", "Details": "details"}, events)
