"""What the doctor says about sound and about broken installations."""

import os
from pathlib import Path

import pytest

from app.postgres.doctor import Finding, diagnose, examine_shared_memory
from app.postgres.server import start

CHECKS = [
    "binaries",
    "data path",
    "version",
    "account",
    "folder",
    "socket",
    "disk",
    "shared memory",
    "running",
]


def faults_of(findings: list[Finding]) -> dict[str, Finding]:
    faults = {finding.check: finding for finding in findings if not finding.ok}
    assert all(fault.detail and fault.remedy for fault in faults.values())
    return faults


def test_a_sound_machine_has_no_fault_before_while_and_after_a_server_runs(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    findings = diagnose(data_dir, os.environ)
    assert [finding.check for finding in findings] == CHECKS
    assert faults_of(findings) == {}
    assert not data_dir.exists()
    with start(data_dir, durable=False) as server:
        findings = diagnose(data_dir, os.environ)
        assert faults_of(findings) == {}
        assert str(server.pid) in findings[-1].detail
    assert faults_of(diagnose(data_dir, os.environ)) == {}


def test_missing_binaries_are_a_fault_and_the_rest_is_still_looked_at(tmp_path: Path) -> None:
    findings = diagnose(tmp_path / "data", {"DENSEMEM_POSTGRES_BIN": str(tmp_path)})
    assert list(faults_of(findings)) == ["binaries", "version", "account"]
    assert [finding.check for finding in findings] == CHECKS


def test_a_path_too_long_is_a_fault(tmp_path: Path) -> None:
    assert list(faults_of(diagnose(tmp_path / "/".join(["x" * 200] * 5), os.environ))) == ["data path"]


def test_a_cluster_of_another_version_and_with_an_open_mode_are_faults(tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir(mode=0o755)
    (tmp_path / "cluster" / "PG_VERSION").write_text("9\n")
    faults = faults_of(diagnose(tmp_path, os.environ))
    assert list(faults) == ["version", "folder"]
    assert "chmod 0700" in faults["folder"].remedy


def test_a_data_folder_that_is_a_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert "folder" in faults_of(diagnose(tmp_path / "data", os.environ))


def test_a_missing_folder_for_shared_memory_is_a_fault_on_linux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.postgres.doctor.sys.platform", "linux")
    assert not examine_shared_memory(tmp_path / "missing").ok
    monkeypatch.setattr("app.postgres.doctor.sys.platform", "darwin")
    assert examine_shared_memory(tmp_path / "missing").ok
