"""The declarative base and the few column shapes that every table shares."""

from datetime import datetime
from typing import get_args

from sqlalchemy import CheckConstraint, DateTime, ForeignKeyConstraint, MetaData, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Root of all tables; constraint names are readable because users meet them in error messages."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "ck": "%(table_name)s_%(constraint_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  # SQLAlchemy reads this attribute, nobody changes it.
        str: Text(),
        datetime: DateTime(timezone=True),
        list[str]: ARRAY(Text()),
    }


def team_key() -> Mapped[str]:
    """First column of every key of a team table, so that tables distribute by team unchanged."""
    return mapped_column(Text(), primary_key=True)


def created_now() -> Mapped[datetime]:
    return mapped_column(DateTime(timezone=True), server_default=text("clock_timestamp()"))


def one_of(column: str, words: object, *, optional: bool = False) -> CheckConstraint:
    """CHECK that a text column holds one of a Literal's words."""
    listed = ", ".join(f"'{word}'" for word in get_args(words))
    null = f"{column} IS NULL OR " if optional else ""
    return CheckConstraint(f"{null}{column} IN ({listed})", name=f"{column}_is_known")


def team_reference(name: str) -> ForeignKeyConstraint:
    """Foreign key of a team table to its tenant."""
    return ForeignKeyConstraint(["team_id"], ["teams.id"], name=name)


def references(
    table: str, *columns: str, to: tuple[str, ...] = ("id",), name: str, is_mutual: bool = False
) -> ForeignKeyConstraint:
    """Composite foreign key `(team_id, columns…)`: no reference ever leaves its team.

    `is_mutual`: the other table refers to this one as well, so the key is made after both.
    """
    return ForeignKeyConstraint(
        ["team_id", *columns],
        [f"{table}.team_id", *(f"{table}.{column}" for column in to)],
        name=name,
        use_alter=is_mutual,
    )
