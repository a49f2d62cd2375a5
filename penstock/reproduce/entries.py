# SPDX-License-Identifier: GPL-2.0-only
"""One statement of a paper beside our result, for the table, the page and -j."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

AGREES: Final = "agrees"
DIFFERS: Final = "differs"
CANNOT_TELL: Final = "cannot tell"  # chance could have decided: too few seeds
NOT_RUN: Final = "not run"
NOT_STATED: Final = "not stated"  # the paper leaves it open


@dataclass(frozen=True)
class Entry:
    """A statement. `receivers` is the receive window of our runs, '' where there is none."""

    part: str
    figure: str
    what: str
    receivers: str
    paper: str
    ours: str
    verdict: str
    source: str


def verdict(holds: bool) -> str:
    """The verdict on a checked statement."""
    return AGREES if holds else DIFFERS


def tally(entries: Iterable[Entry]) -> dict[str, int]:
    """The number of statements by verdict."""
    found = {AGREES: 0, DIFFERS: 0, CANNOT_TELL: 0, NOT_RUN: 0, NOT_STATED: 0}
    for entry in entries:
        found[entry.verdict] += 1
    return found
