"""The command tree."""

import sys

import click
import typer

from app.cli import host, remote
from app.cli.demo.command import demo
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
cli.command()(demo)


def main() -> None:
    """Run one command. Exit code 0: done; 1: refused or failed, with the reason; 2: used wrongly."""
    try:
        cli(standalone_mode=False)
    except (DenseMemError, EmbeddedPostgresError) as error:
        print(f"densemem: {error}", file=sys.stderr)
        sys.exit(1)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.exceptions.Abort):
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)


if __name__ == "__main__":
    main()
