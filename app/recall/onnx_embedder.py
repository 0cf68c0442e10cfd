"""Sentence models in the ONNX format, run on the processor by onnxruntime: a folder with two files.

    model.onnx      also looked for in onnx/; takes token ids, gives a vector a token or a sentence
    tokenizer.json  as the tokenizers library writes it
    1_Pooling/config.json  optional: a sentence is the mean of its tokens unless this names the first one

The folder is the operator's and trusted like a program; the texts are anybody's. A text is cut to its first 256
tokens, is never a pattern, a path or a template, and nothing of it is logged. Nothing here opens a connection.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.kernel.errors import Unavailable
from app.recall.embedder import EmbeddingModel

MAX_TOKENS: Final = 256
MAX_CHARACTERS: Final = 4_000
MAX_DIMENSIONS: Final = 4_000
_VERSION_DIGITS: Final = 12
_KNOWN_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxEmbedder:
    """A session with a model; `embed` may be called from several threads at once."""

    def __init__(
        self,
        session: Any,
        tokenizer: Any,
        *,
        model: EmbeddingModel,
        uses_first: bool,
        faults: tuple[type[Exception], ...],
    ) -> None:
        """Take what `load_embedder` opened; neither library ships types that mypy can follow."""
        self._session = session
        self._faults = faults
        self._tokenizer = tokenizer
        self._inputs = {one.name for one in session.get_inputs()}
        self._uses_first = uses_first
        self._model = model

    @property
    def model(self) -> EmbeddingModel:
        """Name and version of the model."""
        return self._model

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text, in order.

        Raises:
            Unavailable: `embeddings_unavailable`, the model gives no vectors.
        """
        if not texts:
            return []
        encoded = self._tokenizer.encode_batch([text[:MAX_CHARACTERS] for text in texts])
        ids = np.array([one.ids for one in encoded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            [output, *_] = self._session.run(None, {name: given[name] for name in self._inputs})
        except self._faults as error:
            raise _unavailable(f"The embedding model failed ({type(error).__name__}).") from None
        vectors = self._pool(np.asarray(output, dtype=np.float64), mask)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors.shape[0] != len(texts) or not np.isfinite(lengths).all():
            raise _unavailable("The embedding model gave no vectors.")
        # A text of which the model knows nothing is like no other.
        whole: list[list[float]] = (vectors / np.where(lengths > 0, lengths, 1.0)).tolist()
        return whole

    def _pool(self, output: NDArray[np.float64], mask: NDArray[np.int64]) -> NDArray[np.float64]:
        if output.ndim == 2:
            return output
        if output.ndim != 3:
            raise _unavailable("The embedding model gives neither tokens nor sentences.")
        if self._uses_first:
            first: NDArray[np.float64] = output[:, 0]
            return first
        counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
        mean: NDArray[np.float64] = (output * mask[..., None]).sum(axis=1) / counts
        return mean


def load_embedder(folder: Path) -> OnnxEmbedder:
    """Return the embedder of the folder, tried once.

    Its version is a digest of the files that decide about the vectors.

    Raises:
        Unavailable: `embeddings_unavailable`; the message says what is missing, and names no path.
    """
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise _unavailable("The extra 'embed' is not installed.") from None
    model_file = next(
        (one for one in (folder / "model.onnx", folder / "onnx" / "model.onnx") if one.is_file()), None
    )
    tokenizer_file = folder / "tokenizer.json"
    if model_file is None or not tokenizer_file.is_file():
        raise _unavailable("The folder of DENSEMEM_EMBED_MODEL lacks model.onnx or tokenizer.json.")
    options = onnxruntime.SessionOptions()
    # One processor a text: requests and duties run side by side.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(model_file), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(tokenizer_file))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.enable_padding()
        pooling = _read_pooling(folder / "1_Pooling" / "config.json")
        version = _digest(model_file, tokenizer_file, folder / "1_Pooling" / "config.json")
    # Neither library has a base of its own for what it raises about a file that is no model.
    except Exception as error:  # noqa: BLE001
        raise _unavailable(f"The embedding model can't be read ({type(error).__name__}).") from None
    if {one.name for one in session.get_inputs()} - _KNOWN_INPUTS:
        raise _unavailable("The embedding model asks for inputs that a sentence does not have.")
    embedder = OnnxEmbedder(
        session,
        tokenizer,
        model=EmbeddingModel(folder.resolve().name[:100], version),
        uses_first=pooling,
        faults=_list_faults(),
    )
    [vector] = embedder.embed(["one"])
    if not 1 <= len(vector) <= MAX_DIMENSIONS:
        raise _unavailable(f"The embedding model has more than {MAX_DIMENSIONS} dimensions.")
    return embedder


def _read_pooling(file: Path) -> bool:
    if not file.is_file():
        return False
    return bool(json.loads(file.read_text(encoding="utf-8")).get("pooling_mode_cls_token", False))


def _list_faults() -> tuple[type[Exception], ...]:
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (state.Fail, state.InvalidArgument, state.RuntimeException, state.EPFail, state.NotImplemented)


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        if file.is_file():
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()[:_VERSION_DIGITS]


def _unavailable(why: str) -> Unavailable:
    return Unavailable(why, code="embeddings_unavailable")
