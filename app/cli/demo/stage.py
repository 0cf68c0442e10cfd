"""A server of the demo's own in a folder of its own, gone afterwards unless it is kept."""

import asyncio
import sys
from contextlib import ExitStack

from app.cli.database import open_database
from app.cli.demo.folder import own_folder
from app.cli.demo.loop import Outcome, Plan, run_loop
from app.cli.demo.report import as_json, print_report
from app.cli.output import print_json, print_lines
from app.cli.server import serving
from app.cli.starting import until_signalled
from app.kernel.backend import Backend, prepare_backend, running_backend
from app.kernel.settings import Settings


def run_demo(settings: Settings, plan: Plan, *, keeps_serving: bool, prints_json: bool) -> bool:
    """Run the loop on DATABASE_URL or a fresh embedded server, print it, and say whether a guess was a hit."""
    settings = settings.model_copy(update={"port": choose_port(settings, keeps_serving=keeps_serving)})
    with ExitStack() as stack:
        if settings.database_url is None:
            folder = stack.enter_context(own_folder())
            settings = settings.model_copy(update={"data_dir": folder / "data"})
        backend = stack.enter_context(running_backend(settings))
        prepare_backend(backend, settings)
        outcome = asyncio.run(
            perform(backend, settings, plan, keeps_serving=keeps_serving, prints_json=prints_json)
        )
    return outcome.confirmed is not None


def choose_port(settings: Settings, *, keeps_serving: bool) -> int:
    """Return the port that somebody chose for what stays, else 0: any other may be another server's."""
    return settings.port if keeps_serving and "port" in settings.model_fields_set else 0


async def perform(
    backend: Backend, settings: Settings, plan: Plan, *, keeps_serving: bool, prints_json: bool
) -> Outcome:
    """Serve, run the loop, print what came of it, and go on serving when asked to."""
    async with (
        open_database(settings, backend) as database,
        serving(database, settings, with_worker=True) as url,
    ):
        outcome = await run_loop(database, url, plan, tell=tell)
        tell("")
        if prints_json:
            print_json(as_json(outcome))
        else:
            print_report(outcome)
        if keeps_serving:
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
