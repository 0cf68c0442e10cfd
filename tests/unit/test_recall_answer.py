"""What recall answers is written as its published model would write it."""

from datetime import UTC, datetime

from app.api.wire.recall import RecallReply, write_recall
from app.recall.model import (
    Degradation,
    Quote,
    RecallAnswer,
    RecalledConflict,
    RecalledNode,
    RecalledPosition,
    RecalledPredicate,
    RecallResult,
    RelatedHypothesis,
)

IDS = tuple(f"rel_{number}" for number in range(150))
ANSWER = RecallAnswer(
    recall_id="rec_1",
    results=(
        RecallResult(
            relationship_id="rel_x",
            equivalent_relationship_ids=IDS,
            subject=RecalledNode('Ada "é" \\ Ω', entity_id="ent_1"),
            predicate=RecalledPredicate("weighs", "weighs"),
            object=RecalledNode("12 kg", value_id="val_1", value_type="number", value="12", unit="kg"),
            polarity="+",
            scope=None,
            valid_from=datetime(2026, 1, 2, 3, 4, 5, 678, UTC),
            valid_to=datetime(2027, 1, 2, tzinfo=UTC),
            tier="fact",
            statement="Ada weighs 12 kg.",
            evidence=(Quote("evd_1", "12 kg"), Quote("evd_2", "twelve\nkg")),
            score=0.1 + 0.2,
            matched_by=("text", "names"),
        ),
    ),
    conflicts=(
        RecalledConflict(
            conflict_id="con_1",
            kind="other_object",
            status="open",
            preferred_position_id=None,
            positions=(
                RecalledPosition("pos_1", IDS, "Ada weighs 12 kg."),
                RecalledPosition("pos_2", (), None),
            ),
        ),
    ),
    related_hypotheses=(RelatedHypothesis("hyp_1", "Ada may swim.", "proposed", 1.0, 1e-9, ("source",)),),
    degradations=(Degradation("embeddings", "embeddings_unavailable", "Nothing."),),
)


def test_an_answer_is_written_as_its_model_would_be() -> None:
    written = write_recall(ANSWER)
    assert RecallReply.model_validate_json(written).model_dump_json().encode() == written


def test_of_equivalent_ids_the_first_hundred_are_shown() -> None:
    reply = RecallReply.model_validate_json(write_recall(ANSWER))
    assert reply.results[0].equivalent_relationship_ids == [*IDS[:100]]
    assert reply.conflicts[0].positions[0].relationship_ids == [*IDS[:100]]
    assert reply.conflicts[0].positions[1].relationship_ids == []


def test_an_answer_without_anything_is_whole() -> None:
    assert write_recall(RecallAnswer("rec_2", (), (), (), ())) == (
        b'{"recall_id":"rec_2","results":[],"conflicts":[],"related_hypotheses":[],"degradations":[]}'
    )
