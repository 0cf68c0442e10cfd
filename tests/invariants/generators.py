"""Generators that do what none should."""

from dataclasses import replace

from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs, Proposal
from app.dreaming.spending.budgets import Budgets
from app.kernel.ids import new_id
from tests.cycles import Pattern, idea, scripted


def hostile(pattern: Pattern) -> Generator:
    """A generator that claims what it must not, among one sound idea."""

    def propose(inputs: Inputs, budgets: Budgets) -> list[Proposal]:
        good = idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)
        return [
            good,
            replace(good, subject_entity_id=new_id("ent")),
            replace(good, object_entity_id=None, object_value_id=new_id("val")),
            replace(good, predicate_key="is_certainly"),
            replace(good, source_relationship_ids=(new_id("rel"),)),
            replace(good, statement="Library 4 uses Engine 4.", likelihood=1.0, confidence=1.0),
            replace(good, rationale="'; UPDATE relationships SET tier = 'fact'; --"),
        ]

    return scripted(propose)


class BrokenGeneratorError(Exception):
    """What a faulty generator raises."""


def broken(_: Pattern) -> Generator:
    def fail(inputs: Inputs, budgets: Budgets) -> Generated:
        raise BrokenGeneratorError

    return Generator("rules", "broken-v1", fail)
