"""`python -m tests.chaos --rounds 200`: play, print what came of it, exit 1 if a round ended badly."""

import argparse
import asyncio
import logging
import signal
import sys
from collections import Counter

from tests.chaos.faults import FAULTS
from tests.chaos.rounds import Tally, Verdict, play
from tests.chaos.world import World, made_world


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--fault", action="append", choices=list(FAULTS), help="only this one; repeatable")
    options = parser.parse_args()
    # The pool tells of each connection that a fault has broken.
    logging.disable(logging.WARNING)
    # Asked to end it still takes its server and its disk away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with made_world() as world:
        faults = tuple(options.fault or FAULTS)
        tally = asyncio.run(play(world, options.rounds, faults=faults))
        show(tally, world)
    return 1 if tally.bad else 0


def show(tally: Tally, world: World) -> None:
    """Print a line a fault and the sums."""
    for fault, verdicts in tally.by_fault.items():
        sys.stdout.write(f"{fault:<24}{tell(verdicts)}\n")
    if not world.has_own_disk:
        sys.stdout.write(
            "disk full               not inflicted: this account may not mount a disk of its own\n"
        )
    rounds = sum(tally.verdicts.values())
    sys.stdout.write(f"{'all':<24}{tell(tally.verdicts)}\n{rounds} rounds in {tally.seconds:.0f} s\n")
    for words in tally.bad:
        sys.stdout.write(f"{words}\n")


def tell(verdicts: Counter[Verdict]) -> str:
    """Return the counts that matter, always in the same order."""
    told = [f"rounds {sum(verdicts.values()):>4}"]
    names: tuple[Verdict, ...] = ("survived", "lost", "doubled", "stuck", "differing", "not reached")
    return "  ".join(told + [f"{name} {verdicts[name]:>3}" for name in names])


if __name__ == "__main__":
    sys.exit(main())
