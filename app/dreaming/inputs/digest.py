"""The digest of everything that one assessment rests on: equal digests mean nothing new to assess. Pure."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from app.dreaming.model import Premise
from app.ledger.identity import digest
from app.ledger.vocabulary import Predicate

Bound = int | float | Decimal | str | bool | None


def digest_snapshot(
    premises: Iterable[Premise],
    predicates: Iterable[Predicate],
    *,
    generator_version: str,
    bounds: Mapping[str, Bound],
    closed: Iterable[str] = (),
) -> str:
    """Return 64 hexadecimal digits that do not depend on the order of anything given.

    Covered: group key, source ids and versions of each premise, and whether it is valid now (a state that
    ran out changes no version); key, version and lifecycle state of each predicate; the generator; the
    settings that bound the run; the target identities that are `closed`, because something that may not be read
    itself can close a target and open it again. Numbers that are equal count as equal, however they are written.
    Source: Design, section 6, "Nothing new to assess".

    Raises:
        ValueError: a bound is NaN or infinite, which no setting may be.
    """
    return digest(
        _digest_set(_digest_premise(premise) for premise in premises),
        _digest_set(
            digest(predicate.key, str(predicate.version), predicate.lifecycle_state)
            for predicate in predicates
        ),
        generator_version,
        _digest_set(digest(name, *_spell(bound)) for name, bound in bounds.items()),
        _digest_set(closed),
    )


def _digest_premise(premise: Premise) -> str:
    sources = _digest_set(digest(source.relationship_id, str(source.version)) for source in premise.sources)
    return digest(premise.group_key, sources, str(premise.is_valid_now))


def _digest_set(digests: Iterable[str]) -> str:
    return digest(*sorted(digests))


def _spell(bound: Bound) -> tuple[str, str]:
    if bound is None or isinstance(bound, bool | str):
        return type(bound).__name__, str(bound)
    number = Decimal(str(bound))
    if not number.is_finite():
        raise ValueError("a bound must be a finite number")
    # Adding 0 turns a negative zero into the positive one.
    return "number", format(number.normalize() + 0, "f")
