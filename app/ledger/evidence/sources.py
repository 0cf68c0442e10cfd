"""Sources and their revisions: a new revision makes the old one non-current, in the transaction that brings it.

A row is one stay of a revision as the current one, from when it was entered until the next was. A revision that
comes back has another stay, under a key of its own: what was said in the earlier one was replaced, and stays so.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import count
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
    """The key of the revision that the evidence belongs to, and of the one whose place it took, if it is new."""

    source_id: str
    revision: str
    replaced: str | None = None


async def enter_revision(w: Writing, team_id: str, profile_id: str, draft: RevisionDraft) -> EnteredRevision:
    """Leave the revision stored, and current if it is new or follows the current one.

    An older revision that names the current one as its previous comes back: it is entered as a new one is, so
    nothing of its earlier evidence counts again by itself. Without a previous one it stays as it is, current or
    not. A document that comes back unchanged, whatever its revision is called now, is no new revision: the name
    leads to the current one from then on. Without a revision, evidence joins the current one. Whoever comes second
    of two that name the same previous revision is refused.

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
    keys = {row["name"]: row["key"] for row in rows if row["revision"] is not None}
    current = next((row for row in rows if row["is_current"]), None)
    current_key = None if current is None else current["revision"]
    name = UNVERSIONED if draft.revision is None else draft.revision
    known = current_key if draft.revision is None and current is not None else keys.get(name)
    if draft.previous_revision is not None and (known is None or known != current_key):
        _compare(draft, current, keys)
        known = None
    if known is not None:
        return EnteredRevision(source_id, known)
    taken = {row["revision"] for row in rows}
    params = {"team_id": team_id, "source_id": source_id, "current": current_key}
    params |= {"revision": _find_free(name, taken), "name": name}
    if current_key is not None:
        stored = {row["content_digest"] for row in await w.fetch_all(_CONTENTS, params)}
        if stored == {digest(content) for content in draft.contents}:
            await w.execute(_INSERT_OTHER_NAME, params)
            return EnteredRevision(source_id, current_key)
        await w.execute(_UNSET_CURRENT, params)
    await w.execute(_INSERT_REVISION, params)
    return EnteredRevision(source_id, str(params["revision"]), replaced=current_key)


def _compare(draft: RevisionDraft, current: Row | None, keys: Mapping[str, str]) -> None:
    """Refuse a revision whose previous one is not the current one, and say what was compared."""
    previous = draft.previous_revision or UNVERSIONED
    if current is not None and keys.get(previous) == current["revision"]:
        return
    stands = "has none yet" if current is None else f"is at {current['name']!r}"
    raise WrongState(
        f"The revision names {previous!r} as the one that it follows; the source {stands}.",
        code="stale_revision",
    )


def _find_free(name: str, taken: Collection[str]) -> str:
    """Return the name, or one like it that no revision of the source has."""
    if name not in taken:
        return name
    return next(key for number in count(2) if (key := f"{name} ({number})") not in taken)


_TAKE_TURNS: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 4))"
_INSERT_SOURCE: LiteralString = """
    INSERT INTO sources (team_id, id, profile_id, source_key)
    VALUES (%(team_id)s, %(id)s, %(profile_id)s, %(source_key)s)
    ON CONFLICT (team_id, profile_id, source_key) DO NOTHING
"""
# The last row of a name says which key it leads to; the current one is the last of its own.
_REVISIONS: LiteralString = """
    SELECT sources.id AS source_id, one.revision, coalesce(one.name, one.revision) AS name, one.is_current,
           coalesce(one.same_as, one.revision) AS key
    FROM sources LEFT JOIN source_revisions AS one
      ON one.team_id = sources.team_id AND one.source_id = sources.id
    WHERE sources.team_id = %(team_id)s AND sources.profile_id = %(profile_id)s
      AND sources.source_key = %(source_key)s
    ORDER BY one.is_current, one.created_at
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
    INSERT INTO source_revisions (team_id, source_id, revision, name, is_current)
    VALUES (%(team_id)s, %(source_id)s, %(revision)s, nullif(%(name)s, %(revision)s), true)
"""
_INSERT_OTHER_NAME: LiteralString = """
    INSERT INTO source_revisions (team_id, source_id, revision, name, is_current, same_as)
    VALUES (%(team_id)s, %(source_id)s, %(revision)s, nullif(%(name)s, %(revision)s), false, %(current)s)
"""
