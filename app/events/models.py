"""Tables of the feed. Only the database's own triggers write them."""

from datetime import datetime

from sqlalchemy import BigInteger, Identity, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, created_now, team_key, team_reference


class TeamEvent(Base):
    """One thing that happened. `number` is null inside the transaction that makes it, and never afterwards."""

    __tablename__ = "team_events"

    team_id: Mapped[str] = team_key()
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    number: Mapped[int | None] = mapped_column(BigInteger)
    type: Mapped[str]
    subject_id: Mapped[str]
    at: Mapped[datetime] = created_now()

    __table_args__ = (
        team_reference("team_events_team"),
        UniqueConstraint("team_id", "number", name="team_events_are_numbered"),
    )


class EventCounter(Base):
    """The last number of a team's feed. An instance table: a number only."""

    __tablename__ = "event_counters"

    team_id: Mapped[str] = mapped_column(primary_key=True)
    last: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (team_reference("event_counters_team"), {"postgresql_with": {"fillfactor": 50}})
