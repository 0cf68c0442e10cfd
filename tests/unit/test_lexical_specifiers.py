"""Version specifiers: one that nothing meets requires nothing."""

import pytest

from app.remember.lexical.specifiers import is_satisfiable


@pytest.mark.parametrize(
    "specifier",
    [
        "",
        ">=0.40",
        ">=0.40,<2",
        "~=1.0",
        "==1.*",
        "==1.2.3",
        "!=0.38.0,>=0.37",
        ">=2.7, !=3.0.*, !=3.1.*",
        "<3",
    ],
)
def test_a_specifier_that_some_version_meets_is_satisfiable(specifier: str) -> None:
    assert is_satisfiable(specifier)


@pytest.mark.parametrize(
    "specifier",
    [
        *("==0.0.0, !=0.0.0", "==1, ==2", ">=2,<1", ">2,<2", "<0", "<=0.0", "~=1.4,<1", ">=3,~=1.2"),
        *("!=1.*,>=1.0,<2", "===1", "=1", ">=", "maybe", ">=1 maybe", "!=*"),
    ],
)
def test_a_specifier_that_no_version_meets_or_that_is_odd_is_not(specifier: str) -> None:
    assert not is_satisfiable(specifier)
