"""The commands `densemem evaluate…`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.context import AsJson, read_settings

DEFAULT_DATA: Final = Path(".densemem/triples")
SHARES: Final = "30/20/50"


def add_evaluate_commands(cli: typer.Typer) -> None:
    """Add the commands to the tree."""
    cli.command("evaluate")(evaluate)
    cli.command("evaluate-published")(evaluate_published)
    cli.command("evaluate-young")(evaluate_young)
    cli.command("evaluate-large")(evaluate_large)


def evaluate(
    folder: Annotated[Path, typer.Argument(help="Folder with train.txt, test.txt, valid.txt.")],
    split: Annotated[
        str | None, typer.Option(help=f"Divide all triples anew, in hundredths, such as {SHARES}.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="How many splits anew.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the first split, the random order, what is explained.")] = 0,
    explain: Annotated[int, typer.Option(min=0, max=500, help="Print so many explanations.")] = 0,
    as_json: AsJson = False,
) -> None:
    """How good are dreams on a folder of triples (head, relation, tail, by tabs), beside popularity and chance?

    On an embedded server of its own, gone afterwards; with DATABASE_URL, in teams of their own that stay.
    """
    from app.cli.evaluate.report import report_folder
    from app.cli.evaluate.triples import parse_shares

    try:
        shares = None if split is None else parse_shares(split)
    except ValueError as error:
        raise typer.BadParameter(
            f"--split takes three numbers that make a hundred, such as {SHARES}."
        ) from error
    settings = read_settings(log_level="error")
    report_folder(
        settings, folder, shares=shares, seeds=seeds, seed=seed, explain=explain, prints_json=as_json
    )


def evaluate_published(
    data: Annotated[
        Path, typer.Option(help="Folder with kinships, umls, nations; fetched into it.")
    ] = DEFAULT_DATA,
    url: Annotated[
        str | None,
        typer.Option(
            envvar="DENSEMEM_TRIPLES_URL", help="Address of such a folder, to fetch what is missing."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave the splits anew and young teams out.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the three public sets, each file checked by its hash; minutes of processor time."""
    from app.cli.evaluate.report import report_published

    report_published(read_settings(log_level="error"), data, url=url, is_quick=quick, prints_json=as_json)


def evaluate_young(
    folder: Annotated[Path, typer.Argument(help="Folder with train.txt, test.txt, valid.txt.")],
    edges: Annotated[list[int] | None, typer.Option(min=10, help="Edges of the team; repeatable.")] = None,
    draws: Annotated[int, typer.Option(min=1, max=100, help="Teams of each size.")] = 5,
    as_json: AsJson = False,
) -> None:
    """What teams of few edges, drawn from the folder, are told in their first cycle, and how much is right."""
    from app.cli.evaluate.report import report_young

    report_young(
        read_settings(log_level="error"), folder, sizes=edges or [100, 300], draws=draws, prints_json=as_json
    )


def evaluate_large(
    edges: Annotated[
        list[int] | None, typer.Option(min=1000, max=1_000_000, help="Edges of the team; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the first graph.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Graphs of each size.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Synthetic teams through one whole cycle each: quality, seconds, memory as they grow."""
    from app.cli.evaluate.report import report_large

    report_large(
        read_settings(log_level="error"),
        sizes=edges or [10_000, 100_000, 300_000],
        seed=seed,
        seeds=seeds,
        prints_json=as_json,
    )
