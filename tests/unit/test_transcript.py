"""What a transcript believes: events in their turn, counts that are counts, no less than we know ourselves."""

import json
from collections.abc import Mapping, Sequence

import pytest

from app.llm.model import Answered, Malformed, Refused
from app.llm.transcript import Transcript
from app.llm.usage import Tokens, Usage
from tests.provider_server.replies import MODEL, Event, Said, events_of, message_of

TEXT = "0123456789abcdef" * 20
COUNTS = {"input_tokens": 120, "output_tokens": 70}
SAID = Said(text=TEXT, usage=COUNTS)
START, BLOCK, DELTA, *_, BLOCK_END, LAST, STOP = [one for one in events_of(SAID) if one[0] != "ping"]


def hear(events: Sequence[Event], *, least_input: int = 0) -> Transcript:
    heard = Transcript(MODEL, presumed_input=500, most_output=4_000, least_input=least_input, is_sent=True)
    for _, event in events:
        if heard.is_whole or heard.fault is not None:
            break
        heard.take_event(json.loads(json.dumps(event)))
    return heard


def report(usage: Mapping[str, object]) -> list[Event]:
    """Return the events of the answer with this usage at its end."""
    return [*events_of(SAID)[:-2], ("", {**LAST[1], "usage": usage}), STOP]


def read(usage: Mapping[str, object], *, least_input: int = 0) -> Transcript:
    heard = Transcript(MODEL, presumed_input=500, most_output=4_000, least_input=least_input, is_sent=True)
    heard.take_message(message_of(Said(text=TEXT, usage=usage)))
    return heard


OUT_OF_TURN: dict[str, list[Event]] = {
    "two beginnings": [
        START,
        ("", {**START[1], "message": {**message_of(SAID), "model": "claude-haiku-5-5"}}),
    ],
    "text before the beginning": [BLOCK, DELTA],
    "an end before the beginning": [LAST, STOP],
    "nothing but a stop": [STOP],
    "a stop without an end": [START, BLOCK, DELTA, BLOCK_END, STOP],
    "a stop before the end": [START, BLOCK, DELTA, BLOCK_END, STOP, LAST],
    "a stop inside a block": [START, BLOCK, DELTA, LAST, STOP],
    "text without a block": [START, DELTA],
    "text after its block": [START, BLOCK, BLOCK_END, DELTA],
    "a block inside a block": [START, BLOCK, ("", {**BLOCK[1], "index": 1})],
    "the same block again": [START, BLOCK, BLOCK_END, BLOCK],
    "a block beyond the next": [START, ("", {**BLOCK[1], "index": 5})],
    "text of another block": [START, BLOCK, ("", {**DELTA[1], "index": 1})],
    "text of a block below": [START, BLOCK, ("", {**DELTA[1], "index": -1})],
    "text of a block without end": [START, BLOCK, ("", {**DELTA[1], "index": 10**30})],
    "a block that is no number": [START, ("", {**BLOCK[1], "index": "0"})],
    "a block that is a truth": [START, ("", {**BLOCK[1], "index": False})],
    "a block that is a list": [START, ("", {**BLOCK[1], "index": [0]})],
    "the end of another block": [START, BLOCK, ("", {**BLOCK_END[1], "index": 1})],
}


@pytest.mark.parametrize("events", OUT_OF_TURN.values(), ids=OUT_OF_TURN)
def test_an_event_out_of_its_turn_is_malformed_and_is_paid_for(events: list[Event]) -> None:
    outcome = hear(events).conclude()
    assert isinstance(outcome, Malformed)
    assert outcome.what == "order"
    assert outcome.usage.is_estimated
    assert outcome.usage.tokens.input > 0
    assert [*outcome.usage.by_model] == [MODEL]


def test_what_comes_after_the_stop_is_not_heard() -> None:
    late = ("", {**LAST[1], "usage": {"input_tokens": 1, "output_tokens": 1}})
    outcome = hear([*events_of(SAID), late]).conclude()
    assert outcome == Answered(TEXT, MODEL, Usage({MODEL: Tokens(input=120, output=70)}, turns=1))


NO_COUNTS = ("120", "1e3", True, 12.0, 12.5, float("nan"), float("inf"), -1, 10**30, [120], {"n": 1}, "")


@pytest.mark.parametrize("count", NO_COUNTS, ids=repr)
@pytest.mark.parametrize("name", [*COUNTS, "cache_read_input_tokens", "cache_creation_input_tokens"])
def test_what_is_no_count_is_malformed_in_a_stream_as_in_a_message(name: str, count: object) -> None:
    usage = {**COUNTS, name: count}
    for heard in (read(usage), hear(report(usage)), hear(events_of(Said(text=TEXT, usage=usage)))):
        outcome = heard.conclude()
        assert isinstance(outcome, Malformed)
        assert outcome.usage == Usage({MODEL: Tokens(input=500, output=4_000)}, turns=1, is_estimated=True)


