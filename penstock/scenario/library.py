# SPDX-License-Identifier: GPL-2.0-only
"""Where what comes with Penstock is: scenarios of its own, and papers."""

from pathlib import Path
from typing import Final

from penstock import version

PAPER: Final = "paper.toml"
EXPECTED: Final = "expected.toml"


def libraries() -> list[Path]:
    """The folders of scenarios and of papers."""
    package = version.PACKAGE
    root = package if (package / "scenarios").is_dir() else package.parent
    return [root / "scenarios", root / "papers"]


def papers(having: str = "") -> list[str]:
    """The names of the papers whose file has a word, found without reading more of them."""
    own, others = (
        sorted(
            file.parent.relative_to(library).as_posix().replace("/", "-")
            for file in library.rglob(PAPER)
            if having in file.read_text(encoding="utf-8")
        )
        for library in libraries()
    )
    return [*others, *own]
