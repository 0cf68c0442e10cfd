"""The command: a server of its own in a folder of its own, gone afterwards unless it is kept."""

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from app.cli.demo.loop import Outcome, run_loop
from app.cli.demo.report import as_json, print_report
from app.cli.host import AsJson, read_settings
from app.cli.output import print_json, print_lines
from app.cli.server import open_database, serving, until_signalled
from app.kernel.backend import Backend, migrate_backend, running_backend
from app.kernel.settings import Settings


def demo(
    seed: Annotated[int, typer.Option(help="Draws the fifth that is held back.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Measure the guesses over so many draws.")] = 1,
    keep: Annotated[bool, typer.Option("--keep", help="Leave it serving until Ctrl-C.")] = False,
    as_json_: AsJson = False,
) -> None:
    """Run the whole loop on real evidence: the metadata of the packages that are installed here.

    Exit code 1 when no dream was a held-back edge.
    """
    settings = read_settings(log_level="error").model_copy(update={"port": 0})
    with ExitStack() as stack:
        if settings.database_url is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="densemem-demo-"))
            settings = settings.model_copy(update={"data_dir": Path(folder) / "data"})
        backend = stack.enter_context(running_backend(settings))
        migrate_backend(backend, settings)
        outcome = asyncio.run(show(backend, settings, seed=seed, seeds=seeds, keep=keep, json=as_json_))
    if outcome.confirmed is None:
        raise typer.Exit(1)


async def show(
    backend: Backend, settings: Settings, *, seed: int, seeds: int, keep: bool, json: bool
) -> Outcome:
    """Serve, run the loop, print what came of it, and go on serving when asked to."""
    async with (
        open_database(settings, backend) as database,
        serving(database, settings, with_worker=True) as url,
    ):
        outcome = await run_loop(database, url, seed=seed, seeds=seeds, tell=tell)
        tell("")
        if json:
            print_json(as_json(outcome))
        else:
            print_report(outcome)
        if keep:
            print_lines(
                "",
                f"Serving at {url}; Ctrl-C ends it.",
                f"export DENSEMEM_URL={url} DENSEMEM_KEY={outcome.key}",
            )
            sys.stdout.flush()
            await until_signalled()
    return outcome


def tell(step: str) -> None:
    """Show on a terminal what is being done, in one line that the next one replaces."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{step}")
        sys.stderr.flush()
