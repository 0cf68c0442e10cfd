"""Structured logs: one JSON line an event on standard error; never evidence text, never a secret."""

import logging
import sys

import structlog


def configure_logs(level: str) -> None:
    """Make every logger write JSON lines at `level` (debug, info, warning, error) and above."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    for noisy in ("alembic", "psycopg", "psycopg.pool", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(max(threshold, logging.WARNING))
