"""Submissions and one worker step, as the integration tests of the ledger need them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Database, Reading, Row, Scope
from app.queue.leases import Lease
from app.remember.claim import Citation, Claim, Judgement
from app.remember.guarding import guard
from app.remember.intake import PLACEMENT, accept
from app.remember.pipeline import EchoCheck, place_ingest
from app.remember.placements import Placement, RelationshipOutcome, get_placement
from app.remember.submission import (
    CitedSpan,
    CorrectionTarget,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.remember.verify import Verifier, VerifierFailure
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller


@dataclass
class ScriptedVerifier:
    """Answers by the quote's text; anything else is entailed with full confidence."""

    answers: dict[str, Judgement | VerifierFailure] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    kind: str = "scripted"
    version: str = "scripted-v1"

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        self.asked.append(citation.quote)
        return self.answers.get(citation.quote, Judgement("entailed", 1.0, "It says so.", "entailed"))


async def no_echo(reading: Reading, team_id: str, quotes: Sequence[str], /) -> bool:
    return False


def scope(caller: Caller) -> Scope:
    return Scope("app", caller.team_id)


def state(
    subject: str,
    predicate: str,
    object_name: str,
    *,
    text: str | None = None,
    polarity: str = "+",
    modality: str = "statement",
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    relation_scope: str | None = None,
    authority: Authority = "primary",
    source_group: str | None = None,
    source_key: str | None = None,
    source_revision: str | None = None,
    correction_target: CorrectionTarget | None = None,
) -> Submission:
    """One claim between two things of kind `other`, cited as a whole; out of a document if its group is given."""
    content = text or f"{subject} {predicate.replace('_', ' ')} {object_name}."
    content += carry(relation_scope, valid_from, valid_to)
    return Submission(
        evidence=(
            EvidenceItem(
                content,
                source_type="manual" if source_group is None else "document",
                authority=authority,
                source_group=source_group,
                source_key=source_key,
                source_revision=source_revision,
            ),
        ),
        entities=(EntityProposal("s", subject), EntityProposal("o", object_name)),
        relationships=(
            RelationshipProposal(
                proposal_id="p1",
                subject_ref="s",
                predicate=predicate,
                evidence=(CitedSpan(0, 0, len(content)),),
                object_ref="o",
                polarity="+" if polarity == "+" else "-",
                modality=modality,  # type: ignore[arg-type]  # Tests give the word as text.
                scope=relation_scope,
                valid_from=valid_from,
                valid_to=valid_to,
                correction_target=correction_target,
            ),
        ),
    )


def carry(relation_scope: str | None, *moments: datetime | None) -> str:
    """Return words that carry the scope and the days, so that no review asks about them."""
    words = [relation_scope, *(moment and moment.date().isoformat() for moment in moments)]
    return "".join(f" ({word})" for word in words if word)


async def submit(database: Database, caller: Caller, submission: Submission) -> str:
    """Store a submission and return its ingest id; nothing is placed yet."""
    guarded = await guard(submission)
    accepted = await database.unit_of_work(
        scope(caller), lambda w: accept(w, caller, guarded, correlation_id="test")
    )
    return accepted.ingest_id


async def lease(database: Database, caller: Caller, ingest_id: str, *, seconds: float = 60) -> Lease:
    """Lease one ingest; other tests' due items are leased and left alone."""
    row = await run(
        database,
        caller,
        """UPDATE work_items SET epoch = epoch + 1, worker = 'test',
               lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
           WHERE team_id = %(team_id)s AND kind = 'placement' AND item_id = %(ingest_id)s
           RETURNING epoch, attempt""",
        ingest_id=ingest_id,
        seconds=seconds,
    )
    return Lease(caller.team_id, PLACEMENT, ingest_id, row[0]["epoch"], row[0]["attempt"], "test")


async def place(
    database: Database,
    caller: Caller,
    ingest_id: str,
    *,
    verifier: Verifier | None = None,
    echo: EchoCheck = no_echo,
) -> Placement:
    """Place the ingest and return where it landed."""
    taken = await lease(database, caller, ingest_id)
    await place_ingest(database, taken, verifier=verifier or ScriptedVerifier(), echo=echo)
    return await placement(database, caller, ingest_id)


async def placement(database: Database, caller: Caller, ingest_id: str) -> Placement:
    async with database.reading(scope(caller)) as reading:
        return await get_placement(reading, caller.team_id, ingest_id)


async def remember(
    database: Database,
    caller: Caller,
    submission: Submission,
    *,
    verifier: Verifier | None = None,
    echo: EchoCheck = no_echo,
) -> RelationshipOutcome:
    """Submit and place; return the outcome of the first proposal."""
    ingest_id = await submit(database, caller, submission)
    placed = await place(database, caller, ingest_id, verifier=verifier, echo=echo)
    return placed.relationship_outcomes[0]


async def rows(database: Database, caller: Caller, sql: LiteralString, **params: object) -> list[Row]:
    """Read as the team."""
    async with database.reading(scope(caller)) as reading:
        return await reading.fetch_all(sql, {"team_id": caller.team_id, **params})


async def run(database: Database, caller: Caller, sql: LiteralString, **params: object) -> list[Row]:
    """Write as the team."""
    return await database.unit_of_work(
        scope(caller),
        lambda w: w.fetch_all(sql, {"team_id": caller.team_id, **params}),
    )


async def relationship(database: Database, caller: Caller, relationship_id: str | None) -> Row:
    found = await rows(
        database,
        caller,
        "SELECT * FROM relationships WHERE team_id = %(team_id)s AND id = %(id)s",
        id=relationship_id,
    )
    return found[0]


async def is_eligible(database: Database, caller: Caller, relationship_id: str | None) -> bool:
    found = await rows(
        database,
        caller,
        "SELECT 1 FROM eligible_relationships WHERE team_id = %(team_id)s AND relationship_id = %(id)s",
        id=relationship_id,
    )
    return bool(found)
