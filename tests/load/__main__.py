"""The long form: `python -m tests.load --clients 1000 --seconds 60`; exit code 1 where something must not be."""

import argparse
import sys
from contextlib import ExitStack

from app.kernel.backend import Backend
from tests.databases import SERVICE_LOGIN, admin_url, create_database, service_url, start_server
from tests.load.trial import Plan, run_trial


def main() -> int:
    """Run one trial on a server of its own and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--unread-feeds", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    with ExitStack() as stack:
        start_server(stack)
        name = create_database()
        backend = Backend(service_url(name), None, admin_url(name), SERVICE_LOGIN, is_embedded=True)
        trial = run_trial(backend, Plan(chosen.clients, chosen.unread_feeds, chosen.seconds))
    faults = trial.find_faults()
    for line in (*trial.describe(), *(f"FAULT: {fault}" for fault in faults)):
        sys.stdout.write(f"{line}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
