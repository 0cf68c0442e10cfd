"""What `dream show` prints of a Hypothesis, and `recall` of an answer."""

import pytest

from app.cli.output import Json
from app.cli.remote import print_dream, print_recall

PATH: Json = {"rule": "X uses Y → X depends_on Y", "support": 2, "body": 3, "share": 1.0}
OUTCOME: Json = {
    "proposal_id": "p1",
    "category": "relationship_pending_evidence",
    "reason": "hedged",
    "message": "The sentence is hedged.",
    "review_id": None,
    "predicate_options": [],
}
DREAM: Json = {
    "statement": "Django may depend on asgiref.",
    "status": "submitted",
    "likelihood": 0.25,
    "confidence": 2 / 7,
    "rationale": "Django uses asgiref.",
    "explanation": {
        "paths": [PATH],
        "premises": [{"statement": "Django uses asgiref.", "relationship_id": "rel_1"}],
    },
    "is_current": False,
    "not_current_because": [{"message": "It is submitted."}],
    "events": [{"created_at": "then", "event": "accepted", "to_status": "proposed", "reason": None}],
    "submissions": [
        {
            "decision": "confirm_true",
            "ingest_id": "ing_1",
            "processing_state": "completed",
            "relationship_outcomes": [
                OUTCOME,
                OUTCOME | {"category": None, "reason": None, "message": None, "review_id": "rev_1"},
            ],
        }
    ],
}


def test_a_dream_is_shown_with_its_numbers_and_where_its_confirmations_landed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_dream(DREAM)
    assert capsys.readouterr().out.splitlines() == [
        "Django may depend on asgiref.",
        "  submitted, likelihood 0.25, confidence 0.29",
        "  Django uses asgiref.",
        "  100% of it: X uses Y → X depends_on Y",
        "      known of 2 of the 3 that it speaks for, this one among them",
        "      Django uses asgiref.  rel_1",
        "  Not current: It is submitted.",
        "  then accepted → proposed",
        "  confirm_true as ing_1: completed",
        "      p1: relationship_pending_evidence (hedged) The sentence is hedged.",
        "      p1: –",
        "          rev_1",
    ]


KNOWN: Json = {
    "statement": "Flask depends on Werkzeug.",
    "tier": "validated_claim",
    "equivalent_relationship_ids": [],
}
CONFLICT: Json = {
    "conflict_id": "con_1",
    "kind": "opposite_polarity",
    "status": "open",
    "preferred_position_id": None,
    "positions": [
        {"position_id": "pos_1", "statement": "Flask depends on Werkzeug."},
        {"position_id": "pos_2", "statement": "Flask does not depend on Werkzeug."},
    ],
}
GONE: Json = {
    "conflict_id": "con_2",
    "status": "resolved",
    "preferred_position_id": "pos_3",
    "positions": [
        {"position_id": "pos_3", "statement": "Flask is licensed under BSD."},
        {"position_id": "pos_4", "statement": None},
    ],
}
IDEA: Json = {"statement": "Flask may depend on Jinja2.", "likelihood": 0.5}


def test_what_a_recall_knows_comes_with_what_is_disputed_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_recall(
        {
            "results": [KNOWN, KNOWN | {"statement": "Flask does not depend on Werkzeug."}],
            "conflicts": [CONFLICT, GONE],
            "related_hypotheses": [IDEA],
            "degradations": [],
        }
    )
    assert capsys.readouterr().out.splitlines() == [
        "Known:",
        "  Flask depends on Werkzeug.  [validated_claim]",
        "  Flask does not depend on Werkzeug.  [validated_claim]",
        "Conflicts:",
        "  con_1, open:",
        "    Flask depends on Werkzeug.",
        "    Flask does not depend on Werkzeug.",
        "  con_2, resolved:",
        "    Flask is licensed under BSD.  [preferred]",
        "    Held by nobody any more.",
        "Ideas, not known:",
        "  Flask may depend on Jinja2.  [likelihood 0.50]",
    ]
