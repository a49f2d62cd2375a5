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
RESOLUTION: Final = 0.1  # of a value: an interval that is wider decides nothing


@dataclass(frozen=True)
class Entry:
    """A statement. `receivers` is the receive window of our runs, '' where there is none.

    `ratio`: ours over the paper's, of the part that is furthest off; `within`: what counts as
    equal; `by`: how far ours is off; `needed`: how many seeds would tell where these do not.
    `zero`: the paper's figure is 0, as that of what never happens, which proves less.
    """

    part: str
    figure: str
    what: str
    receivers: str
    paper: str
    ours: str
    verdict: str
    source: str
    ratio: float | None = None
    within: str = ""
    by: str = ""
    seeds: int = 0
    needed: int | None = None
    zero: bool = False

    @property
    def is_near(self) -> bool:
        """A level that differs, by no more than RESOLUTION."""
        near = self.ratio is not None and abs(self.ratio - 1) <= RESOLUTION
        return near and self.verdict == DIFFERS

    @property
    def verdict_text(self) -> str:
        """The verdict in words, with its size or what it lacks."""
        if self.verdict == DIFFERS and self.by:
            return f"{DIFFERS} by {self.by}"
        if self.verdict == CANNOT_TELL and self.seeds:
            few = f"{CANNOT_TELL} with {self.seeds} seed{'s' if self.seeds > 1 else ''}"
            return few + (f"; {self.needed:,} would tell" if self.needed else "")
        return self.verdict


def verdict(holds: bool) -> str:
    """The verdict on a checked statement."""
    return AGREES if holds else DIFFERS


def tally(entries: Iterable[Entry]) -> dict[str, int]:
    """The number of statements by verdict."""
    found = {AGREES: 0, DIFFERS: 0, CANNOT_TELL: 0, NOT_RUN: 0, NOT_STATED: 0}
    for entry in entries:
        found[entry.verdict] += 1
    return found


def counts(entries: Iterable[Entry]) -> dict[str, int]:
    """The same by names for programs, zeros apart; the last line of `penstock reproduce -j`."""
    every = list(entries)
    names = {AGREES: "agree", DIFFERS: "differ"}
    rest = tally(entry for entry in every if not entry.zero)
    zeros = tally(entry for entry in every if entry.zero)
    return {
        **{names.get(name, name.replace(" ", "_")): number for name, number in rest.items()},
        **{f"zeros_{names[name]}": zeros[name] for name in names},
        "zeros_open": zeros[CANNOT_TELL] + zeros[NOT_RUN],
        "near": sum(entry.is_near for entry in every),
    }
