"""Reading what the provider sends back: events of a stream or a whole message, believed as little as possible.

Fields are read from plain mappings, because the SDK does not check them: a wrong type makes the transcript
malformed and never raises.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.llm.model import Answered, Malformed, Outcome, Refused, Truncated
from app.llm.prompts import CHARACTERS_PER_TOKEN
from app.llm.usage import Tokens, Usage

Fields = Mapping[str, object]
_MOST_CHARACTERS = 2_000_000
_MAX_TOKENS = 2**40


@dataclass(slots=True)
class Transcript:
    """One try, as far as it has come.

    `presumed_input` is charged where the provider never says what it counted. `is_sent` turns true when the
    request may have reached the provider.
    """

    model: str
    presumed_input: int
    is_sent: bool = False
    is_whole: bool = False
    fault: str | None = None
    _reported: dict[str, object] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _stop_reason: str | None = None
    _category: str | None = None

    def take_message(self, message: object) -> None:
        """Read a whole message."""
        if not isinstance(message, Mapping) or message.get("type") != "message":
            self.fault = "not_a_message"
            return
        self._begin(message)
        self._stop(message)
        for block in _mappings(message.get("content")):
            if block.get("type") == "text":
                self._add_text(block.get("text"))
        self.is_whole = True

    def take_event(self, event: object) -> None:
        """Read one event of a stream; unknown ones say nothing to us."""
        if not isinstance(event, Mapping):
            self.fault = "not_an_event"
            return
        match event.get("type"):
            case "message_start":
                message = event.get("message")
                if isinstance(message, Mapping):
                    self._begin(message)
                else:
                    self.fault = "not_a_message"
            case "content_block_delta":
                delta = event.get("delta")
                if isinstance(delta, Mapping) and delta.get("type") == "text_delta":
                    self._add_text(delta.get("text"))
            case "message_delta":
                self._note_usage(event.get("usage"))
                delta = event.get("delta")
                if isinstance(delta, Mapping):
                    self._stop(delta)
            case "message_stop":
                self.is_whole = True

    def conclude(self) -> Outcome:
        """Return how a whole transcript ended, with the usage of this try."""
        usage, text = self.usage(), "".join(self._texts)
        if self.fault is not None:
            return Malformed(self.fault, usage)
        match self._stop_reason:
            case "refusal":
                return Refused(self._category, usage)
            case "max_tokens":
                return Truncated("max_output_tokens", usage)
            case "model_context_window_exceeded":
                return Truncated("context_window", usage)
            case "end_turn" | "stop_sequence":
                return Answered(text, self.model, usage) if text else Malformed("empty", usage)
            case _:
                # A tool or a pause was not on offer, and a missing reason is no end.
                return Malformed("stop_reason", usage)

    def usage(self) -> Usage:
        """Return what this try has used as far as anybody knows."""
        if not self._reported:
            if not self.is_sent:
                return Usage()
            presumed = Tokens(input=self.presumed_input, output=self._seen_output())
            return Usage({self.model: presumed}, turns=1, is_estimated=True)
        by_model = dict(self._split_by_model())
        if not self.is_whole:
            # The count of a stream that was cut is that of its beginning.
            total = sum((tokens.output for tokens in by_model.values()), 0)
            missing = Tokens(output=max(0, self._seen_output() - total))
            by_model[self.model] = by_model.get(self.model, Tokens()) + missing
        is_batch = self._reported.get("service_tier") == "batch"
        return Usage(by_model, turns=1, is_batch=is_batch, is_estimated=not self.is_whole)

    def _begin(self, message: Fields) -> None:
        if isinstance(model := message.get("model"), str) and 0 < len(model) <= 128:
            self.model = model
        self._note_usage(message.get("usage"))

    def _note_usage(self, usage: object) -> None:
        """Keep the newest count of each kind: those of a stream are cumulative."""
        if not isinstance(usage, Mapping):
            self.fault = self.fault or "no_usage"
            return
        self._reported.update({name: value for name, value in usage.items() if value is not None})

    def _stop(self, fields: Fields) -> None:
        if isinstance(reason := fields.get("stop_reason"), str):
            self._stop_reason = reason
        details = fields.get("stop_details")
        if isinstance(details, Mapping) and isinstance(category := details.get("category"), str):
            self._category = category[:64]

    def _add_text(self, text: object) -> None:
        if not isinstance(text, str):
            self.fault = "not_text"
        elif self._length + len(text) > _MOST_CHARACTERS:
            self.fault = "too_long"
        else:
            self._texts.append(text)
            self._length += len(text)

    def _seen_output(self) -> int:
        return int(self._length / CHARACTERS_PER_TOKEN)

    def _split_by_model(self) -> Iterator[tuple[str, Tokens]]:
        """Yield the tokens of each model: with server-side fallbacks each hop reports its own."""
        hops = [
            hop
            for hop in _mappings(self._reported.get("iterations"))
            if hop.get("type") in ("message", "fallback_message")
        ]
        if not any(hop.get("type") == "fallback_message" for hop in hops):
            yield self.model, _read_tokens(self._reported)
            return
        sums: dict[str, Tokens] = {}
        for hop in hops:
            name = hop.get("model")
            model = name if isinstance(name, str) and 0 < len(name) <= 128 else self.model
            sums[model] = sums.get(model, Tokens()) + _read_tokens(hop)
        yield from sums.items()


def _read_tokens(fields: Fields) -> Tokens:
    return Tokens(
        input=_count(fields.get("input_tokens")),
        output=_count(fields.get("output_tokens")),
        cache_read=_count(fields.get("cache_read_input_tokens")),
        cache_write=_count(fields.get("cache_creation_input_tokens")),
    )


def _count(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_TOKENS
    return value if is_count and isinstance(value, int) else 0


def _mappings(values: object) -> Iterator[Fields]:
    if isinstance(values, Sequence) and not isinstance(values, str):
        yield from (value for value in values if isinstance(value, Mapping))
