# SPDX-License-Identifier: GPL-2.0-only
"""Checks of what a paper says: columns and methods that there are."""

from collections.abc import Iterator, Sequence

from penstock.columns import NAMES as COLUMNS
from penstock.scenario.flaw import Flaw, unknown
from penstock.scenario.model import Scenario
from penstock.scenario.statements import PaperChange, PaperOrder, PaperTrend, PaperValue
from penstock.scenario.variants import methods_of


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Names that are not known."""
    paper = scenario.paper
    if not paper:
        return
    known = list(methods_of(scenario))
    tables: tuple[tuple[str, Sequence[PaperValue | PaperOrder | PaperTrend | PaperChange]], ...] = (
        ("value", paper.value),
        ("order", paper.order),
        ("trend", paper.trend),
        ("change", paper.change),
    )
    for table, entries in tables:
        for index, entry in enumerate(entries):
            path = ("paper", table, index)
            yield from unknown((*path, "column"), entry.column, list(COLUMNS), "column")
            yield from unknown((*path, "method"), entry.method, known, "method")
    rivals: tuple[tuple[str, Sequence[PaperOrder | PaperChange]], ...] = (
        ("order", paper.order),
        ("change", paper.change),
    )
    for table, listed in rivals:
        for index, item in enumerate(listed):
            for place, other in enumerate(item.others):
                there = ("paper", table, index, "others", place)
                yield from unknown(there, other, known, "method")
    for index, gain in enumerate(paper.capacity):
        path = ("paper", "capacity", index)
        yield from unknown((*path, "method"), gain.method, known, "method")
        yield from unknown((*path, "over"), gain.over, ["best", *known], "method")
