"""The counts of one cycle, always exact. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from app.dreaming.model import Group, Inputs, RejectReason
from app.dreaming.validation.validated import Validated

MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Rejection:
    """How often one reason applied, with at most 3 different examples."""

    reason: RejectReason
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """What went in, what came out, and where the rest stayed. A Funnel that does not add up cannot be made.

    `eligible`, `premise_sources` and `over_input_budget` count Relationships, `premises` equivalence groups,
    the others generated items. `would_persist` is 0 unless the run is dry; a dry run writes nothing, so there
    `reinforced` and `persisted` are 0 and `would_persist` holds the items that would have been either.
    """

    eligible: int = 0
    over_input_budget: int = 0
    premise_sources: int = 0
    premises: int = 0
    groups: int = 0
    generated: int = 0
    rejected: int = 0
    rejections: tuple[Rejection, ...] = ()
    duplicate_in_run: int = 0
    duplicate_existing: int = 0
    deduplicated: int = 0
    reinforced: int = 0
    persisted: int = 0
    would_persist: int = 0

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise ValueError unless every sum of the glossary holds; a broken one is a fault of ours.

        eligible = premise_sources + over_input_budget; rejected = Σ rejections;
        deduplicated = duplicate_in_run + duplicate_existing;
        generated = rejected + deduplicated + reinforced + persisted + would_persist.
        """
        counts = (*self.counts().values(), self.over_input_budget, self.premise_sources, self.would_persist)
        kept = self.reinforced + self.persisted + self.would_persist
        rules = {
            "a count is negative": min(*counts, self.duplicate_in_run, self.duplicate_existing) >= 0,
            "eligible": self.eligible == self.premise_sources + self.over_input_budget,
            "premises": self.premises <= self.premise_sources,
            "rejected": self.rejected == sum(rejection.count for rejection in self.rejections),
            "deduplicated": self.deduplicated == self.duplicate_in_run + self.duplicate_existing,
            "generated": self.generated == self.rejected + self.deduplicated + kept,
            "would_persist": not self.would_persist or not (self.reinforced or self.persisted),
        }
        broken = [name for name, holds in rules.items() if not holds]
        if broken:
            raise ValueError(f"the funnel does not add up: {', '.join(broken)}")

    def counts(self) -> dict[str, int]:
        """Return the eight counts under their names, in the order in which a cycle run shows them."""
        return {
            "eligible": self.eligible,
            "premises": self.premises,
            "groups": self.groups,
            "generated": self.generated,
            "rejected": self.rejected,
            "deduplicated": self.deduplicated,
            "reinforced": self.reinforced,
            "persisted": self.persisted,
        }


def build_funnel(
    inputs: Inputs, groups: Sequence[Group], validated: Validated, *, dry_run: bool = False
) -> Funnel:
    """Return the exact counts of a cycle that read `inputs` and wrote (or, if dry, showed) `validated`.

    Rejections are in the order of the checks. Source: Design, section 2, "Funnel".

    Raises:
        ValueError: the inputs claim another number of eligible Relationships than they hold.
    """
    kept = len(validated.accepted) + len(validated.reinforced)
    in_run = sum(duplicate.reason == "duplicate_in_run" for duplicate in validated.duplicates)
    return Funnel(
        eligible=inputs.eligible_count,
        over_input_budget=inputs.over_input_budget,
        premise_sources=sum(len(premise.sources) for premise in inputs.premises),
        premises=len(inputs.premises),
        groups=len(groups),
        generated=validated.generated,
        rejected=len(validated.rejected),
        rejections=_summarise_rejections(validated),
        duplicate_in_run=in_run,
        duplicate_existing=len(validated.duplicates) - in_run,
        deduplicated=len(validated.duplicates),
        reinforced=0 if dry_run else len(validated.reinforced),
        persisted=0 if dry_run else len(validated.accepted),
        would_persist=kept if dry_run else 0,
    )


def _summarise_rejections(validated: Validated) -> tuple[Rejection, ...]:
    examples: defaultdict[RejectReason, list[str]] = defaultdict(list)
    for rejected in validated.rejected:
        examples[rejected.reason].append(rejected.example)
    reasons: tuple[RejectReason, ...] = get_args(RejectReason)
    return tuple(
        Rejection(reason, len(examples[reason]), tuple(dict.fromkeys(examples[reason]))[:MAX_EXAMPLES])
        for reason in reasons
        if reason in examples
    )
