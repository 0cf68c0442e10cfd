"""The command tree."""

import sys

import typer

from app.cli import host, remote
from app.kernel.errors import DenseMemError
from app.postgres.errors import EmbeddedPostgresError

cli = typer.Typer(
    name="densemem",
    help="A memory for AI agents that dreams in a ledger of its own.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
host.add_commands(cli)
remote.add_commands(cli)


def main() -> None:
    """Run one command. Exit code 0: done; 1: refused or failed, with the reason; 2: used wrongly."""
    try:
        cli()
    except (DenseMemError, EmbeddedPostgresError) as error:
        print(f"densemem: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
