# SPDX-License-Identifier: GPL-2.0-only
"""What a plan will cost, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from penstock.cli import screen

if TYPE_CHECKING:
    from penstock.runs.estimate import Estimate

_UNITS: Final = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))
_PREFIXES: Final = ((1e9, " billion"), (1e6, " million"), (1e3, " thousand"))
_PRECISE_BELOW: Final = 10


def _number(value: float) -> str:
    return f"{value:.1f}" if value < _PRECISE_BELOW else f"{value:.0f}"


def duration(seconds: float) -> str:
    """'3.2 minutes'."""
    size, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return f"{_number(seconds / size)} {unit}"


def _many(count: float) -> str:
    size, name = next((each for each in _PREFIXES if count >= each[0]), (1.0, ""))
    return (_number(count / size) if name else f"{count:.0f}") + name


def _workers(cost: Estimate) -> str:
    return f"{cost.workers} worker{'s' if cost.workers != 1 else ''}"


def show(cost: Estimate, as_json: bool, adds_seeds: bool) -> None:
    """The plan, for --plan."""
    if as_json:
        print(json.dumps(cost.describe()))
        return
    about = "at most" if cost.at_most else "about"
    least = "at least " if adds_seeds else ""
    stored = f", {cost.stored} of them finished" if cost.stored else ""
    print(f"runs            {least}{cost.runs:,}{stored}")
    print(f"segments        {about} {_many(cost.segments)}")
    each = f"{cost.ns_per_segment / 1e3:.2g} µs per segment"
    print(f"processor time  {about} {duration(cost.processor_s)} ({each})")
    print(f"elapsed time    {about} {duration(cost.elapsed_s)} with {_workers(cost)}")


def announce(cost: Estimate) -> None:
    """Says before a long run how long it is."""
    from penstock.runs.estimate import LONG_S

    if cost.elapsed_s < LONG_S:
        return
    about = "at most" if cost.at_most else "about"
    screen.say(
        f"{cost.runs - cost.stored:,} runs: {about} {duration(cost.processor_s)} of processor "
        f"time, {duration(cost.elapsed_s)} with {_workers(cost)}"
    )
