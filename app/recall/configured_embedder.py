"""The embedder that an operator configured: opened, or what is missing said."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.kernel.errors import Unavailable
from app.postgres.doctor import Finding
from app.recall.embedder import Embedder, EmbeddingModel

_NO_MODEL: Final = EmbeddingModel("none", "none")


@dataclass(frozen=True, slots=True)
class MissingEmbedder:
    """Stands for a configured model that can't be used, so that recall says what is missing."""

    why: str
    model: EmbeddingModel = _NO_MODEL

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise Unavailable."""
        raise Unavailable(self.why, code="embeddings_unavailable")


def open_embedder(folder: Path | None) -> Embedder | MissingEmbedder | None:
    """Return the embedder of the model in the folder; None where no folder is configured.

    Nothing is looked up or fetched anywhere else. Reading the model takes about a second.
    """
    if folder is None:
        return None
    # Who configures no model does not wait for numpy.
    from app.recall.onnx_embedder import load_embedder

    try:
        return load_embedder(folder)
    except Unavailable as error:
        return MissingEmbedder(str(error))


def examine_embedder(folder: Path | None) -> Finding:
    """Return what is seen of the configured model; none at all is no fault."""
    found = open_embedder(folder)
    if found is None:
        return Finding("embedding model", True, "none configured: recall goes by words and names")
    if isinstance(found, MissingEmbedder):
        return Finding("embedding model", False, found.why, "Mend it, or unset DENSEMEM_EMBED_MODEL.")
    return Finding("embedding model", True, f"{found.model.name}, version {found.model.version}")
