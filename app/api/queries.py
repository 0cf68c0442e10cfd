"""What holds for queries: a parameter that a route does not know is refused, and so is one that is there twice.

Otherwise a misspelt one would be silently without effect, and of two values one.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from app.kernel.errors import FieldError, InvalidInput


async def refuse_query(request: Request) -> None:
    """Raise InvalidInput if the request has a query parameter."""
    names = sorted(set(request.query_params))
    if names:
        errors = tuple(
            FieldError(name, "extra_forbidden", "This route takes no such parameter.") for name in names
        )
        raise InvalidInput("The request is not valid.", errors=errors)


def refuse_repeats(*repeatable: str) -> Callable[[Request], Awaitable[None]]:
    """Return a dependency that raises InvalidInput for a parameter given twice, but for the repeatable ones."""

    async def refuse(request: Request) -> None:
        counts = Counter(name for name, _ in request.query_params.multi_items())
        twins = sorted(name for name, count in counts.items() if count > 1 and name not in repeatable)
        if twins:
            errors = tuple(FieldError(name, "repeated", "The parameter takes one value.") for name in twins)
            raise InvalidInput("The request is not valid.", errors=errors)

    return refuse


NoQuery = Annotated[None, Depends(refuse_query)]
SingleQuery = Annotated[None, Depends(refuse_repeats())]
RepeatableStatus = Annotated[None, Depends(refuse_repeats("status"))]
