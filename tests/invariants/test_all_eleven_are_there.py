"""The specification lists eleven acceptance invariants; each has a module here that tries to break it."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What the ledger promises beside the eleven.
BESIDE = {
    "test_every_changeable_column_is_guarded.py",
    "test_no_row_changes_unaccounted_for.py",
    "test_nothing_temporary_stands_in_for_ours.py",
    "test_positions_are_as_strong_as_their_supports.py",
    "test_support_is_taken_by_one_at_a_time.py",
    "test_the_database_holds_rows_to_their_decisions.py",
}
NUMBERED = re.compile(r"test_(\d\d)_[a-z_]+\.py")
SIGNS = {
    "api": ("client",),
    "sql": ("acting_as(", "psycopg.connect("),
    "two clients": ("asyncio.gather(", "at_once("),
}
MODULES = {path: int(found[1]) for path in HERE.glob("test_*.py") if (found := NUMBERED.fullmatch(path.name))}


def test_each_invariant_has_one_module_and_no_other_module_hides_here() -> None:
    assert sorted(MODULES.values()) == list(range(1, 12))
    others = {path.name for path in HERE.glob("test_*.py")} - {path.name for path in MODULES}
    assert others == {Path(__file__).name} | BESIDE


@pytest.mark.parametrize("path", sorted(MODULES), ids=lambda path: str(path.name))
def test_each_module_names_its_invariant_and_tries_it(path: Path) -> None:
    module = ast.parse(path.read_text())
    docstring = ast.get_docstring(module)
    assert docstring is not None
    assert docstring.startswith(f"Invariant {MODULES[path]}: ")
    tests = [
        node
        for node in module.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    assert tests
    for test in tests:
        marks = ast.unparse(ast.Module([*map(ast.Expr, test.decorator_list)], []))
        assert "skip" not in marks
        assert "xfail" not in marks
        assert any(isinstance(node, ast.Assert | ast.With) for node in ast.walk(test)), test.name


@pytest.mark.parametrize("path", sorted(MODULES), ids=lambda path: str(path.name))
def test_each_invariant_is_tried_through_the_api_through_sql_and_by_two_clients_at_once(path: Path) -> None:
    module = importlib.import_module(f"tests.invariants.{path.stem}")
    assert set(module.TRIED) == {"api", "sql", "two clients"}
    for way, test in module.TRIED.items():
        assert test.__module__ == module.__name__
        body = inspect.getsource(test)
        # Two clients really act at once; SQL is spoken as one of the roles; the API is asked by a client.
        assert any(sign in body for sign in SIGNS[way]), (way, test.__name__)
