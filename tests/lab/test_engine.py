# SPDX-License-Identifier: GPL-2.0-only
"""What tells results of two builds apart: the sources, not how they were compiled."""

import hashlib
from pathlib import Path

import pytest

from penstock import _native
from penstock.runs import backends
from penstock.runs.backends import rows


def test_the_engine_is_called_by_its_sources() -> None:
    """The digest of cmake/SourcesDigest.cmake, computed again."""
    root = Path(__file__).parents[2]
    names = sorted(
        path.relative_to(root).as_posix()
        for folder, pattern in (("core", "*.[ch]"), ("sim", "*.h"), ("sim", "*.cpp"))
        for path in (root / folder).rglob(pattern)
    )
    digests = (f"{name} {hashlib.sha256((root / name).read_bytes()).hexdigest()}" for name in names)
    text = "".join(f"{line}\n" for line in digests)
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == _native.SOURCES
    assert backends.get("sim").engine.endswith(f" {_native.SOURCES} {rows.digest()}")


def test_python_that_decides_numbers_tells_builds_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    read_bytes = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.append(path.name)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    digests = {rows.digest.__wrapped__()}
    for text in ("a = 1", "a = 2"):
        (tmp_path / "own.py").write_text(text)
        digests.add(rows.digest.__wrapped__(tmp_path))
    assert len(digests) == 3
    assert {"build.py", "cells.py", "sim.py", "rows.py", "metrics.py", "completions.py"} <= {*read}
