"""A question in the words of the Messages API. Pure."""

from typing import TYPE_CHECKING

from app.llm.model import Message, Question

if TYPE_CHECKING:
    from anthropic.types import MessageCountTokensParams, MessageParam, OutputConfigParam, TextBlockParam
    from anthropic.types.message_create_params import MessageCreateParamsBase


def build_message(question: Question, model: str) -> "MessageCreateParamsBase":
    """Return the parameters of one call. The instructions are marked for the cache: they are the stable prefix."""
    return {
        "model": model,
        "max_tokens": question.max_output_tokens,
        "system": [_system(question)],
        "messages": [_turn(message) for message in question.messages],
        "output_config": _output_config(question),
    }


def build_count(question: Question, model: str) -> "MessageCountTokensParams":
    """Return the parameters of counting the same question."""
    return {
        "model": model,
        "system": [_system(question)],
        "messages": [_turn(message) for message in question.messages],
        "output_config": _output_config(question),
    }


def _system(question: Question) -> "TextBlockParam":
    return {"type": "text", "text": question.instructions, "cache_control": {"type": "ephemeral"}}


def _turn(message: Message) -> "MessageParam":
    if message.role == "user":
        return {"role": "user", "content": message.text}
    return {"role": "assistant", "content": message.text}


def _output_config(question: Question) -> "OutputConfigParam":
    config: OutputConfigParam = {"format": {"type": "json_schema", "schema": dict(question.schema)}}
    if question.effort is not None:
        config["effort"] = question.effort
    return config
