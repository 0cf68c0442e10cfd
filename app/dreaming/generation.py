"""The generator port, and the generator that needs no provider.

A generator is a plain function of the snapshot and the budgets, or, where it has to wait for somebody, `ask` of a
task. It holds no connection and no transaction while it works; the cycle runs the plain one outside the event
loop.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from app.dreaming.grouping.groups import Grouping, form_groups
from app.dreaming.grouping.split import PredicateShare
from app.dreaming.model import GeneratorKind, Group, Inputs, Proposal
from app.dreaming.rules import GENERATOR_VERSION, propose
from app.dreaming.spending.budgets import Budgets
from app.dreaming.spending.purse import Purse

if TYPE_CHECKING:
    from app.dreaming.provider.exchange import Exchange

P = ParamSpec("P")
T = TypeVar("T")
RULES_VERSION = GENERATOR_VERSION


class Compute(Protocol):
    """Runs CPU-bound work off the event loop: in a thread, or in a process of its own, which can be stopped."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]: ...


@dataclass(frozen=True, slots=True)
class Generated:
    """What came out, at most 4 × the output budget. `stopped_by`: the budget that ended it early.

    `output_split` is given where outcomes moved places of the output budget between predicates.
    `generator` is given where another one did the work than was asked; then nothing counts as assessed. `note`
    is a sentence for the run.
    """

    groups: tuple[Group, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    stopped_by: str | None = None
    output_split: tuple[PredicateShare, ...] = ()
    generator: "Generator | None" = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a generator that waits for somebody works on. `deadline` is by `time.monotonic`.

    `keep` stores a turn for operators, for so many days.
    """

    inputs: Inputs
    budgets: Budgets
    purse: Purse
    compute: Compute
    deadline: float
    dry_run: bool
    keep: "Callable[[Exchange, int], Awaitable[None]] | None" = None


@dataclass(frozen=True, slots=True)
class Generator:
    """A way to generate, under the name and version that runs and Hypotheses record.

    `ask` is used instead of `generate` where it is given. `most_premises` it can make use of; `model` that it
    asks.
    """

    kind: GeneratorKind
    version: str
    generate: Callable[[Inputs, Budgets], Generated]
    ask: Callable[[Task], Awaitable[Generated]] | None = None
    most_premises: int | None = None
    model: str | None = None


def generate_by_rules(inputs: Inputs, budgets: Budgets) -> Generated:
    """Return the groups of the snapshot and what the rules make of them. Deterministic, CPU-bound."""
    grouping = form_groups(inputs, max_groups=budgets.max_groups, max_outputs=budgets.max_outputs)
    proposals = propose(inputs, grouping.groups, max_outputs=budgets.max_outputs)
    return Generated(grouping.groups, proposals, output_split=grouping.split, note=_word_caps(grouping))


def _word_caps(grouping: Grouping) -> str | None:
    """Return what the caps left out as sentences for the run, None where they left nothing out."""
    left_out = grouping.left_out
    sentences = []
    if left_out.shapes:
        sentences.append(
            f"{left_out.shapes} shapes with {left_out.paths} paths, most of them through hubs, were too large"
            " to be walked."
        )
    if left_out.rules:
        sentences.append(
            f"{left_out.rules} rules with {left_out.rule_pairs} pairs were beyond those that are looked at of a"
            " predicate."
        )
    if left_out.hub_pairs:
        sentences.append(
            f"{left_out.hub_pairs} pairs of two hubs were beyond those that are looked at of a predicate."
        )
    return " ".join(sentences) or None


RULES = Generator("rules", RULES_VERSION, generate_by_rules)
