"""Whatever a generator hands over, the recorded funnel adds up, and bad items sink no good one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.dreaming.funnel import MAX_EXAMPLES
from app.dreaming.model import Inputs, Proposal
from app.dreaming.runs.asking import StartRequest
from app.dreaming.runs.history import Run
from app.kernel.database import Database
from app.kernel.ids import new_id
from tests.conftest import MakeTeam
from tests.cycles import Pattern, idea, make_pattern, read_hypotheses, run_once, scripted, spoil

# One word per kind of item: what it does to a sound idea, which differs by subject and predicate.
HARM: Final[dict[str, dict[str, object]]] = {
    "sound": {},
    "unknown end": {"object_entity_id": "ent_00000000000000000000000000"},
    "uuid": {"object_entity_id": "8d2f9d1e-7a2c-4d0b-9a51-0c6f7f6a3c55"},
    "padded": {"subject_entity_id": " ent_1 "},
    "long reference": {"predicate_key": "x" * 10_000},
    "unregistered": {"predicate_key": "is_certainly"},
    "no object": {"object_entity_id": None},
    "foreign source": {"source_relationship_ids": (new_id("rel"),)},
    "no source": {"source_relationship_ids": ()},
    "list as text": {"source_relationship_ids": '["rel_1"]'},
    "sure": {"statement": "Library 4 uses Engine 4."},
    "blank": {"statement": " \t"},
    "too long": {"statement": "may " * 300},
    "names an id": {"statement": "It may be ent_01M8MXY2HHZFF6ZJNFH8SQ6GW1."},
    "NUL": {"rationale": "a\x00b"},
    "surrogate": {"rationale": "a\ud800b"},
    "hostile": {"rationale": "'; DROP TABLE relationships; --"},
    "certain": {"likelihood": 1.7},
    "NaN": {"likelihood": float("nan")},
    "text": {"confidence": "0.7"},
    "null": {"confidence": None},
    "unreadable": {"malformed": "schema_invalid"},
    "unknown": {"malformed": "unknown_reference"},
}
ITEMS = st.lists(
    st.tuples(
        st.integers(0, 4), st.sampled_from(["uses", "benefits_from", "supports"]), st.sampled_from(list(HARM))
    ),
    max_size=14,
)


def hand_over(inputs: Inputs, pattern: Pattern, items: Sequence[tuple[int, str, str]]) -> list[Proposal]:
    proposals = []
    for number, key, harm in items:
        source = next(
            one
            for one in inputs.premises
            if one.subject_id == pattern.subjects[number] and one.predicate_key == "depends_on"
        )
        made = replace(pattern.last, relationship_id=source.sources[0].relationship_id)
        sound = idea(inputs, pattern.subjects[number], key, pattern.objects[number], made)
        proposals.append(spoil(sound, **HARM[harm]))
    return proposals


def check(run: Run, generated: int) -> None:
    funnel: dict[str, Any] = dict(run.funnel)
    would = len(run.would_persist or ())
    assert funnel["generated"] == generated
    assert (
        generated
        == funnel["rejected"] + funnel["deduplicated"] + funnel["reinforced"] + funnel["persisted"] + would
    )
    assert funnel["rejected"] == sum(int(str(one["count"])) for one in run.rejections)
    assert funnel["eligible"] == funnel["premises"] + run.over_input_budget
    for rejection in run.rejections:
        examples: Any = rejection["examples"]
        assert 1 <= len(examples) <= MAX_EXAMPLES
        assert all(0 < len(example) <= 200 for example in examples)
    assert run.dry_run == (run.would_persist is not None)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(first=ITEMS, second=ITEMS, max_outputs=st.integers(1, 5))
async def test_the_recorded_funnel_adds_up_for_whatever_was_generated(
    database: Database, make_team: MakeTeam, first: Any, second: Any, max_outputs: int
) -> None:
    team = await make_team()
    pattern = await make_pattern(database, team)
    budgets = {"max_outputs": max_outputs}
    runs = []
    for items in (first, second):
        generator = scripted(lambda inputs, _, items=items: hand_over(inputs, pattern, items))  # type: ignore[misc]  # Its default.
        for dry_run in (True, False):
            request = StartRequest(dry_run=dry_run, budgets=budgets)
            run = await run_once(database, team, request, generator=generator)
            runs.append(run)
            if run.status != "skipped":
                check(run, len(items))
        dry, real = runs[-2:]
        if real.status != "skipped":
            assert len(dry.would_persist or ()) == real.funnel["persisted"] + real.funnel["reinforced"]
            assert real.funnel["persisted"] <= max_outputs
    rows = await read_hypotheses(database, team)
    assert len(rows) == sum(run.funnel["persisted"] for run in runs)
    assert len({row["target_identity"] for row in rows}) == len(rows)
