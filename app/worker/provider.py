"""The provider as one worker process uses it: two models, their prices, and whether there is a key now."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import PROMPT
from app.kernel.database import Database
from app.kernel.settings import Settings
from app.llm.anthropic_batches import AnthropicBatches
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.batches import StructuredBatches
from app.llm.key import Key, find_key
from app.llm.model import StructuredModel
from app.llm.prices import PriceTable, load_prices
from app.llm.prompts import load_prompt
from app.llm.redaction import redact
from app.llm.words import Wardens
from app.remember.guard.injection import find_injection
from app.remember.guard.mask import mask_text
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.provider.answers import NO_ANSWERS, Answers, IngestAnswers
from app.remember.provider.permits import TeamPurse
from app.remember.provider.verifier import ProviderVerifier, bound_verdict
from app.remember.verify import Verifier

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Provider:
    """What steps need of the provider. Nothing is opened before it is first used."""

    settings: Settings
    dreamer: StructuredModel
    verifier: StructuredModel
    prices: PriceTable
    batches: StructuredBatches

    def has_key(self) -> bool:
        """Say whether there is a key at this moment; one that cannot be read is reported and counts as none."""
        found = find_key()
        if isinstance(found, Key):
            return True
        if found.fault is not None:
            log.warning("the provider's key can't be used", action="provider", fault=found.fault)
        return False

    def line(self) -> Line | None:
        """Return the line that dreams use, or None while there is no key."""
        if not self.has_key():
            return None
        return Line(
            model=self.dreamer,
            prices=self.prices,
            prompt=load_prompt(PROMPT),
            effort=self.settings.provider_effort,
            exchange_days=self.settings.exchange_days,
            secrets=known_secrets,
            wardens=WARDENS,
            batches=self.batches,
        )

    async def choose_verifier(
        self, database: Database, team_id: str, *, ingest_id: str | None = None
    ) -> Verifier:
        """Return the verifier of the settings; `auto` is the provider's while there is a key and the day has room.

        One that is asked for by name waits for the next day where the team's money is used up. What it is answered
        is kept with the ingest, if there is one, and whoever has judged a part of an ingest judges the rest: a
        second opinion on what the provider has answered would let a submission choose between two verifiers.
        """
        chosen = self.settings.verifier
        if chosen == "lexical":
            return LexicalVerifier()
        purse = TeamPurse(database, team_id, self.prices)
        answers: Answers = NO_ANSWERS if ingest_id is None else IngestAnswers(database, team_id, ingest_id)
        if chosen == "auto" and not await answers.has_any():
            usual = bound_verdict(self.verifier, self.prices)
            if not self.has_key() or not await purse.has_room(usual.cost_usd):
                return LexicalVerifier()
        effort = self.settings.provider_effort
        return ProviderVerifier(self.verifier, purse, effort, wardens=WARDENS, answers=answers)


@asynccontextmanager
async def open_provider(settings: Settings) -> AsyncIterator[Provider]:
    """Give the provider of the settings, and leave no connection of it open.

    Raises:
        SetupError: the price file is wrong.
    """
    prices = load_prices(settings.price_file)
    dreamer, verifier = (
        AnthropicModel(
            AnthropicOptions(
                model=name,
                base_url=settings.anthropic_base_url,
                has_fallbacks=settings.provider_fallbacks,
            )
        )
        for name in (settings.dreamer_model, settings.verifier_model)
    )
    batches = AnthropicBatches(model=settings.dreamer_model, base_url=settings.anthropic_base_url)
    try:
        yield Provider(settings, dreamer, verifier, prices, batches)
    finally:
        await batches.close()
        await dreamer.close()
        await verifier.close()


def known_secrets() -> tuple[str, ...]:
    """Return what must not stand in anything that is kept: the key of the moment."""
    found = find_key()
    return (found.secret,) if isinstance(found, Key) else ()


def mask_words(text: str) -> str:
    """Return what a model has said without the key of the moment and without what the guard knows as a secret."""
    return mask_text(redact(text, known_secrets())).text


def _gives_orders(text: str) -> bool:
    return find_injection(text) is not None


# Whatever a model has said is looked at by the same ones, for dreams and for verdicts.
WARDENS: Final = Wardens(gives_orders=_gives_orders, mask=mask_words)
