"""The tables of recall: what clients thought of an answer, for operators to read; vectors to search by."""

from datetime import datetime
from typing import Literal

from sqlalchemy import REAL, CheckConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, one_of, references, team_key, team_reference

Rating = Literal["helpful", "partly", "unhelpful"]


class RecallFeedbackRow(Base):
    """One opinion on one recall, append-only. Written by the application; nothing reads it to decide anything.

    An answer of recall is not stored, so `recall_id` is a name that the client was given, not a reference.
    """

    __tablename__ = "recall_feedback"

    team_id: Mapped[str] = team_key()
    id: Mapped[str] = mapped_column(primary_key=True)
    recall_id: Mapped[str]
    profile_id: Mapped[str]
    rating: Mapped[str]
    useful_ids: Mapped[list[str]]
    wrong_ids: Mapped[list[str]]
    comment: Mapped[str | None]
    created_at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("recall_feedback_team"),
        references("profiles", "profile_id", name="recall_feedback_profile"),
        one_of("rating", Rating),
        CheckConstraint(
            "cardinality(useful_ids) <= 70 AND cardinality(wrong_ids) <= 70", name="names_no_more_than_shown"
        ),
    )


class RelationshipEmbedding(Base):
    """The vector of a Relationship's statement, as the model that is named made it. Derived, so it is replaced.

    Written by the application; never readable by the dreamer. In a database with pgvector the vector is halfvec.
    """

    __tablename__ = "relationship_embeddings"

    team_id: Mapped[str] = team_key()
    relationship_id: Mapped[str] = mapped_column(primary_key=True)
    model_name: Mapped[str]
    model_version: Mapped[str]
    text_digest: Mapped[str]
    vector: Mapped[list[float]] = mapped_column(ARRAY(REAL))
    embedded_at: Mapped[datetime] = created_now()

    __table_args__ = (
        references("relationships", "relationship_id", name="relationship_embeddings_relationship"),
    )
