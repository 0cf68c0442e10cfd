"""What full-text search reads of a position: the statement and every name. Pure."""

from collections.abc import Sequence

from app.ledger.predicates.phrases import negated_statement, statement
from app.ledger.vocabulary import Polarity, Predicate


def write_document(
    subject_names: Sequence[str], predicate: Predicate, object_names: Sequence[str], *, polarity: Polarity
) -> str:
    """Return one line for the statement, then one for each name; the first names are the ones in use."""
    state = statement if polarity == "+" else negated_statement
    sentence = state(subject_names[0], predicate.verb_phrase, object_names[0])
    return "\n".join((sentence, *subject_names, *object_names))
