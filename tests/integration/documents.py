"""Documents as revisions of a source, and what the ledger holds of them."""

from dataclasses import replace

from app.kernel.database import Database
from app.remember.submission import EvidenceItem, Submission
from app.tenancy.callers import Caller
from tests.integration.submissions import rows, state


def document(
    revision: str | None,
    *texts: str,
    previous: str | None = None,
    source_key: str = "https://example.org/docs",
) -> Submission:
    """A document of one source, in as many evidence items as there are texts."""
    return Submission(
        tuple(
            EvidenceItem(
                text,
                source_key=source_key,
                source_revision=revision,
                previous_source_revision=previous,
            )
            for text in texts
        )
    )


def revised(object_name: str, revision: str, *, previous: str | None = None) -> Submission:
    """`FastAPI depends on …`, as one revision of the document says."""
    stated = state("FastAPI", "depends_on", object_name, source_key="docs", source_revision=revision)
    return replace(stated, evidence=(replace(stated.evidence[0], previous_source_revision=previous),))


async def revisions(database: Database, caller: Caller) -> dict[str, str | bool]:
    """Return for each key whether it is current, or which revision it is another name of."""
    found = await rows(
        database,
        caller,
        "SELECT revision, is_current, same_as FROM source_revisions WHERE team_id = %(team_id)s",
    )
    return {row["revision"]: row["same_as"] or row["is_current"] for row in found}
