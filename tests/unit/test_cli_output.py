"""What a command prints shows what a terminal would obey or hide, whoever put it there."""

import json
import re

import pytest

from app.cli.output import print_error, print_json, print_lines, print_table

HOSTILE = "A\x1b[2J\x9b1m\u202eB\u200b\x07\nC\U000e0041"
SHOWN = "A\\x1b[2J\\x9b1m\\u202eB\\u200b\\x07\\nC\\U000e0041"


def test_a_table_and_lines_show_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    print_table({"Statement": "statement"}, [{"statement": HOSTILE}])
    print_lines(HOSTILE, "Ünïcode – 日本")
    print_error(HOSTILE)
    printed = capsys.readouterr()
    _, row, line, plain = printed.out.splitlines()
    assert (row.rstrip(), line, plain) == (SHOWN, SHOWN, "Ünïcode – 日本")
    assert printed.err == SHOWN.replace("\\n", "\n") + "\n"


def test_a_cell_is_written_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "nothing": None,
        "switch": False,
        "number": 0.987,
        "scopes": ["read", "write"],
        "details": {"days": None, "name": HOSTILE, "kinds": ["a", "b"]},
        "none": [],
    }
    print_table({name: name for name in row}, [row])
    _, told = capsys.readouterr().out.splitlines()
    cells = ["–", "false", "0.99", "read, write", f"days=–; name={SHOWN}; kinds=a, b", "–"]
    assert re.split(" {2,}", told.rstrip()) == cells


def test_json_is_the_same_to_programs_and_plain_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"statement": HOSTILE, "name": "日本"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"statement": HOSTILE, "name": "日本"}
    assert printed.replace("\n", "").isprintable()
    assert "日本" in printed
