"""The adapter of sentence models, on a tiny model in the real file format that is made here."""

import json
import socket
import struct
import threading
from pathlib import Path
from typing import Final, NoReturn

import pytest

from app.kernel.errors import Unavailable
from app.recall.configured_embedder import MissingEmbedder, open_embedder
from app.recall.onnx_embedder import load_embedder

pytest.importorskip("onnxruntime", reason="the extra 'embed' is not installed")
pytest.importorskip("tokenizers", reason="the extra 'embed' is not installed")

# Each word's vector; the first is for what is unknown.
TABLE: Final = {
    "[UNK]": (0.0, 0.0, 0.0),
    "car": (1.0, 0.1, 0.0),
    "automobile": (1.0, 0.0, 0.1),
    "ice": (0.0, 1.0, 0.0),
}


def write_model(folder: Path, *, is_first: bool = False) -> Path:
    """Leave the two files of a model that looks words up in `TABLE`, and return the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(list(TABLE.values())))
    vocabulary = {word: place for place, word in enumerate(TABLE)}
    tokenizer: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    if is_first:
        (folder / "1_Pooling").mkdir(exist_ok=True)
        pooling = {"pooling_mode_cls_token": True}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    return folder


def _model(table: list[tuple[float, ...]]) -> bytes:
    """Return an ONNX model of one node: Gather(table, input_ids) → last_hidden_state."""
    flat = [number for row in table for number in row]
    initializer = (
        _number(1, len(table))
        + _number(1, len(table[0]))
        + _number(2, 1)
        + _bytes(8, b"table")
        + _bytes(9, struct.pack(f"<{len(flat)}f", *flat))
    )
    node = (
        _bytes(1, b"table") + _bytes(1, b"input_ids") + _bytes(2, b"last_hidden_state") + _bytes(4, b"Gather")
    )
    graph = (
        _bytes(1, node)
        + _bytes(2, b"tiny")
        + _bytes(5, initializer)
        + _bytes(11, _tensor(b"input_ids", 7, (b"batch", b"sequence")))
        + _bytes(11, _tensor(b"attention_mask", 7, (b"batch", b"sequence")))
        + _bytes(12, _tensor(b"last_hidden_state", 1, (b"batch", b"sequence", b"size")))
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, 13))


def _tensor(name: bytes, kind: int, sizes: tuple[bytes, ...]) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, size)) for size in sizes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def likeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_vectors_have_length_one_and_say_what_is_alike(tmp_path: Path) -> None:
    embedder = load_embedder(write_model(tmp_path))
    car, automobile, ice, nothing = embedder.embed(["car", "An automobile.", "ice", "xyzzy"])
    assert likeness(car, car) == pytest.approx(1.0)
    assert likeness(car, automobile) > 0.9 > 0.2 > likeness(car, ice)
    assert nothing == [0.0, 0.0, 0.0]


def test_a_text_among_others_has_the_vector_that_it_has_alone(tmp_path: Path) -> None:
    embedder = load_embedder(write_model(tmp_path))
    alone = embedder.embed(["car ice"])[0]
    assert embedder.embed(["car", "car ice", "car car ice automobile ice"])[1] == pytest.approx(alone)
    assert embedder.embed([]) == []


def test_the_first_token_speaks_for_the_sentence_where_the_model_says_so(tmp_path: Path) -> None:
    embedder = load_embedder(write_model(tmp_path, is_first=True))
    assert embedder.embed(["car ice"])[0] == pytest.approx(embedder.embed(["car"])[0])


def test_name_and_version_follow_from_the_folder(tmp_path: Path) -> None:
    first = load_embedder(write_model(tmp_path / "small")).model
    assert first.name == "small"
    assert load_embedder(write_model(tmp_path / "small")).model == first
    assert load_embedder(write_model(tmp_path / "small", is_first=True)).model.version != first.version


@pytest.mark.parametrize(
    "text",
    [
        "car " * 100_000,
        "",
        "\0",
        "<|endoftext|>[CLS][SEP][PAD]",
        "../../etc/passwd ${jndi:ldap://x} {{7*7}} %s %(x)s",
        "\u202ecar\u2066 車 🚗",
        "{" * 5_000,
    ],
)
def test_any_text_has_a_vector(tmp_path: Path, text: str) -> None:
    [vector] = load_embedder(write_model(tmp_path)).embed([text])
    assert len(vector) == 3
    assert likeness(vector, vector) == pytest.approx(1.0) or vector == [0.0, 0.0, 0.0]


def test_threads_share_a_model(tmp_path: Path) -> None:
    embedder = load_embedder(write_model(tmp_path))
    wanted = embedder.embed(["car ice"])
    wrong: list[object] = []

    def work() -> None:
        wrong.extend(got for _ in range(50) if (got := embedder.embed(["car ice"])) != wanted)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_nothing_is_connected_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert load_embedder(write_model(tmp_path)).embed(["car"])


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, b"", b"no model", b"{}"])
def test_a_folder_that_holds_no_model_is_named_without_its_path(
    tmp_path: Path, broken: str, content: bytes | None
) -> None:
    folder = write_model(tmp_path / "secret-place")
    if content is None:
        (folder / broken).unlink()
    else:
        (folder / broken).write_bytes(content)
    with pytest.raises(Unavailable) as refused:
        load_embedder(folder)
    assert refused.value.code == "embeddings_unavailable"
    assert "secret-place" not in str(refused.value)
    assert isinstance(open_embedder(folder), MissingEmbedder)


def test_a_tokenizer_of_another_model_is_refused_at_once(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    larger = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    larger["model"]["vocab"] |= {"one": 999}
    (folder / "tokenizer.json").write_text(json.dumps(larger), encoding="utf-8")
    with pytest.raises(Unavailable):
        load_embedder(folder)
