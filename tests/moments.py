"""Moments for tests that pass the clock as an argument; the database's own clock is near `NOW`."""

from datetime import UTC, datetime, timedelta

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
