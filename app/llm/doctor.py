"""Looking at the key and the models without spending anything: a model's description is free."""

import asyncio
import re
from typing import Final

from app.kernel.settings import Settings
from app.llm.connection import list_errors, list_setup_errors, open_client
from app.llm.key import Key, NoKey, find_key
from app.llm.prices import load_prices
from app.postgres.doctor import Finding

CHECK_SECONDS = 15.0
_WORD: Final = re.compile("[a-z_-]{1,32}")
_NONE = "none configured: rules dream, and the lexical verifier verifies"


async def diagnose_provider(settings: Settings) -> list[Finding]:
    """Return what is seen of key, prices and models; no key at all is no fault. Nothing is spent."""
    prices = load_prices(settings.price_file)
    found = find_key()
    if isinstance(found, NoKey):
        if found.fault is None:
            return [Finding("anthropic key", True, _NONE)]
        return [Finding("anthropic key", False, found.fault, "Mend the key, or unset the variable.")]
    findings = [Finding("anthropic key", True, f"found in {found.source}")]
    models = dict.fromkeys((settings.dreamer_model, settings.verifier_model))
    findings += await _look_at_models(found, settings, tuple(models))
    return [*findings, Finding("prices", True, f"of {prices.as_of}")]


async def _look_at_models(key: Key, settings: Settings, names: tuple[str, ...]) -> list[Finding]:
    try:
        client = await open_client(key, settings.anthropic_base_url)
    except list_setup_errors() as error:
        detail = f"cannot be asked ({type(error).__name__})"
        return [Finding("provider", False, detail, "Check ANTHROPIC_BASE_URL, proxies and SSL_CERT_FILE.")]
    import anthropic

    findings = []
    try:
        for name in names:
            check = f"model {name}"
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    model = await client.models.retrieve(name)
            except anthropic.AuthenticationError:
                return [Finding("provider", False, "refuses the key", "Make a new key, or correct this one.")]
            except anthropic.NotFoundError:
                findings.append(Finding(check, False, "not known to the provider", "Choose another model."))
                continue
            except list_errors() as error:
                detail = f"does not answer ({type(error).__name__})"
                return [Finding("provider", False, detail, "Check the network and ANTHROPIC_BASE_URL.")]
            findings.append(_judge(check, model))
    finally:
        await client.close()
    return findings


def _judge(check: str, model: object) -> Finding:
    if getattr(model, "type", None) != "model":
        remedy = "Check ANTHROPIC_BASE_URL."
        return Finding(check, False, "answered with something else than a model", remedy)
    # What the provider left out says nothing against the model, and only a word of its is shown.
    lifecycle = getattr(model, "lifecycle", "active")
    word = lifecycle if isinstance(lifecycle, str) and _WORD.fullmatch(lifecycle) else "of unknown standing"
    is_usable = word != "retired"
    return Finding(check, is_usable, word, "" if is_usable else "Choose another model.")
