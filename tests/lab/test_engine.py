# SPDX-License-Identifier: GPL-2.0-only
"""What tells results of two builds apart: the sources, not how they were compiled."""

import hashlib
from pathlib import Path

from penstock import _native
from penstock.runs import backends


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
    assert backends.get("sim").engine.endswith(f" {_native.SOURCES}")
