"""Commands that say how dreams turn out and why one is absent, over HTTP."""

from typing import Annotated, Final

import typer

from app.cli.client import open_client
from app.cli.context import AsJson, read_settings
from app.cli.output import print_json, print_lines, print_table

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


def explain_absence(
    subject: Annotated[str, typer.Argument(help="An entity id.")],
    predicate: Annotated[str, typer.Argument(help="A predicate key.")],
    object_id: Annotated[str, typer.Argument(metavar="OBJECT", help="An entity or value id.")],
    as_json: AsJson = False,
) -> None:
    """Show what stands in the way of an idea today."""
    is_value = object_id.startswith("val_")
    with open_client(read_settings()) as client:
        answer = client.explain_absence(
            subject,
            predicate,
            object_entity_id=None if is_value else object_id,
            object_value_id=object_id if is_value else None,
        )
    if as_json:
        print_json(answer)
        return
    print_lines("The next cycle would propose it." if answer["would_be_proposed"] else "Not proposed:")
    for obstacle in answer["blocked_by"]:
        print_lines(
            f"  {obstacle['code']}: {obstacle['message']}", *(f"      {one}" for one in obstacle["ids"])
        )
