"""The lease row behind a placement or a cycle."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Integer, text
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base, team_key, team_reference


class WorkItem(Base):
    """A thing to do, narrow so that leasing stays cheap; the durable record lives with its owner.

    An instance table: ids and times only, so workers look for due items without acting as a team.
    `epoch` rises at every lease, hand-back and cancel and fences every write of an owner.
    """

    __tablename__ = "work_items"

    team_id: Mapped[str] = team_key()
    kind: Mapped[str] = mapped_column(primary_key=True)
    item_id: Mapped[str] = mapped_column(primary_key=True)
    run_at: Mapped[datetime]
    epoch: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    attempt: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    lease_expires_at: Mapped[datetime | None]
    worker: Mapped[str | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        team_reference("work_items_team"),
        CheckConstraint("(lease_expires_at IS NULL) = (worker IS NULL)", name="lease_names_its_worker"),
        CheckConstraint("finished_at IS NULL OR worker IS NULL", name="finished_holds_no_lease"),
        # From team to team, and along each one's line. A lease changes nothing of it.
        Index("work_items_due", "kind", "team_id", "run_at", postgresql_where=text("finished_at IS NULL")),
        {
            "postgresql_with": {
                "fillfactor": 80,
                "autovacuum_vacuum_scale_factor": 0.02,
                "autovacuum_analyze_scale_factor": 0.02,
            }
        },
    )
