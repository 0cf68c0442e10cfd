"""What `doctor` says of the provider, without spending anything."""

import json

import pytest

from app.kernel.settings import Settings
from app.llm.doctor import diagnose_provider
from tests.provider_server.replies import HANGS, Reply
from tests.provider_server.server import KEY, KNOWN_MODEL, provider


def settings_for(url: str, model: str = "claude-opus-5-5") -> Settings:
    fields = {"anthropic_base_url": url, "dreamer_model": model, "verifier_model": model}
    return Settings.model_validate(fields)


async def test_no_key_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY_FILE", raising=False)
    [finding] = await diagnose_provider(Settings())
    assert finding.ok
    assert "rules" in finding.detail


async def test_a_key_file_that_cannot_be_read_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY_FILE", "/nowhere/key")
    [finding] = await diagnose_provider(Settings())
    assert not finding.ok
    assert finding.remedy


async def test_a_setup_that_allows_no_connection_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:PORT")
    [fault] = [finding for finding in await diagnose_provider(Settings()) if not finding.ok]
    assert (fault.check, "cannot be asked" in fault.detail) == ("provider", True)
    assert "ANTHROPIC_BASE_URL" in fault.remedy


async def test_a_good_key_and_model_are_seen_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with provider() as server:
        findings = await diagnose_provider(settings_for(server.url))
        assert [(finding.check, finding.ok) for finding in findings] == [
            ("anthropic key", True),
            ("model claude-opus-5-5", True),
            ("prices", True),
        ]
        assert {request.method for request in server.requests} == {"GET"}
        assert all(KEY not in f"{finding}" for finding in findings)


async def test_a_refused_key_an_unknown_and_a_retired_model_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with provider() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-wrong-0123456789")
        refused = await diagnose_provider(settings_for(server.url))
        assert [finding.check for finding in refused if not finding.ok] == ["provider"]
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        unknown = await diagnose_provider(settings_for(server.url, "claude-nobody-1"))
        assert [finding.detail for finding in unknown if not finding.ok] == ["not known to the provider"]
        server.model = {**KNOWN_MODEL, "lifecycle": "retired"}
        retired = await diagnose_provider(settings_for(server.url))
        assert [finding.detail for finding in retired if not finding.ok] == ["retired"]


@pytest.mark.parametrize(
    ("body", "check"),
    [
        (b"<html>Sign in</html>", "provider"),
        (b"[1]", "model claude-opus-5-5"),
        (b"{", "provider"),
        (b"[" * 100_000, "provider"),
        (json.dumps({**KNOWN_MODEL, "type": "page"}).encode(), "model claude-opus-5-5"),
    ],
)
async def test_an_answer_that_is_no_model_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, body: bytes, check: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with provider() as server:
        server.model = Reply(body=body)
        findings = await diagnose_provider(settings_for(server.url))
        assert [finding.check for finding in findings if not finding.ok] == [check]


async def test_only_a_word_of_the_providers_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with provider() as server:
        server.model = {**KNOWN_MODEL, "lifecycle": f"\x1b[2J{KEY}"}
        findings = await diagnose_provider(settings_for(server.url))
        assert all("\x1b" not in finding.detail and KEY not in finding.detail for finding in findings)


async def test_a_silent_provider_is_a_fault_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr("app.llm.doctor.CHECK_SECONDS", 0.2)
    async with provider() as server:
        server.model = HANGS
        findings = await diagnose_provider(settings_for(server.url))
        assert [finding.check for finding in findings if not finding.ok] == ["provider"]
