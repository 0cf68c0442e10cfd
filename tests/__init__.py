"""Tests. The database is never faked: `conftest.py` starts a real PostgreSQL for the run."""
