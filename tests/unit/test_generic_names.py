"""Names that name nothing."""

import pytest

from app.remember.generic_names import is_generic_name


@pytest.mark.parametrize(
    "name",
    ["it", "It", "the  system", "this project", "My App", "C", "x", "7", "—", "...", "they"],
)
def test_name_that_could_stand_for_anything_is_generic(name: str) -> None:
    assert is_generic_name(name)


@pytest.mark.parametrize(
    "name", ["C++", "Go", "IT", "WHO", "US", "System", "the Linux kernel", "猫", "🦀", ".NET", "The Hague"]
)
def test_name_of_something_is_not_generic(name: str) -> None:
    assert not is_generic_name(name)
