"""The commands' work: measure, then print tables or data."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from app.cli.evaluate import bars, tables
from app.cli.evaluate.explaining import Explained, explain_some
from app.cli.evaluate.large import measure_growth
from app.cli.evaluate.measuring import MAX_OUTPUTS, Measured, measure_split
from app.cli.evaluate.published import read_published
from app.cli.evaluate.stage import on_stage, tell
from app.cli.evaluate.triples import read_split, split_anew
from app.cli.evaluate.young import Young, measure_young
from app.cli.output import print_json, print_lines, print_table
from app.kernel.database import Database
from app.kernel.settings import Settings

YOUNG_OUTPUTS: Final = 50
_ANEW: Final = (30, 20, 50)
_SEEDS: Final = 3


def report_folder(
    settings: Settings,
    folder: Path,
    *,
    shares: tuple[int, int, int] | None,
    seeds: int,
    seed: int,
    explain: int,
    prints_json: bool,
) -> None:
    """Measure one folder, as it is divided or divided anew so many times, and print what was found."""
    whole = read_split(folder)
    splits = (
        [whole]
        if shares is None
        else [split_anew(whole, shares=shares, seed=each) for each in range(seed, seed + seeds)]
    )

    async def work(database: Database) -> tuple[list[Measured], list[Explained]]:
        measured: list[Measured] = []
        explained: list[Explained] = []
        for split in splits:
            tell(split.name)
            found, loaded, dreamt = await measure_split(database, split, seed=seed)
            measured.append(found)
            if explain and not explained:
                relations = {predicate.key: relation for relation, predicate in loaded.predicates.items()}
                explained = await explain_some(
                    database, loaded.caller, dreamt, split, relations, count=explain, seed=seed
                )
        return measured, explained

    measured, explained = on_stage(settings, work)
    tell("")
    if prints_json:
        print_json(
            {
                "splits": [asdict(each) for each in measured],
                "explanations": [asdict(each) for each in explained],
            }
        )
        return
    print_measured(measured, [(f"mean of {seeds}", measured)] if len(measured) > 1 else [])
    for number, each in enumerate(explained, start=1):
        print_lines("", *tables.word_explanation(number, each))


def report_published(
    settings: Settings, data: Path, *, url: str | None, is_quick: bool, prints_json: bool
) -> None:
    """Measure the public sets: as published, divided anew, and as young teams."""
    published = read_published(data, url=url)

    async def work(database: Database) -> tuple[list[Measured], list[list[Measured]], list[Young]]:
        measured, anew = [], []
        for split in published:
            tell(split.name)
            measured.append((await measure_split(database, split))[0])
        if is_quick:
            return measured, [], []
        for split in published[:2]:
            group = []
            for seed in range(_SEEDS):
                one = split_anew(split, shares=_ANEW, seed=seed)
                tell(one.name)
                group.append((await measure_split(database, one, seed=seed))[0])
            anew.append(group)
        tell("young teams")
        young = await measure_young(
            database, published[1], sizes=(100, 300), draws=5, max_outputs=YOUNG_OUTPUTS
        )
        return measured, anew, young

    measured, anew, young = on_stage(settings, work)
    tell("")
    by_name = {split.name: group for split, group in zip(published, anew, strict=False)}
    found = bars.published_rows(measured, by_name, young)
    if prints_json:
        print_json(
            {
                "published": [asdict(each) for each in measured],
                "anew": [asdict(each) for group in anew for each in group],
                "young": [asdict(each) for each in young],
                "bars": found,
            }
        )
        return
    means = [
        (f"{split.name} {'/'.join(map(str, _ANEW))}, mean of {_SEEDS}", group)
        for split, group in zip(published, anew, strict=False)
    ]
    print_measured([*measured, *(each for group in anew for each in group)], means, shows=len(measured))
    if young:
        print_lines(
            "", f"Teams of few edges, drawn from {published[1].name}: first cycle, {YOUNG_OUTPUTS} at most"
        )
        print_table(tables.YOUNG, tables.young_rows(young))
    print_lines("", "Bars")
    print_table(bars.TABLE, found)


def report_young(
    settings: Settings, folder: Path, *, sizes: Sequence[int], draws: int, prints_json: bool
) -> None:
    """Measure teams of few edges."""
    split = read_split(folder)

    async def work(database: Database) -> list[Young]:
        return await measure_young(database, split, sizes=sizes, draws=draws, max_outputs=YOUNG_OUTPUTS)

    measured = on_stage(settings, work)
    if prints_json:
        print_json([asdict(each) for each in measured])
    else:
        print_table(tables.YOUNG, tables.young_rows(measured))


def report_large(
    settings: Settings, *, sizes: Sequence[int], seed: int, seeds: int, prints_json: bool
) -> None:
    """Measure synthetic teams of growing size, each size with so many graphs."""
    grown = on_stage(
        settings,
        lambda database: measure_growth(
            database, sizes=sizes, seeds=range(seed, seed + seeds), max_outputs=MAX_OUTPUTS, tell=tell
        ),
    )
    tell("")
    if prints_json:
        print_json([asdict(each) for each in grown])
        return
    print_table(tables.GROWTH, tables.growth_rows(grown))
    same = all(each.measured.is_repeated for each in grown)
    print_lines("", f"Two runs: {'bit-equal' if same else 'DIFFER'}.")
    for size in dict.fromkeys(sizes):
        rows = bars.large_rows(size, [each for each in grown if each.size == size])
        if rows:
            print_lines("", f"Bars, over {seeds} graphs of {size} edges")
            print_table(bars.TABLE, rows)


def print_measured(
    measured: Sequence[Measured], means: Sequence[tuple[str, Sequence[Measured]]], *, shows: int | None = None
) -> None:
    """Print quality, honesty, reliability and cost; `shows`: reliability of so many, else of all."""
    rows = [row for each in measured[:shows] for row in tables.quality_rows(each)]
    rows += [row for name, group in means for row in tables.mean_rows(name, group)]
    print_table(tables.QUALITY, rows)
    print_lines("", "Likelihoods of hidden training edges, and whether a second run says the same")
    print_table(tables.HONESTY, [tables.honesty_row(each) for each in measured])
    print_lines("", "Said → found")
    print_table(*tables.reliability_rows(measured[:shows]))
    print_lines("", "Cost")
    print_table(tables.COST, [tables.cost_row(each) for each in measured])
