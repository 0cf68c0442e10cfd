"""Sources and their revisions: a new revision makes the old one non-current, in the transaction that brings it."""

from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.ids import new_id

# The revision of evidence that names a source but none of its revisions, while the source has none.
UNVERSIONED = ""


async def enter_revision(
    w: Writing,
    team_id: str,
    profile_id: str,
    *,
    source_key: str,
    revision: str | None,
    previous_revision: str | None,
) -> tuple[str, str, bool]:
    """Leave the revision stored; return the source's id, the revision and whether an older one was replaced.

    A revision that is new becomes the current one, unless `previous_revision` says that it follows another than
    the current one: then it came late and stays non-current. A known revision stays as it is. Without a
    revision, evidence joins the current one.
    """
    await w.execute(_TAKE_TURNS, {"key": f"{team_id}/{profile_id}/{source_key}"})
    params: dict[str, object] = {
        "team_id": team_id,
        "id": new_id("src"),
        "profile_id": profile_id,
        "source_key": source_key,
    }
    await w.execute(_INSERT_SOURCE, params)
    rows = await w.fetch_all(_REVISIONS, params)
    source_id: str = rows[0]["source_id"]
    known = {row["revision"]: row["is_current"] for row in rows if row["revision"] is not None}
    current = next((name for name, is_current in known.items() if is_current), None)
    wanted = revision if revision is not None else (current if current is not None else UNVERSIONED)
    if wanted in known:
        return source_id, wanted, False
    is_late = current is not None and previous_revision is not None and previous_revision != current
    params = {"team_id": team_id, "source_id": source_id, "revision": wanted, "is_current": not is_late}
    is_replacing = current is not None and not is_late
    if is_replacing:
        await w.execute(_UNSET_CURRENT, params)
    await w.execute(_INSERT_REVISION, params)
    return source_id, wanted, is_replacing


_TAKE_TURNS: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 4))"
_INSERT_SOURCE: LiteralString = """
    INSERT INTO sources (team_id, id, profile_id, source_key)
    VALUES (%(team_id)s, %(id)s, %(profile_id)s, %(source_key)s)
    ON CONFLICT (team_id, profile_id, source_key) DO NOTHING
"""
_REVISIONS: LiteralString = """
    SELECT sources.id AS source_id, source_revisions.revision, source_revisions.is_current
    FROM sources LEFT JOIN source_revisions
      ON source_revisions.team_id = sources.team_id AND source_revisions.source_id = sources.id
    WHERE sources.team_id = %(team_id)s AND sources.profile_id = %(profile_id)s
      AND sources.source_key = %(source_key)s
"""
_UNSET_CURRENT: LiteralString = """
    UPDATE source_revisions SET is_current = false
    WHERE team_id = %(team_id)s AND source_id = %(source_id)s AND is_current
"""
_INSERT_REVISION: LiteralString = """
    INSERT INTO source_revisions (team_id, source_id, revision, is_current)
    VALUES (%(team_id)s, %(source_id)s, %(revision)s, %(is_current)s)
"""
