"""Which generator dreams: the team's choice, and whether there is a provider at the moment."""

from app.dreaming.generation import RULES, Generator
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import provider_generator
from app.kernel.errors import SetupError
from app.tenancy.configuration import GeneratorChoice


def choose_generator(choice: GeneratorChoice, line: Line | None) -> Generator:
    """Return the generator of the configuration; `auto` without a provider is `rules`.

    `line` is None while there is no provider.

    Raises:
        SetupError: `provider_not_configured`, where a provider is asked for by name.
    """
    match choice:
        case "rules":
            return RULES
        case "auto":
            return RULES if line is None else provider_generator(line, falls_back=True)
        case "provider":
            if line is None:
                raise SetupError("No provider is configured for dreaming.", code="provider_not_configured")
            return provider_generator(line, falls_back=False)
