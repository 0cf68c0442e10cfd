"""Playing the model that dreams: what it was shown, and answers in the form that it is asked for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """The document that a request holds."""

    document: Mapping[str, Any]

    @property
    def request(self) -> str:
        return str(self.document["request"])

    @property
    def names(self) -> dict[str, str]:
        return {reference: name for reference, _, name in self.document["nodes"]}

    @property
    def groups(self) -> list[Fields]:
        return list(self.document["groups"])

    def reference_of(self, label: str) -> str:
        """Return the reference of the predicate with this label."""
        return next(str(row["ref"]) for row in self.document["predicates"] if row["label"] == label)

    def idea(self, group: Fields, label: str, /, **changes: object) -> Fields:
        """Return a sound idea about the group in its first open direction, with these fields changed."""
        subject, _, object_ = group["open"][0]
        known = {row[0] for row in self.document["paths"] if row[4] == "known"}
        return {
            "group": group["ref"],
            "subject": subject,
            "predicate": self.reference_of(label),
            "object": object_,
            "paths": [path for path in group["paths"] if path in known],
            "statement": f"{self.names[subject]} may go with {self.names[object_]}.",
            "rationale": "What is recorded about both suggests it.",
            "likelihood": 0.6,
            "confidence": 0.5,
            **changes,
        }

    def answer(self, *ideas: object, **changes: object) -> str:
        return json.dumps({"request": self.request, "ideas": list(ideas), **changes})


def read_shown(text: str) -> Shown:
    """Return what the first message of a request shows."""
    opening, document, closing = text.split("\n")
    assert (opening, closing) == ("<data>", "</data>")
    return Shown(json.loads(document))
