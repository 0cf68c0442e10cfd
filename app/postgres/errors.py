"""Errors of embedded PostgreSQL. Each says what is wrong and, in `remedy`, how to mend it.

EmbeddedPostgresError
├── BinariesMissingError     no usable PostgreSQL >= 15 on this machine
├── DataFolderInUseError     another server runs on the same data folder
└── NotPermittedError        an account may not do or reach what it must
"""


class EmbeddedPostgresError(Exception):
    """PostgreSQL could not be found, created, started or reached."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(f"{message} {remedy}".strip())
        self.message = message
        self.remedy = remedy


class BinariesMissingError(EmbeddedPostgresError):
    """No usable PostgreSQL binaries were found, or the configured ones don't work."""


class DataFolderInUseError(EmbeddedPostgresError):
    """Another process runs, or is still stopping, PostgreSQL on the same data folder."""


class NotPermittedError(EmbeddedPostgresError):
    """The account at hand may not start PostgreSQL, or may not reach a folder it needs."""