def test_what_was_no_count_is_not_mended_by_the_next_event() -> None:
    events = events_of(Said(text=TEXT, usage={**COUNTS, "input_tokens": "120"}))
    outcome = hear([*events[:-2], ("", {**LAST[1], "usage": COUNTS}), STOP]).conclude()
    assert isinstance(outcome, Malformed)


def test_counts_of_a_stream_never_fall() -> None:
    heard = hear(report({"input_tokens": 3, "output_tokens": 70}))
    assert heard.conclude() == Answered(TEXT, MODEL, Usage({MODEL: Tokens(input=120, output=70)}, turns=1))
    outcome = hear(report({"input_tokens": 0, "output_tokens": 0})).conclude()
    assert isinstance(outcome, Malformed), "an answer is never free, whatever was said before"


@pytest.mark.parametrize(
    "usage", [{"input_tokens": 1, "output_tokens": 1}, {"input_tokens": 0, "output_tokens": 1}]
)
def test_an_answer_that_says_less_than_its_question_and_its_text_have_is_charged_what_was_seen(
    usage: Mapping[str, int],
) -> None:
    seen = Tokens(input=500, output=len(TEXT) // 3)
    assert read(usage, least_input=90).usage() == Usage({MODEL: seen}, turns=1)
    heard = hear(events_of(Said(text=TEXT, usage=usage)), least_input=90)
    assert heard.usage() == Usage({MODEL: seen}, turns=1)


def test_an_answer_that_can_be_right_is_charged_what_it_says() -> None:
    usage = {"input_tokens": 90, "output_tokens": len(TEXT) // 8}
    said = Tokens(input=90, output=len(TEXT) // 8)
    assert read(usage, least_input=90).usage() == Usage({MODEL: said}, turns=1)


HOPS = [
    {"type": "message", "model": MODEL, "input_tokens": 120, "output_tokens": 60},
    {"type": "fallback_message", "model": "claude-opus-4-8", "input_tokens": 120, "output_tokens": 70},
]


@pytest.mark.parametrize(
    "later",
    [
        [],
        None,
        "none",
        HOPS[:1],
        [{**hop, "output_tokens": 1} for hop in HOPS],
        [{**hop, "input_tokens": 0} for hop in HOPS],
    ],
    ids=repr,
)
def test_hops_of_a_stream_never_go_away_and_their_counts_never_fall(later: object) -> None:
    begun = [("", {**START[1], "message": {**message_of(SAID), "usage": {**COUNTS, "iterations": HOPS}}})]
    heard = hear(
        [*begun, BLOCK, DELTA, BLOCK_END, ("", {**LAST[1], "usage": {**COUNTS, "iterations": later}}), STOP]
    )
    assert heard.usage().by_model == {MODEL: Tokens(120, 60), "claude-opus-4-8": Tokens(120, 70)}


def test_what_was_read_from_a_cache_is_input_as_well() -> None:
    usage = {"input_tokens": 1, "output_tokens": 70, "cache_read_input_tokens": 100}
    tokens = Tokens(input=1, output=70, cache_read=100)
    assert read(usage, least_input=90).usage() == Usage({MODEL: tokens}, turns=1)


def test_what_was_never_cached_cannot_have_been_read_from_a_cache() -> None:
    heard = Transcript(MODEL, presumed_input=500, least_input=90, least_fresh=60, is_sent=True)
    usage = {"input_tokens": 1, "output_tokens": 70, "cache_read_input_tokens": 100}
    heard.take_message(message_of(Said(text=TEXT, usage=usage)))
    assert heard.usage() == Usage({MODEL: Tokens(input=500, output=70, cache_read=100)}, turns=1)


def test_only_a_refusal_before_any_word_is_free() -> None:
    free = {"input_tokens": 0, "output_tokens": 0}
    for text, is_free in (("", True), ("words", False)):
        heard = Transcript(MODEL, presumed_input=500, most_output=4_000, least_input=90, is_sent=True)
        heard.take_message(message_of(Said(text=text, stop_reason="refusal", usage=free)))
        assert isinstance(heard.conclude(), Refused) is is_free
        assert (heard.usage().tokens == Tokens()) is is_free


def test_a_refusal_whose_input_was_counted_before_is_not_free() -> None:
    events = events_of(Said(text="", stop_reason="refusal", usage=COUNTS))
    last = {**dict(events[-2][1]), "usage": {"input_tokens": 0, "output_tokens": 0}}
    outcome = hear([*events[:-2], ("", last), STOP]).conclude()
    assert isinstance(outcome, Malformed)
    assert outcome.usage.is_estimated
