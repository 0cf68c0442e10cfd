"""Whether the process lives and whether it can work."""

from typing import Literal

from app.api.wire.shapes import Answer


class Alive(Answer):
    """The process answers."""

    status: Literal["ok"]


class Degradation(Answer):
    """A part that does not work as it should."""

    part: str
    code: str
    message: str


class Readiness(Answer):
    """Ready when the database answers and its schema is ours; `degraded` lists what works less well."""

    status: Literal["ready", "not_ready"]
    database: Literal["ok", "unavailable"]
    migrations: Literal["ok", "behind", "ahead", "unknown"]
    degraded: list[Degradation]
