"""The Python client: `from app.client import DenseMem`.

    client     DenseMem, one method an operation, and any other route by path
    transport  one request with its retries
    deadline   the network, on which everything ends in time
    access     key and address, looked at before anything is sent
    errors     Refused, Unreachable, Unusable
    types      what goes in and comes out, generated from the HTTP contract

Synchronous, for one thread; its answers are plain dictionaries with types. It knows HTTP and the error tree, and
nothing of the service behind: importing it costs no database driver. Requests with an effect carry an
idempotency key, so a retry never does a thing twice.
"""

from app.client.client import DenseMem
from app.client.errors import Refused, Unreachable, Unusable
from app.client.transport import Patience

__all__ = ["DenseMem", "Patience", "Refused", "Unreachable", "Unusable"]
