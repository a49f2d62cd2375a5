# SPDX-License-Identifier: GPL-2.0-only
"""Reads the JUnit files of ctest and pytest."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """How tests ended; `skips` counts the reasons."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed, self.failed + other.failed, self.skips + other.skips
        )

    @property
    def skipped(self) -> int:
        """How many tests were skipped."""
        return self.skips.total()

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped"


def skip_reason(case: ET.Element, skipped: ET.Element) -> str:
    """pytest gives the reason; GoogleTest does so below the place."""
    message = skipped.get("message", "")
    if found := re.match(r"\S+:\d+\n(.+)", message):
        return found[1].strip()
    return message or case.findtext("system-out", "").strip() or "no reason given"


def read(path: Path, besides: Path | None = None) -> Tally:
    """The tally of one file; a file that is missing is a failure.

    Tests that have a file of their own in @besides are not counted.
    """
    if not path.is_file():
        return Tally(failed=[f"{path.name} was not written"])
    tally = Tally()
    for case in ET.parse(path).iter("testcase"):
        if besides and (besides / f"{case.get('name')}.xml").exists():
            continue
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed.append(name)
        elif skipped is not None:
            tally.skips[skip_reason(case, skipped)] += 1
        else:
            tally.passed += 1
    return tally
