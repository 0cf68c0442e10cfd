"""A model on the local server, whose pauses between tries are kept and not waited for."""

import time
from dataclasses import dataclass, field

from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key, NoKey
from app.llm.model import (
    Message,
    Outcome,
    Question,
)
from app.llm.usage import Tally, Tokens, Usage
from tests.provider_server.replies import (
    MODEL,
)
from tests.provider_server.server import KEY, Answer, ProviderServer

LONG, SHORT = 4_000, 500
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
USED = Usage({MODEL: Tokens(input=120, output=40)}, turns=1)


@dataclass(slots=True)
class Asker:
    """Asks one question, answered by a script."""

    server: ProviderServer
    pauses: list[float] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    key: Key | NoKey = field(default_factory=lambda: Key(KEY, "a test"))
    has_fallbacks: bool = True

    async def ask(
        self, *script: Answer, most: int = LONG, seconds: float = 60.0, most_input: int | None = None
    ) -> Outcome:
        self.server.script = list(script)
        options = AnthropicOptions(model=MODEL, base_url=self.server.url, has_fallbacks=self.has_fallbacks)
        model = AnthropicModel(options, key=lambda: self.key, pause=self._pause, jitter=lambda: 0.0)
        question = Question(
            instructions="Be brief.",
            messages=(Message("user", "Say something."),),
            schema=SCHEMA,
            max_output_tokens=most,
            max_input_tokens=most_input,
            effort="low",
        )
        try:
            return await model.ask(question, deadline=time.monotonic() + seconds, tally=self.tally)
        finally:
            await model.close()

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
