"""A route that knows no query parameter refuses any, so that a misspelt one is never silently without effect."""

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


NoQuery = Annotated[None, Depends(refuse_query)]
