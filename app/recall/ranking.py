"""Fusing several rankings into one. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# The usual constant: how fast a channel's say fades with its rank.
RANK_OFFSET: Final = 60


@dataclass(frozen=True, slots=True)
class Channel:
    """One ranking, best first and free of repeats, and how much its say weighs beside the others."""

    name: str
    keys: tuple[str, ...]
    weight: float = 1.0


@dataclass(slots=True)
class Fused:
    """A key with its fused score and the channels that found it, in the order of the channels.

    Made by the dozen, so it is not frozen, which would take longer.
    """

    key: str
    score: float
    matched_by: tuple[str, ...]


def fuse(channels: Sequence[Channel], most: int | None = None) -> tuple[Fused, ...]:
    """Return the first `most` of all keys of all channels, or every one, best first: reciprocal rank fusion.

    score = sum of weight / (60 + rank) over the channels that found the key, scaled so that a key that is first
    in every channel has 1. Channels of one name share a ranking between them; the heavier one is its ceiling.
    Equal scores are ordered by key, so the order is total and the same each time.
    """
    heaviest: dict[str, float] = {}
    for channel in channels:
        heaviest[channel.name] = max(channel.weight, heaviest.get(channel.name, 0.0))
    ceiling = sum(heaviest.values()) / (RANK_OFFSET + 1)
    found: dict[str, tuple[str, ...]] = {}
    for channel in channels:
        name = (channel.name,)
        for key in channel.keys:
            found[key] = found.get(key, ()) + name
    scores = _score(channels)
    return tuple(
        # Sums of fractions may end a hair above the whole.
        Fused(key, min(scores[key] / ceiling, 1.0), found[key])
        for key in _best_first(scores)[:most]
    )


def fuse_keys(channels: Sequence[Channel]) -> list[str]:
    """Return the keys alone, in the order in which `fuse` gives them."""
    return _best_first(_score(channels))


def _score(channels: Sequence[Channel]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for channel in channels:
        weight = channel.weight
        for rank, key in enumerate(channel.keys, start=RANK_OFFSET + 1):
            scores[key] = scores.get(key, 0.0) + weight / rank
    return scores


def _best_first(scores: dict[str, float]) -> list[str]:
    # Two stable sorts: those of one score stay ordered by key.
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)
