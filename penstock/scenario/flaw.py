# SPDX-License-Identifier: GPL-2.0-only
"""What a check finds wrong with a scenario: where, and what would be right."""

from collections.abc import Iterator

from penstock.errors import near
from penstock.scenario.locate import Path

Flaw = tuple[Path, str]


def unknown(path: Path, name: str, known: list[str], what: str) -> Iterator[Flaw]:
    """A flaw if the name is none of those that are known."""
    if name not in known:
        yield path, f"there is no {what} {name!r}; {near(name, known)}"
