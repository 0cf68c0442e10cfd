"""Where the key comes from, and that it never shows."""

from pathlib import Path

import pytest

from app.llm.key import Key, NoKey, find_key

KEY = "sk-ant-0123456789-abcdef"


def from_file(path: Path) -> Key | NoKey:
    return find_key({"ANTHROPIC_API_KEY_FILE": str(path)})


def test_without_any_variable_there_is_no_key_and_no_fault() -> None:
    assert find_key({}) == NoKey()
    assert find_key({"ANTHROPIC_API_KEY": "  ", "ANTHROPIC_API_KEY_FILE": ""}) == NoKey()


def test_the_variable_outweighs_the_file(tmp_path: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": f" {KEY}\n", "ANTHROPIC_API_KEY_FILE": str(tmp_path / "none")}
    assert find_key(environment) == Key(KEY, "ANTHROPIC_API_KEY")


@pytest.mark.parametrize(
    "content",
    [
        KEY,
        f"{KEY}\n",
        f"\n  {KEY}  \r\n",
        f"ANTHROPIC_API_KEY={KEY}\n",
        f"# mine\nOTHER=x\nexport ANTHROPIC_API_KEY='{KEY}'\n",
        f"\ufeffANTHROPIC_API_KEY={KEY}",
    ],
)
def test_a_file_holds_the_bare_key_or_a_line_that_names_it(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key"
    path.write_text(content, encoding="utf-8")
    assert from_file(path) == Key(KEY, "ANTHROPIC_API_KEY_FILE")


def test_a_folder_with_exactly_one_file_works(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "anthropic").write_text(KEY)
    assert from_file(tmp_path) == Key(KEY, "ANTHROPIC_API_KEY_FILE")
    (tmp_path / "other").write_text(KEY)
    assert isinstance(found := from_file(tmp_path), NoKey)
    assert found.fault is not None
    assert "2 files" in found.fault


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00", b"two\nlines", b"x" * 5000, f"OTHER={KEY}".encode(), f"{KEY} and more".encode()],
)
def test_what_is_no_key_is_a_fault_that_does_not_quote_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    found = from_file(path)
    assert isinstance(found, NoKey)
    assert found.fault is not None
    assert KEY not in found.fault


def test_a_missing_file_is_a_fault(tmp_path: Path) -> None:
    assert isinstance(found := from_file(tmp_path / "none"), NoKey)
    assert found.fault is not None


def test_a_key_does_not_show_itself() -> None:
    assert KEY not in repr(Key(KEY, "here"))
    assert KEY not in f"{Key(KEY, 'here')}"
