"""The rules generator: hedged, explained, above its floor."""

from dataclasses import replace

import pytest

from app.dreaming.grouping.groups import form_groups
from app.dreaming.model import Inputs, Node, Proposal
from app.dreaming.rules import propose
from app.ledger.predicates.phrases import is_hedged
from tests.unit.graphs import licence_chain, make_inputs, make_premise


def dream(inputs: Inputs, *, max_outputs: int = 5) -> dict[str, Proposal]:
    groups = form_groups(inputs, max_groups=40).groups
    return {each.statement: each for each in propose(inputs, groups, max_outputs=max_outputs)}


def test_a_proposal_says_what_it_rests_on() -> None:
    proposal = dream(make_inputs(*licence_chain()))["A3 may be licensed under L."]
    assert (proposal.subject_entity_id, proposal.predicate_key) == ("a3", "licensed_under")
    assert (proposal.object_entity_id, proposal.object_value_id) == ("l", None)
    assert proposal.likelihood == 3 / 9
    assert proposal.confidence == 3 / 8
    assert proposal.rationale == (
        "A3 depends on B3 and B3 is licensed under L; memory connects 4 pairs like this, this one included, and "
        'of 3 of these it also says "… is licensed under …".'
    )
    assert proposal.source_relationship_ids == ("rel:a3 depends_on b3:0", "rel:b3 licensed_under l:0")
    assert proposal.malformed is None


def test_shares_sum_to_one_and_at_most_three_paths_carry() -> None:
    extra = [f"a{number} uses l" for number in range(4)] + [f"l uses b{number}" for number in range(4)]
    extra += [f"l depends_on a{number}" for number in range(4)]
    proposal = dream(make_inputs(*licence_chain(), *extra))["A3 may be licensed under L."]
    assert len(proposal.paths) == 3
    assert sum(path.share for path in proposal.paths) == pytest.approx(1.0)
    assert (
        proposal.likelihood == proposal.paths[0].confidence == max(path.confidence for path in proposal.paths)
    )
    assert [path.share for path in proposal.paths] == sorted((p.share for p in proposal.paths), reverse=True)


def test_all_sources_of_a_copied_premise_are_listed_and_weigh_nothing() -> None:
    premises = [make_premise(triple, copies=10) for triple in licence_chain()]
    copied = dream(make_inputs(*premises))["A3 may be licensed under L."]
    single = dream(make_inputs(*licence_chain()))["A3 may be licensed under L."]
    assert len(copied.source_relationship_ids) == 20
    assert (copied.likelihood, copied.confidence) == (single.likelihood, single.confidence)


def test_a_value_goes_into_the_value_field() -> None:
    triples = [f"a{number} depends_on b{number}" for number in range(4)]
    triples += [f"b{number} requires_python v3" for number in range(4)]
    triples += [f"a{number} requires_python v3" for number in range(3)]
    proposal = next(each for each in dream(make_inputs(*triples)).values() if each.object_value_id)
    assert (proposal.subject_entity_id, proposal.object_entity_id) == ("a3", None)
    assert proposal.object_value_id == "v3"


def test_a_pending_candidate_stays_visible_in_the_rationale() -> None:
    premises = [make_premise(triple, is_candidate=triple == "a3 depends_on b3") for triple in licence_chain()]
    proposal = dream(make_inputs(*premises))["A3 may be licensed under L."]
    assert proposal.rationale.startswith("A3 depends on B3 (not yet confirmed) and B3 is licensed under L;")


def test_two_pending_candidates_alone_propose_nothing() -> None:
    own = {"a3 depends_on b3", "b3 licensed_under l"}
    premises = [make_premise(triple, is_candidate=triple in own) for triple in licence_chain()]
    assert "A3 may be licensed under L." not in dream(make_inputs(*premises))


def test_a_young_team_hears_nothing_rather_than_noise() -> None:
    assert dream(make_inputs("a depends_on b", "b licensed_under l", "a uses l")) == {}


def test_groups_without_a_strong_enough_path_are_passed_over() -> None:
    inputs = make_inputs(*licence_chain())
    groups = form_groups(inputs, max_groups=40).groups
    bare = [replace(group, paths=()) for group in groups]
    weak = [replace(group, likelihood=0.09) for group in groups]
    once = [replace(group, paths=tuple(replace(path, support=1) for path in group.paths)) for group in groups]
    assert groups
    assert propose(inputs, bare + weak + once, max_outputs=50) == ()


def test_at_most_four_proposals_per_output_are_handed_over_best_groups_first() -> None:
    inputs = make_inputs(*licence_chain(known=6, open_=12))
    everything = list(dream(inputs, max_outputs=50))
    assert len(everything) > 4
    assert list(dream(inputs, max_outputs=1)) == everything[:4]
    assert dream(inputs, max_outputs=0) == {}


def test_every_statement_hedges_and_a_rationale_stays_short_whatever_the_names() -> None:
    inputs = make_inputs(*licence_chain())
    long_names = {
        node_id: Node(node_id, node_id + "long name\n" * 300, node.kind, node.value_type)
        for node_id, node in inputs.nodes.items()
    }
    for proposal in dream(inputs).values():
        assert is_hedged(proposal.statement)
    groups = form_groups(inputs, max_groups=40).groups
    for proposal in propose(replace(inputs, nodes=long_names), groups, max_outputs=5):
        assert len(proposal.rationale) < 1000
        assert "\n" not in proposal.rationale
