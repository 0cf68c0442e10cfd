"""The port of what turns text into vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Which model made a vector: vectors of two names or versions are never compared."""

    name: str
    version: str


class Embedder(Protocol):
    """Turns text into vectors of one length, on this machine; as good in threads as alone."""

    @property
    def model(self) -> EmbeddingModel:
        """Name and version of the model."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text, in order. It takes a processor for milliseconds a text.

        Raises:
            Unavailable: `embeddings_unavailable`.
        """
