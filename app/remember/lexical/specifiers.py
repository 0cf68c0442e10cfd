"""Version specifiers: whether some version can satisfy them.

Pure. Only release numbers are weighed, and in doubt the answer is no: a requirement that nothing can meet
("==0.0.0, !=0.0.0") says that nothing is required.
"""

import re
from itertools import zip_longest

_CLAUSE = re.compile(
    r"(?P<sign>~=|==|!=|<=|>=|<|>)\s*v?(?P<version>\d+(?:\.\d+)*)(?P<rest>[A-Za-z0-9.+_-]*|\.\*)"
)

_Version = tuple[int, ...]


def is_satisfiable(specifier: str) -> bool:
    """Whether the comma separated clauses leave a version to choose; true for an empty specifier."""
    lower: _Version = (0,)
    upper: _Version | None = None
    signs: list[str] = []
    excluded: list[_Version] = []
    for clause in filter(None, (part.strip() for part in specifier.split(","))):
        found = _CLAUSE.fullmatch(clause)
        if found is None:
            return False
        sign, version = found["sign"], tuple(map(int, found["version"].split(".")))
        signs.append(sign)
        if sign == "!=" and found["rest"] == ".*":
            excluded.append(version)
        if sign in (">=", ">", "~=") and _compare(version, lower) > 0:
            lower = version
        bound = {"~=": _next_series(version), "<": version, "<=": version}.get(sign)
        if bound is not None and (upper is None or _compare(bound, upper) < 0):
            upper = bound
    if "==" in signs:
        return len(signs) == 1
    # Equal bounds leave one version at most, and nobody has a reason to write that so.
    return upper is None or (
        _compare(lower, upper) < 0
        and not any(
            _compare(series, lower) <= 0 and _compare(upper, (*series[:-1], series[-1] + 1)) <= 0
            for series in excluded
        )
    )


def _next_series(version: _Version) -> _Version:
    head = version[:-1] or version
    return (*head[:-1], head[-1] + 1)


def _compare(one: _Version, other: _Version) -> int:
    for first, second in zip_longest(one, other, fillvalue=0):
        if first != second:
            return -1 if first < second else 1
    return 0
