"""A small form of the measurement of recall: the bars hold, and each part earns its place."""

from app.cli.bench.recall.questions import CLASSES
from app.cli.bench.recall.report import Plan, measure_recall
from app.kernel.database import Database


async def test_recall_keeps_its_bars_and_beats_plain_full_text(private: Database) -> None:
    measured = await measure_recall(private, Plan(relationships=600, teams=3, questions=7, seed=2))
    # So few Hypotheses are planted here that one which is missed is more than a tenth of them.
    assert [bar for bar in measured.missed if not bar.startswith("related")] == []
    assert measured.relationships >= 600
    assert measured.questions == 35
    assert measured.related_share >= 0.8
    rows = {(row["way"], row["class"]): row for row in measured.rows}
    ways = ("recall", "without graph", "without names", "without text", "plain full text")
    assert set(rows) == {(way, kind) for way in ways for kind in (*CLASSES, "all")}
    assert rows["recall", "all"]["recall"] > rows["plain full text", "all"]["recall"]
    assert rows["recall", "two_hop"]["recall"] > rows["without graph", "two_hop"]["recall"]
    assert rows["recall", "typo"]["ndcg"] > rows["without names", "typo"]["ndcg"]
    assert rows["recall", "exact"]["p50_ms"] > 0
