"""The buckets of rate limits."""

from datetime import datetime

from sqlalchemy import DOUBLE_PRECISION, Integer
from sqlalchemy.orm import Mapped, mapped_column

from app.kernel.schema import Base


class RateBucket(Base):
    """What is left of one key's requests. Unlogged: after a crash each key has one more burst.

    An instance table. It refers to no key, so that it stands in nobody's way.
    """

    __tablename__ = "rate_buckets"

    name: Mapped[str] = mapped_column(primary_key=True)
    tokens: Mapped[float] = mapped_column(DOUBLE_PRECISION)
    granted: Mapped[int] = mapped_column(Integer)
    refilled_at: Mapped[datetime]

    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)
