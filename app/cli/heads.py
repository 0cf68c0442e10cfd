"""A request's head is bounded: uvicorn reads one of any length, from anybody, into twenty times as much memory.

Inherits because the protocol is what uvicorn takes; it has no setting for this.
"""

from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

# A key, an idempotency key, a cursor and a query of the longest kinds take a tenth of it.
MAX_HEAD_BYTES: Final = 64 * 1024
_TOO_LARGE: Final = b"The request's head is larger than 64 KiB."


class HeadTooLargeError(Exception):
    """Raised to the parser, which gives up."""


class BoundedHeads(HttpToolsProtocol):
    """HTTP by httptools; a head beyond the bound is answered with 431, and the connection closed."""

    _head_bytes = 0
    _is_in_head = True

    def data_received(self, data: bytes) -> None:
        """Take what came in; a header that has no end yet counts as well."""
        was_in_head = self._is_in_head
        super().data_received(data)
        if was_in_head and self._is_in_head and not self.transport.is_closing():
            # The parser holds it back until it is whole.
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response("")

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._head_bytes, self._is_in_head = 0, True

    def on_url(self, url: bytes) -> None:
        """Take a piece of the path and query."""
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take one header."""
        self._count(name + value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End the head: what follows is the body."""
        self._is_in_head = False
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request; a head that is too large, as what it is."""
        if self._head_bytes <= MAX_HEAD_BYTES:
            super().send_400_response(msg)
            return
        head = (
            STATUS_LINE[431],
            b"content-type: text/plain; charset=utf-8\r\n",
            b"content-length: %d\r\nconnection: close\r\n\r\n" % len(_TOO_LARGE),
        )
        self.transport.write(b"".join((*head, _TOO_LARGE)))
        self.transport.close()

    def _count(self, part: bytes) -> None:
        self._head_bytes += len(part)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise HeadTooLargeError
