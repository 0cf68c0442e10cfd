"""A guess's reasons in names."""

from app.hypotheses.explanation import CONDITION_FAULTS, explain, find_obstacles
from app.hypotheses.record import Premise


def premise(number: int, group: str, *, obstacles: tuple[str, ...] = ()) -> Premise:
    return Premise(
        relationship_id=f"rel_{number}",
        semantic_group_key=group,
        statement=f"Statement {number}.",
        subject_name="X",
        predicate_key="depends_on",
        object_name="Y",
        version=1,
        current_version=2,
        is_candidate=False,
        is_eligible=not obstacles,
        obstacles=obstacles,
    )


def path(*keys: str, share: float = 1.0) -> dict[str, object]:
    numbers = {"instances": 1, "support": 2, "body": 3, "confidence": 0.25, "share": share}
    return {"rule": "X p Y → X q Y", "premise_keys": list(keys), **numbers}


def test_premises_come_in_path_order_and_once() -> None:
    premises = [premise(1, "a"), premise(2, "b"), premise(3, "a"), premise(4, "c")]
    explained = explain([path("b", "a", share=0.7), path("a", "b", share=0.3)], premises)
    assert [one.relationship_id for one in explained.premises] == ["rel_2", "rel_1", "rel_3", "rel_4"]
    assert [one.relationship_ids for one in explained.paths] == [
        ("rel_2", "rel_1", "rel_3"),
        ("rel_1", "rel_3", "rel_2"),
    ]
    assert [one.share for one in explained.paths] == [0.7, 0.3]


def test_a_path_may_name_a_premise_that_is_no_source_any_more() -> None:
    assert explain([path("gone", "a")], [premise(1, "a")]).paths[0].relationship_ids == ("rel_1",)


def test_a_hypothesis_without_obstacles_is_current() -> None:
    assert find_obstacles("proposed", [premise(1, "a")]) == ()
    assert find_obstacles("reinforced", [premise(1, "a")]) == ()


def test_status_comes_first_then_each_lost_source_with_its_reasons() -> None:
    lost = premise(1, "a", obstacles=("has_no_open_review", "has_current_evidence"))
    found = find_obstacles("stale", [lost, premise(2, "b")])
    assert [(one.code, one.relationship_id) for one in found] == [
        ("not_open", None),
        ("source_not_eligible", "rel_1"),
    ]
    assert found[1].message == (
        "“Statement 1.” cannot be built on: it waits for a review; no current evidence supports it."
    )


def test_a_target_that_its_predicate_no_longer_takes_comes_before_the_sources() -> None:
    lost = premise(1, "a", obstacles=("predicate_fits",))
    found = find_obstacles("proposed", [lost], target_fault="predicate_retired")
    assert [one.code for one in found] == ["predicate_retired", "source_not_eligible"]
    assert found[0].message == "Its predicate is retired."
    [narrowed] = find_obstacles("proposed", [premise(1, "a")], target_fault="predicate_narrowed")
    assert narrowed.message == "Its predicate no longer fits its ends."


def test_every_condition_has_its_words() -> None:
    for condition in CONDITION_FAULTS:
        assert (
            CONDITION_FAULTS[condition]
            in find_obstacles("proposed", [premise(1, "a", obstacles=(condition,))])[0].message
        )
