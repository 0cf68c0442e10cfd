"""A searchable ledger in few words, for the tests of recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import LiteralString

from app.kernel.database import Database, Scope, Writing
from app.ledger.predicates.phrases import negated_statement, statement
from app.ledger.predicates.registry import list_predicates
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.factories import ESTABLISHED, Made, Position, make_entity, make_relationship, make_value


@dataclass(frozen=True, slots=True)
class Ledger:
    """A team's ledger, filled by sentences such as `say("FastAPI", "depends_on", "Starlette")`."""

    database: Database
    caller: Caller
    nodes: dict[str, str]

    async def node(self, name: str, *, aliases: Sequence[str] = ()) -> str:
        """Return the entity of that name, made at its first use."""
        if name not in self.nodes:
            self.nodes[name] = await make_entity(self.database, self.caller, name, aliases=aliases)
        return self.nodes[name]

    async def value(self, canonical: str) -> str:
        """Return the string value, made at its first use."""
        if canonical not in self.nodes:
            self.nodes[canonical] = await make_value(self.database, self.caller, canonical)
        return self.nodes[canonical]

    async def say(
        self,
        subject: str,
        predicate_key: str,
        object_name: str,
        position: Position = ESTABLISHED,
        *,
        by: Caller | None = None,
    ) -> Made:
        """Store a Relationship with its search document; `requires_python` takes a value."""
        caller = by or self.caller
        subject_id = await self.node(subject)
        is_value = predicate_key == "requires_python"
        object_id = await (self.value(object_name) if is_value else self.node(object_name))
        made = await make_relationship(self.database, caller, subject_id, predicate_key, object_id, position)

        async def document(w: Writing) -> None:
            predicate = (await list_predicates(w, caller.team_id))[predicate_key]
            said = statement if position.polarity == "+" else negated_statement
            body = said(subject, predicate.verb_phrase, object_name)
            params = {"team_id": caller.team_id, "id": made.relationship_id, "body": body}
            await w.execute(_DOCUMENT, params)

        await self.database.unit_of_work(Scope("app", caller.team_id), document)
        return made


async def ask(ledger: Ledger, query: str | RecallQuery, *, caller: Caller | None = None) -> RecallAnswer:
    """Return the answer that the ledger's team gets now."""
    asked = RecallQuery(query) if isinstance(query, str) else query
    return await recall(ledger.database, caller or ledger.caller, asked, now=datetime.now(UTC))


async def statements(ledger: Ledger, query: str | RecallQuery) -> list[str]:
    return [result.statement for result in (await ask(ledger, query)).results]


_DOCUMENT: LiteralString = """
    INSERT INTO relationship_documents (team_id, relationship_id, body)
    VALUES (%(team_id)s, %(id)s, %(body)s)
"""
