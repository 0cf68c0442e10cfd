"""A folder of triples measured through the real pipeline, and what is printed of it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli.evaluate import measuring, tables
from app.cli.evaluate.explaining import explain_some
from app.cli.evaluate.loading import Loaded, load_team
from app.cli.evaluate.measuring import measure_split
from app.cli.evaluate.report import print_measured
from app.cli.evaluate.triples import Signature, Split, read_split
from app.cli.evaluate.young import measure_young
from app.dreaming.inputs.snapshot import read_inputs
from app.kernel.database import Database, Scope

LICENCES = 3
HELD_OUT = ("a03", "a07", "a12")


def write_folder(folder: Path) -> Path:
    triples = [
        triple
        for number in range(36)
        for triple in (
            (f"a{number:02d}", "depends-on", f"b{number:02d}"),
            (f"b{number:02d}", "licensed under", f"l{number % LICENCES}"),
            (f"a{number:02d}", "licensed under", f"l{number % LICENCES}"),
        )
    ]
    held = [triple for triple in triples if triple[0] in HELD_OUT and triple[1] == "licensed under"]
    parts = {
        "train": [triple for triple in triples if triple not in held],
        "test": held[:2],
        "valid": held[2:],
    }
    for name, part in parts.items():
        (folder / f"{name}.txt").write_text(
            "".join("\t".join(each) + "\n" for each in part), encoding="utf-8"
        )
    return folder


async def test_a_folder_is_measured_through_a_real_team_and_its_cycle(
    database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split = read_split(write_folder(tmp_path))
    found, loaded, dreamt = await measure_split(database, split, max_outputs=10, calibrates=False)
    assert (found.edges, found.held_out, found.status) == (105, 3, "succeeded")
    assert dreamt.run.funnel["eligible"] == 105
    assert found.outputs == dreamt.run.funnel["persisted"] > 0
    assert found.hits == 3, "each of the three follows from a rule that always held"
    assert found.proposed.precision[20] == 3 / 20
    assert found.judged.ranked.precision[20] > found.judged.random.precision[20]
    assert found.judged.ranks is not None
    assert found.judged.ranks.mrr > 0.5
    assert found.is_repeated, "another team, entered from last to first, is told the same"
    relations = {predicate.key: relation for relation, predicate in loaded.predicates.items()}
    assert set(relations.values()) == {"depends-on", "licensed under"}
    explained = await explain_some(database, loaded.caller, dreamt, split, relations, count=2, seed=1)
    assert len(explained) == 2
    assert all(path.are_known for each in explained for path in each.paths)
    assert all(edge in split.train for each in explained for path in each.paths for edge in path.edges)
    print_measured([found], [])
    printed = capsys.readouterr().out
    assert "popularity" in printed
    assert "bit-equal" in printed
    assert json.loads(json.dumps(tables.quality_rows(found)))[0]["order"] == "proposed"


async def test_a_second_team_that_is_told_something_else_is_seen(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read_split(write_folder(tmp_path))
    few = replace(whole, train=tuple(each for each in whole.train if each[0][1:] < "14"))

    async def load_less(
        database: Database, split: Split, *, max_outputs: int, reverse: bool = False
    ) -> Loaded:
        # What is entered from last to first lacks what an idea follows from.
        kept = tuple(each for each in split.train if each[0] != "a03") if reverse else split.train
        return await load_team(database, replace(split, train=kept), max_outputs=max_outputs)

    monkeypatch.setattr(measuring, "load_team", load_less)
    found, _, _ = await measure_split(database, few, max_outputs=10, calibrates=False)
    assert (found.outputs, found.hits) == (3, 3)
    assert not found.is_repeated


async def test_each_relation_has_a_predicate_also_where_their_names_meet(database: Database) -> None:
    relations = ("relation number 1", "日本", "relation number 2", "中国")
    split = Split("names", tuple(("a", relation, "b") for relation in relations), (), ())
    loaded = await load_team(database, split, max_outputs=5)
    assert set(loaded.predicates) == set(relations)
    assert len({predicate.key for predicate in loaded.predicates.values()}) == len(relations)


async def test_what_was_loaded_in_bulk_is_as_remembered(database: Database) -> None:
    split = Split(
        "values",
        tuple((f"n{number}", "has size", f"{number % 4} m") for number in range(30)),
        (),
        (),
        kinds={f"n{number}": "product" for number in range(30)},
        signatures={"has size": Signature("product", None)},
    )
    loaded = await load_team(database, split, max_outputs=5)
    team = {"team_id": loaded.caller.team_id}
    async with database.reading(Scope("app", loaded.caller.team_id)) as reading:
        rows = await reading.fetch_all(
            "SELECT e.content, c.quote, c.starts, c.ends, r.status, r.tier, r.object_value_id,"
            " (SELECT count(*) FROM verification_events AS v WHERE v.team_id = r.team_id) AS verdicts"
            " FROM relationships AS r"
            " JOIN effective_supports AS s ON s.team_id = r.team_id AND s.relationship_id = r.id"
            " JOIN citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id"
            " JOIN evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id"
            " WHERE r.team_id = %(team_id)s",
            team,
        )
    assert len(rows) == 30
    async with database.snapshot(Scope("dreamer", loaded.caller.team_id)) as reading:
        inputs = await read_inputs(reading, loaded.caller.team_id, max_premises=100, now=datetime.now(UTC))
    assert (inputs.eligible_count, inputs.over_input_budget) == (30, 0)
    assert {node.value_type for node in inputs.nodes.values()} == {None, "string"}
    for row in rows:
        assert row["content"][row["starts"][0] : row["ends"][0]] == row["quote"] == row["content"]
        assert (row["status"], row["tier"], row["verdicts"]) == ("active", "validated_claim", 30)
        assert row["object_value_id"] is not None


async def test_a_team_too_young_to_know_better_is_told_little(database: Database, tmp_path: Path) -> None:
    split = read_split(write_folder(tmp_path))
    (draw,) = await measure_young(database, split, sizes=(20,), draws=1, max_outputs=50)
    assert (draw.edges, draw.outputs) == (20, 0)
    assert tables.young_rows([draw])[-1]["share"] is None
