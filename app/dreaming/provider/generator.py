"""The provider's generator: plan, converse, merge; or fall back to the rules and say so."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import structlog

from app.dreaming.generation import RULES, Generated, Generator, Task
from app.dreaming.model import Group, Inputs, Proposal, Target
from app.dreaming.provider.allowance import Exceeded, allow_call
from app.dreaming.provider.conversation import Conversation, Line, Said
from app.dreaming.provider.exchange import Exchange
from app.dreaming.provider.merging import merge_with_rules
from app.dreaming.provider.pairs import Pair, Plan, open_predicates, plan_pairs
from app.dreaming.provider.sheet import write_sheet
from app.dreaming.spending.purse import Remaining
from app.kernel.errors import DenseMemError, Unavailable
from app.llm.model import Message
from app.llm.prompts import estimate_input
from app.llm.rates import rate_call

PROMPT: Final = "dreamer-v1"
MOST_PREMISES: Final = 500
log = structlog.get_logger()


class ProviderFailed(DenseMemError):
    """The provider ended a run that may use nothing else, and no other try would help."""

    default_code = "provider_failed"


def provider_generator(line: Line, *, falls_back: bool) -> Generator:
    """Return the generator that asks over this line.

    `falls_back`: the rules dream where the provider fails; else such a run fails, for good or until the next try.
    """
    return Generator(
        "provider",
        line.prompt.version,
        RULES.generate,
        ask=partial(_generate, line, falls_back=falls_back),
        most_premises=MOST_PREMISES,
        model=line.model.name,
    )


async def _generate(line: Line, task: Task, *, falls_back: bool) -> Generated:
    inputs, budgets = task.inputs, task.budgets
    plan: Plan = await task.compute(
        plan_pairs, inputs, max_groups=budgets.max_groups, max_outputs=budgets.max_outputs
    )
    if task.dry_run:
        return await _estimate(line, task, plan)
    talk = Conversation(line, inputs, plan, task.purse, budgets.max_outputs, task.deadline)
    if line.exchange_days > 0 and task.keep is not None:
        talk.keep = partial(_keep_for, task.keep, line.exchange_days)
    said = await talk.hold()
    if said.failure is not None:
        log.warning("the provider failed", action="dream", failure=said.failure, judged=len(said.pairs))
    if not said.pairs and plan.pairs and (said.failure is not None or said.stopped_by is not None):
        return fall_back(inputs, plan, said, falls_back=falls_back)
    return Generated(
        groups=groups_of(inputs, said.pairs),
        proposals=merge_hints(said.proposals, plan, inputs),
        stopped_by=said.stopped_by or (said.failure and f"provider_{said.failure}"),
    )


def merge_hints(proposals: Sequence[Proposal], plan: Plan, inputs: Inputs) -> tuple[Proposal, ...]:
    """Return the model's proposals, merged with the rules' own about the same targets."""
    return merge_with_rules(proposals, plan.hints, inputs.predicates, rules_version=RULES.version)


async def _keep_for(keep: Callable[[Exchange, int], Awaitable[None]], days: int, exchange: Exchange) -> None:
    await keep(exchange, days)


def fall_back(inputs: Inputs, plan: Plan, said: Said, *, falls_back: bool) -> Generated:
    """Return the rules' proposals, or raise what ended the provider where nothing else may be used."""
    if falls_back:
        reason = said.failure or said.stopped_by
        note = f"The provider was no use ({reason}): the rules dreamt."
        return Generated(
            groups_of(inputs, plan.pairs), plan.hints, stopped_by=said.stopped_by, generator=RULES, note=note
        )
    if said.failure is None:
        return Generated(stopped_by=said.stopped_by)
    message = f"The provider was no use: {said.failure}."
    if said.is_passing:
        raise Unavailable(message, code=f"provider_{said.failure}")
    raise ProviderFailed(message, code=f"provider_{said.failure}")


async def _estimate(line: Line, task: Task, plan: Plan) -> Generated:
    """Return what the rules propose, with what the provider would cost at most; nobody is asked."""
    groups, count = groups_of(task.inputs, plan.pairs), len(plan.pairs)
    note = "The provider would not be asked: no pair of nodes is open."
    if count:
        sheet = write_sheet(task.inputs, plan.pairs, plan.hints, request=line.draw_request(), most_ideas=1)
        needed = estimate_input(line.prompt, (Message("user", sheet.text),))
        note = _describe_cost(line, needed, count, await task.purse.remaining())
    return Generated(groups, plan.hints, generator=RULES, note=note)


def _describe_cost(line: Line, needed: int, count: int, remaining: Remaining) -> str:
    name, has_fallbacks = line.model.name, line.model.has_fallbacks
    rate = rate_call(line.prices, name, has_fallbacks=has_fallbacks)
    allowed = allow_call(needed, count, remaining, rate)
    if isinstance(allowed, Exceeded):
        return f"The provider would not be asked about all {count} pairs at once: {allowed.budget}."
    tokens = (allowed.input_tokens, allowed.output_tokens)
    alone = rate_call(line.prices, name, has_fallbacks=False).charge(*tokens)
    batch = rate_call(line.prices, name, has_fallbacks=False, is_batch=True).charge(*tokens)
    both = f", ${allowed.cost_usd:.4f} where it refuses and another answers" if has_fallbacks else ""
    return (
        f"The provider ({name}) was not asked. By estimate its first turn would take {tokens[0]} tokens in and at"
        f" most {tokens[1]} out: at most ${alone:.4f}{both}, ${batch:.4f} in a batch,"
        f" at prices of {line.prices.as_of}."
    )


def groups_of(inputs: Inputs, pairs: tuple[Pair, ...]) -> tuple[Group, ...]:
    """Return the pairs as groups, each under the first predicate that is open for it."""
    return tuple(Group(_target(inputs, pair), pair.premise_keys) for pair in pairs)


def _target(inputs: Inputs, pair: Pair) -> Target:
    forward = open_predicates(inputs, pair.first, pair.second)
    if forward:
        return Target(pair.first, forward[0], pair.second)
    backward = open_predicates(inputs, pair.second, pair.first)
    return Target(pair.second, backward[0] if backward else "", pair.first)
