"""Reading a header that says one thing: a text in UTF-8, however often it is there."""

from fastapi import Request

from app.api.problems import invalid_request
from app.kernel.errors import FieldError


def read_header(request: Request, name: str) -> str | None:
    """Return the header's text, None if it is not there.

    Raises:
        InvalidInput: it is there with several texts, or its bytes are no UTF-8.
    """
    given = set(request.headers.getlist(name))
    if len(given) > 1:
        raise invalid_request(FieldError(name, "repeated", "The header is there more than once."))
    for text in given:
        try:
            # The server below reads each byte as one character.
            return text.encode("latin-1").decode()
        except UnicodeDecodeError:
            raise invalid_request(FieldError(name, "text_invalid", "The header is not UTF-8.")) from None
    return None
