"""Reading what the provider sends back: events of a stream or a whole message, believed as little as possible.

Fields are read from plain mappings, because the SDK does not check them: a wrong type makes the transcript
malformed and never raises.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.llm.model import Answered, Malformed, Outcome, Refused, Truncated
from app.llm.prompts import CHARACTERS_PER_TOKEN, MOST_CHARACTERS_PER_TOKEN
from app.llm.reported import (
    Fields,
    counts_input,
    is_free,
    is_model_name,
    join_reported,
    list_mappings,
    read_reported,
)
from app.llm.usage import Tokens, Usage

_MOST_CHARACTERS = 2_000_000


@dataclass(slots=True)
class Transcript:
    """One try, as far as it has come. `model` is the one that is asked.

    `presumed_input` is charged where the provider never says what it counted, and with `most_output` where what it
    says cannot be read. It cannot say less than `least_input`, of it `least_fresh` not read from a cache, nor less
    output than its text has: where it does, what was presumed or seen is charged. `is_sent` turns true when the
    request may have reached the provider.
    """

    model: str
    presumed_input: int
    most_output: int = 0
    least_input: int = 0
    least_fresh: int = 0
    is_sent: bool = False
    is_whole: bool = False
    fault: str | None = None
    _has_begun: bool = False
    _has_ended: bool = False
    _speaker: str | None = None
    _reported: dict[str, object] = field(default_factory=dict)
    _texts: list[str] = field(default_factory=list)
    _says_free: bool = False
    _length: int = 0
    _stop_reason: str | None = None
    _category: str | None = None
    _blocks: int = 0
    _open_block: int | None = None

    def take_message(self, message: object) -> None:
        """Read a whole message."""
        if not isinstance(message, Mapping) or message.get("type") != "message":
            self.fault = "not_a_message"
            return
        self._begin(message)
        self._stop(message)
        for block in list_mappings(message.get("content")):
            if block.get("type") == "text":
                self._add_text(block.get("text"))
        self.is_whole = True

    def take_event(self, event: object) -> None:
        """Read one event of a stream; unknown ones say nothing to us, and none comes out of its turn."""
        if not isinstance(event, Mapping):
            self.fault = "not_an_event"
            return
        match event.get("type"):
            case "message_start" if not self._has_begun:
                self._has_begun = True
                message = event.get("message")
                if isinstance(message, Mapping):
                    self._begin(message)
                else:
                    self.fault = "not_a_message"
            case "content_block_start" | "content_block_delta" | "content_block_stop" as kind if (
                self._has_begun
            ):
                self._take_block(kind, event)
            case "message_delta" if self._has_begun:
                self._note_usage(event.get("usage"))
                delta = event.get("delta")
                if isinstance(delta, Mapping):
                    self._stop(delta)
                self._has_ended = True
            case "message_stop" if self._has_ended and self._open_block is None:
                self.is_whole = True
            case (
                "message_start"
                | "content_block_start"
                | "content_block_delta"
                | "content_block_stop"
                | "message_delta"
                | "message_stop"
            ):
                self.fault = "order"

    def _take_block(self, kind: str, event: Fields) -> None:
        """Read a block's event; blocks come one after the other, each under the next number."""
        index = event.get("index")
        if kind == "content_block_start":
            if self._open_block is not None or index != self._blocks or isinstance(index, bool):
                self.fault = "order"
            self._open_block, self._blocks = self._blocks, self._blocks + 1
            return
        if self._open_block is None or index != self._open_block or isinstance(index, bool):
            self.fault = "order"
            return
        if kind == "content_block_stop":
            self._open_block = None
            return
        delta = event.get("delta")
        if isinstance(delta, Mapping) and delta.get("type") == "text_delta":
            self._add_text(delta.get("text"))

    def conclude(self) -> Outcome:
        """Return how a whole transcript ended, with the usage of this try."""
        usage, text = self.usage(), "".join(self._texts)
        if self.fault is not None:
            return Malformed(self.fault, usage)
        if usage.is_estimated:
            return Malformed("usage", usage)
        match self._stop_reason:
            case "refusal":
                return Refused(self._category, usage)
            case "max_tokens":
                return Truncated("max_output_tokens", usage)
            case "model_context_window_exceeded":
                return Truncated("context_window", usage)
            case "end_turn" | "stop_sequence":
                return (
                    Answered(text, self._speaker or self.model, usage) if text else Malformed("empty", usage)
                )
            case _:
                # A tool or a pause was not on offer, and a missing reason is no end.
                return Malformed("stop_reason", usage)

    def usage(self) -> Usage:
        """Return what this try has used as far as anybody knows: as reported, and no less than we know of."""
        if not self._reported and not self.is_whole and self.fault is None:
            return self._presume(self._seen_output()) if self.is_sent else Usage()
        by_model = self._read_reported()
        if by_model is None:
            return self._presume(self.most_output)
        if self._is_unpaid():
            return Usage({self._speaker or self.model: Tokens()}, turns=1)
        speaker = self._speaker or self.model
        missing = self._find_missing(sum(by_model.values(), Tokens()))
        by_model[speaker] = by_model.get(speaker, Tokens()) + missing
        return Usage(by_model, turns=1, is_estimated=not self.is_whole)

    def _find_missing(self, total: Tokens) -> Tokens:
        """Return what was used beyond what was reported, as far as we know ourselves."""
        least, seen = self._length // MOST_CHARACTERS_PER_TOKEN, self._seen_output()
        # The count of a stream that was cut is that of its beginning.
        output = seen if total.output < least or not self.is_whole else 0
        input_, fresh = 0, total.input + total.cache_write
        if fresh < self.least_fresh:
            input_ = self.presumed_input - fresh
        elif total.all_input < self.least_input:
            input_ = self.presumed_input - total.all_input
        return Tokens(input=max(0, input_), output=max(0, output - total.output))

    def _begin(self, message: Fields) -> None:
        if isinstance(model := message.get("model"), str) and is_model_name(model):
            self._speaker = model
        else:
            self.fault = self.fault or "model"
        self._note_usage(message.get("usage"))

    def _note_usage(self, usage: object) -> None:
        """Keep the newest count of each kind: those of a stream are cumulative."""
        if not isinstance(usage, Mapping):
            self.fault = self.fault or "no_usage"
            return
        self._says_free = is_free(usage)
        join_reported(self._reported, usage)

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

    def _presume(self, output: int) -> Usage:
        presumed = Tokens(input=self.presumed_input, output=output)
        return Usage({self.model: presumed}, turns=1, is_estimated=True)

    def _read_reported(self) -> dict[str, Tokens] | None:
        """Return what was reported; None where it cannot be read, says not by whom, or that an answer was free."""
        if self._speaker is None:
            return None
        by_model = read_reported(self._reported, self._speaker)
        if self._says_free and not self._is_unpaid():
            return None
        return by_model

    def _is_unpaid(self) -> bool:
        """Say whether it is one that may cost nothing: a refusal before any word and any counted input."""
        is_refusal = self.is_whole and self._stop_reason == "refusal" and not self._length
        return is_refusal and self._says_free and not counts_input(self._reported)
