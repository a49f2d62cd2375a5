# SPDX-License-Identifier: GPL-2.0-only
"""How tools/run_tests.py counts the package's life in QEMU, which not every machine can play."""

from pathlib import Path

import pytest
import run_tests
from junit import Tally


def _ended(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tally:
    tool = tmp_path / "tools" / "try-boot"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    monkeypatch.setattr(run_tests, "BUILD", tmp_path)
    return run_tests.booted_package()


def test_it_is_skipped_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "echo 'penstock: no mirror' >&2; exit 69"
    tally = _ended(script, tmp_path, monkeypatch)
    assert dict(tally.skips) == {"no mirror: the package in QEMU": 1}
    assert not tally.passed
    assert not tally.failed


@pytest.mark.parametrize("script", ["echo what; exit 1", "exit 70"])
def test_it_fails(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ended(script, tmp_path, monkeypatch).failed == ["tools/try-boot"]


def test_it_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ended("echo whole", tmp_path, monkeypatch).passed == 1
