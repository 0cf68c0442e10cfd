"""Commands that say how dreams turn out, over HTTP."""

from typing import Final

from app.cli.client import open_client
from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_table

OUTCOME_COLUMNS: Final = {
    "Predicate": "predicate_key",
    "Generator": "generator_version",
    "Dreamed": "dreamed",
    "Confirmed": "confirmed",
    "Refuted": "refuted",
    "Rejected": "rejected",
    "Expired": "expired",
    "Ignored": "ignored",
    "Undecided": "undecided",
}


def show_outcomes(as_json: AsJson = False) -> None:
    """Show what became of the dreams of each predicate and generator version."""
    with open_client(read_settings()) as client:
        page = client.get_dream_outcomes()
    print_json(page) if as_json else print_table(OUTCOME_COLUMNS, [{**row} for row in page["items"]])
