"""Tokens that calls have used, by what they cost. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one model. All input is `input` + `cache_write` + `cache_read`; the four have four prices."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def all_input(self) -> int:
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls have used, by model: a fallback model has its own price. `turns` counts answers begun.

    `is_batch`: the provider charges the batch price. `is_estimated`: some of it was never confirmed, because a
    call ended before the provider said what it had used; then the input is counted and the output is what was
    seen.
    """

    by_model: Mapping[str, Tokens] = field(default_factory=dict)
    turns: int = 0
    is_batch: bool = False
    is_estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        models = dict.fromkeys((*self.by_model, *other.by_model))
        return Usage(
            {name: self.by_model.get(name, Tokens()) + other.by_model.get(name, Tokens()) for name in models},
            self.turns + other.turns,
            self.is_batch or other.is_batch,
            self.is_estimated or other.is_estimated,
        )

    def raise_input(self, least: int, model: str) -> "Usage":
        """Return the usage with no less input than that, what is missing under that model."""
        missing = Tokens(input=max(0, least - self.tokens.all_input))
        return replace(self, by_model={**self.by_model, model: self.by_model.get(model, Tokens()) + missing})

    def rename(self, name: Callable[[str], str]) -> "Usage":
        """Return the usage with each model under the name that it is given, those of one name together."""
        by_model: dict[str, Tokens] = {}
        for model, tokens in self.by_model.items():
            by_model[name(model)] = by_model.get(name(model), Tokens()) + tokens
        return replace(self, by_model=by_model)

    @property
    def tokens(self) -> Tokens:
        """The sum over all models."""
        return sum(self.by_model.values(), Tokens())


@dataclass(slots=True)
class Tally:
    """What a caller's questions have used so far, also when one of them is cancelled half way."""

    usage: Usage = field(default_factory=Usage)

    def add(self, usage: Usage) -> None:
        self.usage += usage
