"""Validated ideas in the words of the hypothesis ledger, and as a dry run shows them. Pure."""

from dataclasses import asdict

from app.dreaming.generation import Generator
from app.dreaming.model import Inputs
from app.dreaming.validation.validated import Accepted, Idea, Reinforcement
from app.hypotheses.lifecycle import HypothesisStatus
from app.hypotheses.writes import Generation, NewHypothesis, Regeneration, SourceSeen


def draft_hypothesis(
    accepted: Accepted, *, hypothesis_id: str, run_id: str, generator: Generator
) -> NewHypothesis:
    """Return the new row of an accepted idea, in the direction in which it was stated."""
    idea = accepted.idea
    return NewHypothesis(
        hypothesis_id=hypothesis_id,
        subject_entity_id=idea.edge.subject_id,
        predicate_key=idea.predicate.key,
        predicate_version=idea.predicate.version,
        object_entity_id=idea.proposal.object_entity_id,
        object_value_id=idea.proposal.object_value_id,
        target_identity=idea.target_identity,
        statement=idea.statement,
        generation=draft_generation(idea, run_id=run_id, generator=generator),
        previous_hypothesis_id=accepted.previous_hypothesis_id,
    )


def draft_regeneration(
    reinforcement: Reinforcement, *, status: HypothesisStatus, run_id: str, generator: Generator
) -> Regeneration:
    """Return what a live Hypothesis rests on from now on; `status` was read under its lock."""
    generation = draft_generation(reinforcement.idea, run_id=run_id, generator=generator)
    return Regeneration(reinforcement.hypothesis_id, status, generation)


def draft_generation(idea: Idea, *, run_id: str, generator: Generator) -> Generation:
    """Return what this generation says about the idea's target."""
    group_keys = {
        source.relationship_id: premise.group_key for premise in idea.premises for source in premise.sources
    }
    return Generation(
        cycle_run_id=run_id,
        rationale=idea.proposal.rationale,
        likelihood=idea.proposal.likelihood,
        confidence=idea.proposal.confidence,
        paths=[asdict(path) for path in idea.proposal.paths],
        generator_kind=generator.kind,
        generator_version=name_version(idea, generator),
        sources=[
            SourceSeen(
                relationship_id=source.relationship_id,
                version=source.version,
                semantic_group_key=group_keys[source.relationship_id],
                owner_profile_id=source.owner_profile_id,
                is_candidate=source.is_candidate,
            )
            for source in idea.sources
        ],
    )


def show_idea(
    idea: Idea, inputs: Inputs, *, run_id: str, generator: Generator, hypothesis_id: str | None
) -> dict[str, object]:
    """Return the idea as `list_dreams` would list it; `hypothesis_id` is that of the row it would reinforce."""
    proposal = idea.proposal
    return {
        "hypothesis_id": hypothesis_id,
        "team_id": inputs.team_id,
        "subject_entity_id": idea.edge.subject_id,
        "subject_name": inputs.nodes[idea.edge.subject_id].name,
        "predicate_key": idea.predicate.key,
        "object_entity_id": proposal.object_entity_id,
        "object_value_id": proposal.object_value_id,
        "object_name": inputs.nodes[idea.edge.object_id].name,
        "statement": idea.statement,
        "status": "proposed" if hypothesis_id is None else "reinforced",
        "likelihood": proposal.likelihood,
        "confidence": proposal.confidence,
        "source_relationship_ids": [
            source.relationship_id for source in idea.sources if not source.is_candidate
        ],
        "source_candidate_relationship_ids": [
            source.relationship_id for source in idea.sources if source.is_candidate
        ],
        "generator_kind": generator.kind,
        "generator_version": name_version(idea, generator),
        "cycle_run_id": run_id,
        "created_at": None,
        "updated_at": None,
    }


def name_version(idea: Idea, generator: Generator) -> str:
    """Return the generator's version, with that of another one that proposes the same idea."""
    also_by = idea.proposal.also_by
    return generator.version if also_by is None else f"{generator.version}+{also_by}"
