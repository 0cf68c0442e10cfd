"""The command tree."""

import sys
from typing import Annotated

import typer

from app import __version__
from app.cli import host, operators, remote, tenants
from app.cli.benches import add_bench_commands
from app.cli.evaluate.commands import add_evaluate_commands
from app.cli.output import print_error
from app.kernel.errors import DenseMemError, InvalidInput
from app.postgres.errors import EmbeddedPostgresError


def print_version(is_asked: bool) -> None:
    """Print the version and end, when asked to."""
    if is_asked:
        print(f"densemem {__version__}")
        raise typer.Exit


cli = typer.Typer(
    name="densemem",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
host.add_commands(cli)
add_bench_commands(cli)
tenants.add_commands(cli)
remote.add_commands(cli)
operators.add_commands(cli)
add_evaluate_commands(cli)


@cli.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=print_version)
    ] = False,
) -> None:
    """A memory for AI agents that dreams in a ledger of its own."""


def main() -> None:
    """Run one command. Exit code 0: done; 1: refused or failed, with the reason; 2: used wrongly."""
    try:
        cli()
    except (DenseMemError, EmbeddedPostgresError) as error:
        print_error(f"densemem: {error}")
        for wrong in error.errors if isinstance(error, InvalidInput) else ():
            print_error(f"  {wrong.field}: {wrong.message}")
        sys.exit(1)


if __name__ == "__main__":
    main()
