"""Every status × tier × verdict × conflict × review × revision: eligible exactly where the table says.

The table is derived by hand from the specification, section "Eligible Inputs", not from the view:

* "active validated claims and facts" and "pending candidates with a final schema-valid insufficient verdict" give
  the first three columns. What a verdict says about an established position is the supports' business, so each
  verdict is written out for it; a candidate has nothing but its verdict.
* "open or overdue conflicts" keep both sides out, "a resolved conflict contributes only its preferred position",
  and a dismissed one is none.
* An open review holds its Relationship, whatever its kind; a resolved one does not.
* "only support in a non-current source revision" is none; evidence without a source has no revision to lose.

What recall takes for standing is the same but for one thing: an established position without support, which no
commit can leave, is not looked for (`test_positions_are_as_strong_as_their_supports` has the attempts).
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, Final, get_args

from psycopg.types.json import Jsonb

from app.kernel.database import Database, Scope, Writing
from app.ledger.identity import digest
from app.ledger.vocabulary import Status, Tier, Verdict
from app.tenancy.callers import Caller
from tests.conftest import found_caller
from tests.factories import make_entity

# status, tier, verdict: each line holds with every conflict, review and revision of the three lists below it.
_ESTABLISHED_OR_ASSESSED: Final = """
    active            validated_claim   entailed
    active            validated_claim   insufficient
    active            validated_claim   contradicted
    active            validated_claim   none
    active            fact              entailed
    active            fact              insufficient
    active            fact              contradicted
    active            fact              none
    pending_evidence  candidate         insufficient
"""
_HARMLESS_CONFLICTS: Final = ("none", "preferred", "dismissed")
_HARMLESS_REVIEWS: Final = ("none", "resolved")
_CURRENT_REVISIONS: Final = ("none", "current")

_VERDICTS: Final = (*get_args(Verdict), "none")
_CONFLICTS: Final = (*_HARMLESS_CONFLICTS, "open", "overdue", "other")
_REVIEWS: Final = (*_HARMLESS_REVIEWS, "open")
_REVISIONS: Final = (*_CURRENT_REVISIONS, "replaced")
_OPENED: Final = datetime(2026, 1, 1, tzinfo=UTC)

Combination = tuple[str, str, str, str, str, str]
Rows = list[dict[str, Any]]  # Columns by name, as JSON.


def combinations() -> list[Combination]:
    """Return all of them but `active` candidates, which a CHECK makes impossible."""
    every = product(get_args(Status), get_args(Tier), _VERDICTS, _CONFLICTS, _REVIEWS, _REVISIONS)
    return [one for one in every if one[:2] != ("active", "candidate")]


def expected() -> set[Combination]:
    lines = [tuple(line.split()) for line in _ESTABLISHED_OR_ASSESSED.strip().splitlines()]
    return {
        (status, tier, verdict, conflict, review, revision)
        for (status, tier, verdict), conflict, review, revision in product(
            lines, _HARMLESS_CONFLICTS, _HARMLESS_REVIEWS, _CURRENT_REVISIONS
        )
    }


async def test_every_combination_is_eligible_exactly_where_the_table_says(
    private: Database, private_unruled: Database
) -> None:
    team = await found_caller(private)
    every = combinations()
    assert len(every) == (8 * 3 - 1) * 4 * 6 * 3 * 3
    subject = await make_entity(private, team, "FastAPI")
    library = await make_entity(private, team, "Starlette")

    async def write(w: Writing) -> None:
        for table, rows in _rows(team, subject, library, every).items():
            await _insert(w, table, rows)
        # A case and its positions refer to each other, so the preference comes last.
        await w.execute(
            """UPDATE conflict_cases AS c SET status = 'resolved', preferred_position_id = p.id
               FROM conflict_positions AS p
               WHERE c.team_id = %(team_id)s AND p.team_id = c.team_id AND p.case_id = c.id
                 AND p.id = ANY (%(preferred)s)""",
            {"team_id": team.team_id, "preferred": preferred_positions(every)},
        )

    await private_unruled.unit_of_work(Scope("app", team.team_id), write)
    async with private.reading(Scope("dreamer", team.team_id)) as reading:
        found = await reading.fetch_all(
            "SELECT relationship_id FROM eligible_relationships WHERE team_id = %(team_id)s",
            {"team_id": team.team_id},
        )
    async with private.reading(Scope("app", team.team_id)) as reading:
        stood = await reading.fetch_all(
            "SELECT relationship_id FROM standing_relationships WHERE team_id = %(team_id)s",
            {"team_id": team.team_id},
        )
    by_id = {_id("rel", number): one for number, one in enumerate(every)}
    eligible = {by_id[row["relationship_id"]] for row in found}
    standing = {by_id[row["relationship_id"]] for row in stood}
    impossible = {(*one[:5], "replaced") for one in expected() if one[0] == "active"}
    assert sorted(standing ^ (expected() | impossible)) == []
    assert sorted(eligible - expected()) == []
    assert sorted(expected() - eligible) == []
    assert len(eligible) == 9 * 3 * 2 * 2


def preferred_positions(every: Sequence[Combination]) -> list[str]:
    """Return the position that each resolved case prefers: ours, or the rival's."""
    offsets = {"preferred": 0, "other": 1}
    return [_id("pos", 2 * number + offsets[one[3]]) for number, one in enumerate(every) if one[3] in offsets]


