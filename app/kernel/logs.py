"""Structured logs: one JSON line an event on standard error; never evidence text, never a secret."""

import logging
import sys
from typing import Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_LONGEST_FOREIGN_MESSAGE: Final = 200


def configure_logs(level: str) -> None:
    """Make every logger, libraries' too, write JSON lines at `level` (debug, info, warning, error) or above."""
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[_strip_foreign, structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    # Libraries are heard when something is wrong only; what they say of each request is ours to say.
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)


def _strip_foreign(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Keep what a library's message says always, and the kind of an error: the rest may quote anything."""
    record: logging.LogRecord = event["_record"]
    exception = event.pop("exc_info", None)
    event["event"] = str(record.msg).partition("\n")[0][:_LONGEST_FOREIGN_MESSAGE]
    event["logger"] = record.name
    if isinstance(exception, tuple) and exception[0] is not None:
        event["error"] = exception[0].__name__
    return event
