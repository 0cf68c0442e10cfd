"""A file that is not whole, or was edited, brings nothing and is refused by its line."""

import io
import json
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from app.archive.lines import write_row
from app.archive.restore import import_team
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput
from app.kernel.ids import new_id
from tests.databases import admin_url
from tests.integration.archive.broken_files import (
    Row,
    changed,
    cut,
    find,
    resealed,
    with_header,
    with_line,
    with_more,
    with_team,
    without_a_row,
    without_last_line,
    without_team,
)
from tests.integration.archive.conftest import Exported
from tests.integration.full_team import digests

# Their rows are numbered for all teams together.
_NUMBERED = ("support_events", "hypothesis_events", "conflict_events", "team_events")


@pytest.mark.parametrize(
    "spoil",
    [
        cut,
        without_last_line,
        without_a_row,
        changed,
        lambda content: content + b"{}\n",
        lambda content: b"",
        lambda content: b"[1]\n",
        lambda content: content.replace(b'"version":1', b'"version":2', 1),
        lambda content: content.replace(b'"revision":"', b'"revision":"x', 1),
        lambda content: content.replace(b'{"table":"evidence"', b'{"table":"secrets"', 1),
    ],
)
async def test_a_file_that_is_not_whole_leaves_nothing(
    exported: Exported, elsewhere: tuple[str, Database], spoil: Callable[[bytes], bytes]
) -> None:
    name, owner = elsewhere
    with pytest.raises(InvalidInput) as refused:
        await import_team(owner, io.BytesIO(spoil(exported.content)))
    assert refused.value.code == "archive_invalid"
    assert digests(name, exported.team.team_id) == {}


@pytest.mark.parametrize(
    "spoil",
    [
        with_header(team_id="nonsense"),
        with_header(team_id=5),
        with_header(name=5),
        with_header(name="Another"),
        with_header(team_id=new_id("team")),
        with_team(name=" "),
        with_more("teams", id=new_id("team"), name="Second"),
        with_more("relationships", id=new_id("rel"), tier="gospel"),
        with_line(b"[1]"),
        with_line(b"no JSON"),
        with_line(b"{}"),
        with_line(b'{"id": "\\u0000"}'),
        with_line(b'{"id": "\xff"}'),
        resealed(without_team),
    ],
)
async def test_a_file_with_rows_that_no_export_writes_is_refused(
    exported: Exported, elsewhere: tuple[str, Database], spoil: Callable[[bytes], bytes]
) -> None:
    _, owner = elsewhere
    with pytest.raises(InvalidInput) as refused:
        await import_team(owner, io.BytesIO(spoil(exported.content)))
    assert refused.value.code == "archive_invalid"
    async with owner.reading(Scope("owner")) as reading:
        assert await reading.fetch_all("SELECT id FROM teams") == []


async def test_a_file_moves_no_number_that_teams_share(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    def count_from_far(lines: list[bytes]) -> list[bytes]:
        numbered = tuple(b'{"table":"%s"' % table.encode() for table in _NUMBERED)
        return [
            line.replace(b'"row":{', b'"row":{"id":2147483647,', 1) if line.startswith(numbered) else line
            for line in lines
        ]

    name, owner = elsewhere
    content = resealed(count_from_far)(exported.content)
    assert content != exported.content
    header, counts = await import_team(owner, io.BytesIO(content))
    with psycopg.connect(admin_url(name)) as connection:
        for table in _NUMBERED:
            query = sql.SQL("SELECT array_agg(id ORDER BY id) FROM {} WHERE team_id = %s")
            row = connection.execute(query.format(sql.Identifier(table)), [header.team_id]).fetchone()
            assert row == (list(range(1, counts[table] + 1)) or None,)


async def test_a_file_with_other_words_in_evidence_is_refused_by_its_line(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    place = 0

    def edit(lines: list[bytes]) -> list[bytes]:
        nonlocal place
        place, row = find(lines, "evidence")
        return [
            *lines[:place],
            write_row("evidence", json.dumps(row | {"content": "Other words."})),
            *lines[place + 1 :],
        ]

    content = resealed(edit)(exported.content)
    with pytest.raises(InvalidInput, match=f"^Line {place + 1}: the words of this evidence were changed"):
        await import_team(elsewhere[1], io.BytesIO(content))


def _edited(table: str, edit: Callable[[Row], Row]) -> Callable[[list[bytes]], list[bytes]]:
    """Return how to edit the table's first row that it changes."""

    def change(lines: list[bytes]) -> list[bytes]:
        for place, line in enumerate(lines):
            said = json.loads(line)
            if said.get("table") == table and (row := edit(said["row"])) != said["row"]:
                return [*lines[:place], write_row(table, json.dumps(row)), *lines[place + 1 :]]
        raise AssertionError("no row was edited")

    return change


@pytest.mark.parametrize(
    ("table", "edit", "message"),
    [
        ("citations", lambda row: row | {"quote": "It is not so."}, "the evidence does not hold"),
        ("citations", lambda row: row | {"ends": [4_001]}, "the evidence does not hold"),
        ("relationships", lambda row: row | {"semantic_group_key": "f" * 64}, "the keys of this"),
        ("relationships", lambda row: row | {"polarity": "-"}, "the keys of this"),
        ("verification_events", lambda row: row | {"citation_id": new_id("cit")}, "this verdict is on"),
        (
            "verification_events",
            lambda row: row | ({"verdict": "insufficient"} if row["verdict"] == "entailed" else {}),
            "no verdict on its own",
        ),
    ],
)
async def test_a_row_that_does_not_fit_the_others_is_refused_by_its_line(
    exported: Exported,
    elsewhere: tuple[str, Database],
    table: str,
    edit: Callable[[Row], Row],
    message: str,
) -> None:
    whole = exported.content.splitlines(keepends=True)[:-1]
    edited = _edited(table, edit)(whole)
    content = resealed(lambda lines: edited)(exported.content)
    with pytest.raises(InvalidInput, match=r"^Line \d+: ") as refused:
        await import_team(elsewhere[1], io.BytesIO(content))
    said = str(refused.value)
    assert message in said
    number = int(said.split()[1].rstrip(":"))
    if "no verdict" in message:
        # The support is what lacks something.
        assert json.loads(edited[number - 1])["table"] == "supports"
    else:
        assert edited[number - 1] != whole[number - 1]
