"""The sentence form: one sentence that states the claim, or denies it, with nothing that takes it back.

Pure. All readings of a sentence are tried: every occurrence of the names and every form of the predicate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.ledger.nodes.values import spellings
from app.ledger.vocabulary import Predicate
from app.remember.claim import Claim
from app.remember.lexical import words
from app.remember.lexical.clause import is_harmless_gap, read_clause_start
from app.remember.lexical.cues import find_cue
from app.remember.lexical.forms import Form, predicate_forms
from app.remember.lexical.mentions import Range, find_mentions
from app.remember.lexical.names import usable_names
from app.remember.lexical.tail import GapKind, is_harmless_tail, read_right_gap
from app.remember.lexical.tokens import Token, name_tokens

MAX_SENTENCE_TOKENS: Final = 200
MAX_GAP_TOKENS: Final = 24
MAX_INNER_ADVERBS: Final = 2

# "does not depend on it anymore" denies no less than without the last word.
_PARTS_OF_DENIALS = frozenset({"anymore", "longer"})


@dataclass(frozen=True, slots=True)
class Reading:
    """One recognised reading of a sentence.

    `denies`: the sentence denies the claim. `cue`: the code of what takes the reading back, None if
    nothing does. `is_cited`: all that the reading rests on lies inside the spans; for a denial the names
    do.
    """

    denies: bool
    cue: str | None
    gap: GapKind
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Wording:
    """The words to look for: folded tokens of the names on both sides, and the predicate's forms."""

    subjects: tuple[tuple[str, ...], ...]
    objects: tuple[tuple[str, ...], ...]
    forms: tuple[Form, ...]
    is_value: bool
    is_event: bool


def word_claim(claim: Claim) -> Wording:
    """Return the words that a sentence must hold to state the claim."""
    object_names = spellings(claim.value) if claim.value is not None else claim.object_names
    forms = claim_forms(claim.predicate, claim.inverse, is_value=claim.value is not None)
    verbs = frozenset(form.words[0] for form in forms)
    return Wording(
        subjects=usable_names(claim.subject_names, verbs),
        objects=usable_names(object_names, verbs) if claim.value is None else _distinct(object_names),
        forms=forms,
        is_value=claim.value is not None,
        is_event=claim.predicate.relationship_kind == "event",
    )


@lru_cache(maxsize=1024)
def claim_forms(predicate: Predicate, inverse: Predicate | None, *, is_value: bool) -> tuple[Form, ...]:
    """Return the forms of the predicate, of its inverse turned round, and both ways for a symmetric one."""
    forms = list(predicate_forms(predicate))
    if inverse is not None and inverse.key != predicate.key:
        forms += [_turned(form) for form in predicate_forms(inverse)]
    if predicate.symmetric:
        forms += [_turned(form) for form in forms]
    if is_value:
        forms = [form for form in forms if not form.reversed]
    return tuple(dict.fromkeys(forms))


def read_sentence(wording: Wording, tokens: Sequence[Token], cited: Sequence[bool]) -> Iterator[Reading]:
    """Yield every recognised reading of the sentence. `cited[i]` says whether token i lies inside a span.

    A sentence of more than 200 tokens has none: nobody writes it, and trying every reading would take too long.
    """
    if len(tokens) > MAX_SENTENCE_TOKENS:
        return
    folded = tuple(token.folded for token in tokens)
    subjects = find_mentions(folded, wording.subjects)
    objects = find_mentions(folded, wording.objects)
    if not subjects or not objects:
        return
    for form in wording.forms:
        lefts, rights = (objects, subjects) if form.reversed else (subjects, objects)
        for start, form_words in find_form(folded, form):
            for left in lefts:
                if not 0 <= start - left[1] <= MAX_GAP_TOKENS:
                    continue
                for right in rights:
                    if 0 <= right[0] - (form_words[-1] + 1) <= MAX_GAP_TOKENS:
                        reading = _read(wording, tokens, cited, form, form_words, left, right)
                        if reading is not None:
                            yield reading


def find_form(folded: Sequence[str], form: Form) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield where the form stands: its first token and all its tokens, adverbs between them skipped."""
    adverbs = words.NEGATION_ADVERBS if form.negated else words.ADVERBS
    for start, word in enumerate(folded):
        if word != form.words[0]:
            continue
        positions = [start]
        for wanted in form.words[1:]:
            position = positions[-1] + 1
            limit = position + MAX_INNER_ADVERBS
            while (
                position < min(limit, len(folded))
                and folded[position] != wanted
                and folded[position] in adverbs
            ):
                position += 1
            if position >= len(folded) or folded[position] != wanted:
                break
            positions.append(position)
        else:
            yield start, tuple(positions)


def _read(
    wording: Wording,
    tokens: Sequence[Token],
    cited: Sequence[bool],
    form: Form,
    form_words: tuple[int, ...],
    left: Range,
    right: Range,
) -> Reading | None:
    start, end = form_words[0], form_words[-1] + 1
    # In a headline any word may have its capital, so capitals would prove no name.
    if not tokens[start].text.islower():
        return None
    opening = read_clause_start(tokens, left[0], number=form.number)
    if opening is None or (opening == "denied" and form.negated):
        return None
    denies = opening == "denied" or form.negated
    if not is_harmless_gap(tokens, left[0], left[1], start, number=form.number, negated=denies):
        return None
    gap = read_right_gap(
        tokens, end, right[0], last_word=form.words[-1], is_value=wording.is_value, denied=denies
    )
    if gap is None or not is_harmless_tail(
        tokens,
        right[0],
        right[1],
        denied=denies,
        relative=start > left[1] and tokens[start - 1].folded in ("which", "who"),
        is_event=wording.is_event,
        is_value=wording.is_value,
    ):
        return None
    names = {*range(*left), *range(*right)}
    matched = names | set(range(start, end)) | (set(range(left[0])) if opening == "denied" else set())
    cue = find_cue(
        (
            token
            for index, token in enumerate(tokens)
            if index not in matched and not (denies and token.folded in _PARTS_OF_DENIALS)
        ),
        sentence_start=tokens[0].start,
        name_tokens=(tokens[index] for index in sorted(names)),
    )
    return Reading(denies, cue, gap, all(cited[index] for index in names | set(form_words)))


def _turned(form: Form) -> Form:
    return Form(form.words, not form.reversed, form.negated, form.number)


def _distinct(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(tokens for name in names if (tokens := name_tokens(name))))
