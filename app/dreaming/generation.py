"""The generator port, and the generator that needs no provider.

A generator is a plain function of the snapshot and the budgets. It holds no connection and writes nothing; the
cycle runs it outside the event loop and outside every transaction.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.dreaming.budgets import Budgets
from app.dreaming.grouping import form_groups
from app.dreaming.model import GeneratorKind, Group, Inputs, Proposal
from app.dreaming.rules import GENERATOR_VERSION, propose
from app.dreaming.split import PredicateShare
from app.kernel.errors import SetupError
from app.tenancy.configuration import GeneratorChoice

RULES_VERSION = GENERATOR_VERSION


@dataclass(frozen=True, slots=True)
class Generated:
    """What came out, at most 4 × the output budget. `stopped_by`: the budget that ended it early.

    `output_split` is given where outcomes moved places of the output budget between predicates.
    """

    groups: tuple[Group, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    stopped_by: str | None = None
    output_split: tuple[PredicateShare, ...] = ()


@dataclass(frozen=True, slots=True)
class Generator:
    """A way to generate, under the name and version that runs and Hypotheses record."""

    kind: GeneratorKind
    version: str
    generate: Callable[[Inputs, Budgets], Generated]


def generate_by_rules(inputs: Inputs, budgets: Budgets) -> Generated:
    """Return the groups of the snapshot and what the rules make of them. Deterministic, CPU-bound."""
    grouping = form_groups(inputs, max_groups=budgets.max_groups, max_outputs=budgets.max_outputs)
    proposals = propose(inputs, grouping.groups, max_outputs=budgets.max_outputs)
    return Generated(grouping.groups, proposals, output_split=grouping.split)


RULES = Generator("rules", RULES_VERSION, generate_by_rules)


def choose_generator(choice: GeneratorChoice) -> Generator:
    """Return the generator of the configuration; `auto` without a provider is `rules`.

    Raises:
        SetupError: `provider_not_configured`, where a provider is asked for by name.
    """
    if choice == "provider":
        raise SetupError("No provider is configured for dreaming.", code="provider_not_configured")
    return RULES