def _rows(caller: Caller, subject: str, library: str, every: Sequence[Combination]) -> dict[str, Rows]:
    tables: dict[str, Rows] = {
        name: []
        for name in (
            *("sources", "source_revisions", "evidence", "citations", "relationships", "supports"),
            *("verification_events", "conflict_cases", "conflict_positions", "review_tasks"),
        )
    }
    for number, (status, tier, verdict, conflict, review, revision) in enumerate(every):
        base = {"team_id": caller.team_id}
        relationship_id, group_key = _id("rel", number), digest("group", str(number))
        if revision != "none":
            tables["sources"].append(
                base
                | {
                    "id": _id("src", number),
                    "profile_id": caller.profile_id,
                    "source_key": f"key {number}",
                }
            )
            tables["source_revisions"].append(
                base
                | {
                    "source_id": _id("src", number),
                    "revision": "1",
                    "is_current": revision == "current",
                }
            )
        tables["evidence"].append(
            base
            | {
                "id": _id("evd", number),
                "profile_id": caller.profile_id,
                "content": "As it is written.",
                "content_digest": "0",
                "source_type": "document",
                "authority": "primary",
                "source_group": "group",
                "source_id": None if revision == "none" else _id("src", number),
                "source_revision": None if revision == "none" else "1",
                "supersedes_evidence_ids": [],
                "labels": [],
                "metadata": {},
                "state": "active",
            }
        )
        tables["citations"].append(
            base
            | {
                "id": _id("cit", number),
                "evidence_id": _id("evd", number),
                "starts": [0],
                "ends": [17],
                "quote": "As it is written.",
            }
        )
        tables["relationships"].append(
            base
            | {
                "id": relationship_id,
                "owner_profile_id": caller.profile_id,
                "subject_entity_id": subject,
                "predicate_key": "depends_on",
                "predicate_version": 1,
                "object_entity_id": library,
                "polarity": "+",
                "modality": "statement",
                "semantic_group_key": group_key,
                "target_identity": digest("target", str(number)),
                "tier": tier,
                "status": status,
                "version": 1,
            }
        )
        if tier != "candidate":
            tables["supports"].append(
                base
                | {
                    "relationship_id": relationship_id,
                    "citation_id": _id("cit", number),
                    "is_granted": True,
                }
            )
        if verdict != "none":
            tables["verification_events"].append(
                base
                | {
                    "id": _id("ver", number),
                    "relationship_id": relationship_id,
                    "citation_id": _id("cit", number),
                    "verdict": verdict,
                    "confidence": 0.9,
                    "schema_valid": True,
                    "verifier_kind": "lexical",
                    "verifier_version": "test",
                    "rationale": "As it is written.",
                }
            )
        if conflict != "none":
            _add_case(tables, base, subject, number, conflict, group_key)
        if review != "none":
            tables["review_tasks"].append(
                base
                | {
                    "id": _id("rev", number),
                    "kind": ("identity", "predicate", "scope", "temporal", "policy")[number % 5],
                    "status": review,
                    "reason": "test",
                    "relationship_id": relationship_id,
                    "options": [],
                }
            )
    return tables


def _add_case(
    tables: dict[str, Rows],
    base: dict[str, Any],  # Columns, as above.
    subject: str,
    number: int,
    conflict: str,
    group_key: str,
) -> None:
    mine, theirs = _id("pos", 2 * number), _id("pos", 2 * number + 1)
    tables["conflict_cases"].append(
        base
        | {
            "id": _id("con", number),
            "kind": "other_object",
            "status": "dismissed" if conflict == "dismissed" else "open",
            "subject_entity_id": subject,
            "predicate_key": "depends_on",
            "due_at": (_OPENED - timedelta(days=1) if conflict == "overdue" else _OPENED).isoformat(),
        }
    )
    for position_id, group in ((mine, group_key), (theirs, digest("rival", str(number)))):
        tables["conflict_positions"].append(
            base | {"id": position_id, "case_id": _id("con", number), "semantic_group_key": group}
        )


def _id(prefix: str, number: int) -> str:
    return f"{prefix}_{number:026}"


async def _insert(w: Writing, table: str, rows: Rows) -> None:
    columns = ", ".join(sorted({name for row in rows for name in row}))
    # Both names are this module's own.
    statement = (
        f"INSERT INTO {table} ({columns}) "
        f"SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %(rows)s)"
    )
    await w.execute(statement, {"rows": Jsonb(rows)})
