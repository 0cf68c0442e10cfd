"""Cycles that ask the local server at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.dreaming.generation import Generator
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import PROMPT, provider_generator
from app.dreaming.runs.history import Run
from app.kernel.database import Database
from app.llm.anthropic_model import AnthropicModel
from app.llm.prices import BUILT_IN
from app.llm.prompts import load_prompt
from app.tenancy.callers import Caller
from tests.cycles import (
    run_once,
)
from tests.dreamer import Shown, read_shown
from tests.provider_server.replies import (
    Said,
)
from tests.provider_server.server import Answer, ProviderServer


@dataclass(slots=True)
class Dreaming:
    """A server and a line to it; pauses between tries are not waited for."""

    server: ProviderServer
    model: AnthropicModel
    pauses: list[float] = field(default_factory=list)

    def generator(self, *, falls_back: bool = True) -> Generator:
        line = Line(
            model=self.model, prices=BUILT_IN, prompt=load_prompt(PROMPT), effort="low", pause=do_not_pause
        )
        return provider_generator(line, falls_back=falls_back)


async def do_not_pause() -> None:
    return None


def shown_in(body: dict[str, Any]) -> Shown:
    return read_shown(body["messages"][0]["content"])


def saying(answer: Callable[[Shown], str]) -> Callable[[dict[str, Any]], Answer]:
    return lambda body: Said(text=answer(shown_in(body)))


def first_idea(shown: Shown, **changes: object) -> str:
    """Return an answer with the one idea that the pattern suggests, in other words than the rules'."""
    group = next(group for group in shown.groups if "hints" in group)
    subject, predicate, object_, _ = group["hints"][0]
    return shown.answer(
        shown.idea(
            group,
            "Uses",
            subject=subject,
            predicate=predicate,
            object=object_,
            statement=f"{shown.names[subject]} might also use {shown.names[object_]}.",
            **changes,
        )
    )


async def dream(database: Database, team: Caller, dreaming: Dreaming, **options: bool) -> Run:
    return await run_once(database, team, generator=dreaming.generator(**options))
