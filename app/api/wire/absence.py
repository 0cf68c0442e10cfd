"""Asking why there is no dream about a pair, and the answer."""

from typing import Annotated, Self

from pydantic import StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from app.api.wire.shapes import Answer, Closed, Text
from app.dreaming.absence import ObstacleCode
from app.dreaming.model import Target
from app.kernel.errors import NotFound
from app.kernel.ids import is_id

_Word = Annotated[Text, StringConstraints(min_length=1, max_length=128)]


class AbsenceBody(Closed):
    """A pair that no dream is about; exactly one of the object ids is set."""

    subject_entity_id: _Word
    predicate_key: _Word
    object_entity_id: _Word | None = None
    object_value_id: _Word | None = None

    @model_validator(mode="after")
    def _has_one_object(self) -> Self:
        if (self.object_entity_id is None) == (self.object_value_id is None):
            raise PydanticCustomError("object_form_invalid", "Exactly one object is named.")
        return self

    def as_target(self) -> Target:
        """Return what the domain takes.

        Raises:
            NotFound: an Entity's id stands where a Value's belongs, or the other way round.
        """
        object_id = self.object_entity_id or self.object_value_id or ""
        prefix = "val" if self.object_entity_id is None else "ent"
        if not is_id(object_id, prefix):
            raise NotFound("There is no such Entity or Value.")
        return Target(self.subject_entity_id, self.predicate_key, object_id)


class AbsenceObstacle(Answer):
    """One thing in the way; the ids name the Relationships, Entities or Hypotheses that it is about."""

    code: ObstacleCode
    message: str
    ids: list[str]


class AbsenceAnswer(Answer):
    """What stands in the way of an idea today; nothing where the next cycle would propose it."""

    would_be_proposed: bool
    blocked_by: list[AbsenceObstacle]
