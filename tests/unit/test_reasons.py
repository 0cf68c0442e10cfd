"""A reason is stored with an event for good, so its secrets are masked where it comes in."""

from pydantic import TypeAdapter

from app.api.wire.shapes import Reason


def test_secret_in_a_reason_is_masked_in_place() -> None:
    reason = TypeAdapter(Reason).validate_python("wrong, see aws_access_key_id = AKIAIOSFODNN7EXAMPLE")
    assert "AKIAIOSFODNN7EXAMPLE" not in reason
    assert len(reason) == len("wrong, see aws_access_key_id = AKIAIOSFODNN7EXAMPLE")
    assert reason.startswith("wrong, see ")
