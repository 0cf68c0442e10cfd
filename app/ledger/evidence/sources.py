"""Sources and their revisions: a new revision makes the old one non-current, in the transaction that brings it."""

from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Row, Writing
from app.kernel.errors import WrongState
from app.kernel.ids import new_id
from app.ledger.identity import digest

# The revision of evidence that names a source but none of its revisions, while the source has none.
UNVERSIONED = ""


@dataclass(frozen=True, slots=True)
class RevisionDraft:
    """What a submission says of one source of the profile; `contents` are all its texts out of that source.

    `previous_revision` is the one that the new revision was made from; None compares with nothing.
    """

    source_key: str
    revision: str | None
    previous_revision: str | None
    contents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EnteredRevision:
    """The revision that the evidence belongs to, and the one whose place it took, if it is new."""

    source_id: str
    revision: str
    replaced: str | None = None


async def enter_revision(w: Writing, team_id: str, profile_id: str, draft: RevisionDraft) -> EnteredRevision:
    """Leave the revision stored, and current if it is new.

    A document that comes back unchanged, whatever its revision is called now, is no new revision: the name leads
    to the current one from then on. A known revision stays as it is, current or not. Without a revision,
    evidence joins the current one. Whoever comes second of two that name the same previous revision is refused.

    Raises:
        WrongState: `stale_revision`, the previous revision that is named is not the current one.
    """
    await w.execute(_TAKE_TURNS, {"key": f"{team_id}/{profile_id}/{draft.source_key}"})
    params: dict[str, object] = {
        "team_id": team_id,
        "id": new_id("src"),
        "profile_id": profile_id,
        "source_key": draft.source_key,
    }
    await w.execute(_INSERT_SOURCE, params)
    rows = await w.fetch_all(_REVISIONS, params)
    source_id: str = rows[0]["source_id"]
    names = _read_names(rows)
    current = next((row["revision"] for row in rows if row["is_current"]), None)
    if draft.revision is None:
        wanted = current if current is not None else UNVERSIONED
    else:
        wanted = names.get(draft.revision, draft.revision)
    is_known = wanted in names
    if draft.previous_revision is not None and not (is_known and wanted == current):
        _compare(current, names.get(draft.previous_revision, draft.previous_revision), is_known=is_known)
    if is_known:
        return EnteredRevision(source_id, wanted)
    params = {"team_id": team_id, "source_id": source_id, "revision": wanted, "current": current}
    if current is not None:
        stored = {row["content_digest"] for row in await w.fetch_all(_CONTENTS, params)}
        if stored == {digest(content) for content in draft.contents}:
            await w.execute(_INSERT_OTHER_NAME, params)
            return EnteredRevision(source_id, current)
        await w.execute(_UNSET_CURRENT, params)
    await w.execute(_INSERT_REVISION, params)
    return EnteredRevision(source_id, wanted, replaced=current)


def _read_names(rows: list[Row]) -> dict[str, str]:
    """Return which revision each known name leads to."""
    return {
        row["revision"]: row["revision"] if row["same_as"] is None else row["same_as"]
        for row in rows
        if row["revision"] is not None
    }


def _compare(current: str | None, previous: str, *, is_known: bool) -> None:
    if is_known or current != previous:
        known = "The source has no revision yet." if current is None else f"The current one is {current!r}."
        raise WrongState(
            f"The revision does not follow the source's current one. {known}", code="stale_revision"
        )


_TAKE_TURNS: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 4))"
_INSERT_SOURCE: LiteralString = """
    INSERT INTO sources (team_id, id, profile_id, source_key)
    VALUES (%(team_id)s, %(id)s, %(profile_id)s, %(source_key)s)
    ON CONFLICT (team_id, profile_id, source_key) DO NOTHING
"""
_REVISIONS: LiteralString = """
    SELECT sources.id AS source_id, source_revisions.revision, source_revisions.is_current,
           source_revisions.same_as
    FROM sources LEFT JOIN source_revisions
      ON source_revisions.team_id = sources.team_id AND source_revisions.source_id = sources.id
    WHERE sources.team_id = %(team_id)s AND sources.profile_id = %(profile_id)s
      AND sources.source_key = %(source_key)s
"""
_CONTENTS: LiteralString = """
    SELECT DISTINCT content_digest FROM evidence
    WHERE team_id = %(team_id)s AND source_id = %(source_id)s AND source_revision = %(current)s
      AND state NOT IN ('retracted', 'discarded')
"""
_UNSET_CURRENT: LiteralString = """
    UPDATE source_revisions SET is_current = false
    WHERE team_id = %(team_id)s AND source_id = %(source_id)s AND is_current
"""
_INSERT_REVISION: LiteralString = """
    INSERT INTO source_revisions (team_id, source_id, revision, is_current)
    VALUES (%(team_id)s, %(source_id)s, %(revision)s, true)
"""
_INSERT_OTHER_NAME: LiteralString = """
    INSERT INTO source_revisions (team_id, source_id, revision, is_current, same_as)
    VALUES (%(team_id)s, %(source_id)s, %(revision)s, false, %(current)s)
"""
