"""What a provider has answered about one ingest: kept when it comes, so that no retry pays for a verdict again.

An answer that could not be read is kept as that, without a word of it: whoever asks again counts them first.
"""

from dataclasses import dataclass
from typing import Final, LiteralString, Protocol

from app.kernel.database import Database, Scope
from app.remember.claim import Judgement


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of one question: its verdict, if there was one, and how many answers could not be read."""

    judgement: Judgement | None = None
    unreadable: int = 0


class Answers(Protocol):
    """The answers to questions, by the digest of each."""

    async def has_any(self) -> bool:
        """Say whether anything has been answered."""

    async def find(self, digest: str) -> Kept: ...

    async def keep(self, digest: str, judgement: Judgement | None, *, number: int) -> None:
        """Leave the answer on record as the question's `number`-th; the first one with that number stands.

        None is an answer that could not be read.
        """


@dataclass(frozen=True, slots=True)
class IngestAnswers:
    """The answers about one ingest, which is on record."""

    database: Database
    team_id: str
    ingest_id: str

    async def has_any(self) -> bool:
        params = {"team_id": self.team_id, "ingest_id": self.ingest_id}
        async with self.database.reading(Scope("app", self.team_id)) as reading:
            return await reading.fetch_one(_ANY, params) is not None

    async def find(self, digest: str) -> Kept:
        async with self.database.reading(Scope("app", self.team_id)) as reading:
            rows = await reading.fetch_all(_FIND, self._key(digest))
        verdicts = [
            Judgement(row["verdict"], row["confidence"], row["rationale"], row["code"])
            for row in rows
            if row["verdict"] is not None
        ]
        return Kept(verdicts[0] if verdicts else None, unreadable=len(rows) - len(verdicts))

    async def keep(self, digest: str, judgement: Judgement | None, *, number: int) -> None:
        params = self._key(digest) | {
            "number": number,
            "verdict": judgement and judgement.verdict,
            "confidence": judgement and judgement.confidence,
            "rationale": judgement and judgement.rationale,
            "code": judgement and judgement.code,
        }
        await self.database.unit_of_work(
            Scope("app", self.team_id), lambda writing: writing.execute(_KEEP, params)
        )

    def _key(self, digest: str) -> dict[str, object]:
        return {"team_id": self.team_id, "ingest_id": self.ingest_id, "digest": digest}


@dataclass(frozen=True, slots=True)
class NoAnswers:
    """Keeps nothing: every question is the first one."""

    async def has_any(self) -> bool:
        return False

    async def find(self, digest: str) -> Kept:
        return Kept()

    async def keep(self, digest: str, judgement: Judgement | None, *, number: int) -> None:
        """Leave nothing behind."""


NO_ANSWERS: Final = NoAnswers()

_ANY: LiteralString = """
    SELECT FROM verifier_answers WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s LIMIT 1
"""
_FIND: LiteralString = """
    SELECT verdict, confidence, rationale, code FROM verifier_answers
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND digest = %(digest)s ORDER BY number
"""

# Two workers may ask the same thing, where a lease was lost.
_KEEP: LiteralString = """
    INSERT INTO verifier_answers (team_id, ingest_id, digest, number, verdict, confidence, rationale, code)
    VALUES (%(team_id)s, %(ingest_id)s, %(digest)s, %(number)s, %(verdict)s, %(confidence)s, %(rationale)s,
            %(code)s)
    ON CONFLICT (team_id, ingest_id, digest, number) DO NOTHING
"""
