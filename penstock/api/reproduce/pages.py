# SPDX-License-Identifier: GPL-2.0-only
"""A paper's statements, its gains in flows served, and the settings it leaves unsaid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from penstock.api import files
from penstock.api.reproduce.papers import Paper
from penstock.results.entries import (
    AGREES,
    CANNOT_TELL,
    DIFFERS,
    NOT_RUN,
    RESOLUTION,
    Entry,
    tally,
)
from penstock.results.judge import entry as judged_entry
from penstock.results.tables import receivers_text
from penstock.scenario.statements import PaperCapacity
from penstock.view.plots.data import Data
from penstock.view.report import paper, sheet
from penstock.view.report.document import Place
from penstock.view.report.gains import by_level, judged, leads, mean
from penstock.view.report.sheet import Grid, Link, Sheet

CALIBRATION_HEADERS: Final = ("part", "settings", "window", "flows", "paper")


@dataclass(frozen=True)
class Calibrated:
    """Flows of drop-tail at the three levels with one guess at the paper's settings."""

    part: str
    what: str
    receivers: str
    flows: Sequence[int | None]
    paper_flows: Sequence[int]


@dataclass
class Outcome:
    """The results for a paper."""

    entries: list[Entry] = field(default_factory=list)
    served: list[tuple[str, Data]] = field(default_factory=list)
    calibrations: list[Calibrated] = field(default_factory=list)
    reports: list[Link] = field(default_factory=list)
    plots: list[tuple[str, Any]] = field(default_factory=list)


def statements(part: str, data: Data) -> list[Entry]:
    """The values and orders of a part; its gains are averaged over parts by gains()."""
    found = []
    for row in paper.compare(data):
        if row.statement.endswith(paper.SERVED):
            continue
        for receivers, ours in row.ours.items():
            texts = row.paper, ours.text
            found.append(
                judged_entry(
                    ours.judged, part, row.figure, row.statement, receivers, *texts, row.source
                )
            )
    return found


def _gain(
    served: Sequence[tuple[str, Data]], receivers: str, entry: PaperCapacity
) -> Iterator[Entry]:
    """The average over parts and levels; without a number, an entry for each part."""
    by_part = {part: by_level(data, receivers, entry) for part, data in served}
    by_part = {part: found for part, found in by_part.items() if found}
    if not by_part:
        return
    texts = {
        part: ", ".join(f"{gain.mean:+.0f} % at {level:g} %" for level, gain in found.items())
        for part, found in by_part.items()
    }
    data = served[0][1]
    over = "the best other method" if entry.over == "best" else data.name(entry.over)
    what, paper_text = f"{data.name(entry.method)} against {over}", paper.capacity_text(entry)
    head = "flows served", entry.figure
    if entry.gain_percent is None:
        for part, found in by_part.items():
            texts_of = f"{part}: {what}", receivers, paper_text, texts[part]
            yield judged_entry(leads(found.values()), *head, *texts_of, entry.source)
        return
    ours = mean(gain for found in by_part.values() for gain in found.values())
    every = "; ".join(f"{part}: {text}" for part, text in texts.items())
    texts_of = what, receivers, f"{paper_text} on average", f"{ours.mean:+.1f} % ({every})"
    yield judged_entry(judged(ours, entry.gain_percent), *head, *texts_of, entry.source)


def _receivers(served: Sequence[tuple[str, Data]]) -> Iterator[str]:
    names = (entry["receivers"] for _, data in served for entry in data.served)
    yield from dict.fromkeys(names)


def gains(served: Sequence[tuple[str, Data]]) -> list[Entry]:
    """The gains in flows served, averaged over parts and levels as the paper does."""
    if not served or served[0][1].paper is None:
        return []
    return [
        found
        for receivers in _receivers(served)
        for entry in served[0][1].paper.capacity
        for found in _gain(served, receivers, entry)
    ]


_HEADERS: Final = ("figure", "statement", "paper", "ours", "ratio", "equal within", "verdict")


def tables(entries: Sequence[Entry]) -> list[Grid]:
    """One form for all papers: a table for each part, and a row for each statement and window."""
    found = []
    for part in dict.fromkeys(entry.part for entry in entries):
        own = [entry for entry in entries if entry.part == part]
        several = len({entry.receivers for entry in own}) > 1
        headers = [*_HEADERS[:2], "window", *_HEADERS[2:]] if several else list(_HEADERS)
        rows = []
        for entry in own:
            ratio = "" if entry.ratio is None else f"{entry.ratio:.3g}"
            row = [entry.figure, entry.what, entry.paper, entry.ours, ratio, entry.within]
            if several:
                row.insert(2, receivers_text(entry.receivers) if entry.receivers else "")
            rows.append([*row, entry.verdict_text])
        found.append(Grid(part, headers, rows))
    return found


def _window_text(entries: Sequence[Entry]) -> str:
    """How many statements agree; zeros are counted apart."""
    counts = tally(entry for entry in entries if not entry.zero)
    zeros = tally(entry for entry in entries if entry.zero)
    near, few = sum(entry.is_near for entry in entries), counts[CANNOT_TELL]
    words = f"{counts[AGREES]} of the paper's statements agree with ours, {counts[DIFFERS]} differ"
    words += f" ({near} of them by at most {100 * RESOLUTION:.0f} %)" if near else ""
    words += f", {few} cannot be told from chance: more seeds decide" if few else ""
    words += f", {counts[NOT_RUN]} not run" if counts[NOT_RUN] else ""
    if every := sum(zeros.values()):
        words += f"; of {every} zeros, which are counted apart, {zeros[AGREES]} agree"
        words += f" and {zeros[DIFFERS]} differ" if zeros[DIFFERS] else ""
    return words


def found_text(entries: Sequence[Entry]) -> list[str]:
    """How many statements agree, a sentence for each receive window."""
    found = []
    for window in dict.fromkeys(entry.receivers for entry in entries):
        words = _window_text([entry for entry in entries if entry.receivers == window])
        found.append(words + (f" (receive window: {receivers_text(window)})" if window else ""))
    return found


def _flows(flows: Sequence[int | None]) -> str:
    return " / ".join("-" if count is None else str(count) for count in flows)


def calibration_rows(found: Sequence[Calibrated]) -> list[list[str]]:
    """Rows under CALIBRATION_HEADERS."""
    return [
        [
            each.part,
            each.what,
            receivers_text(each.receivers),
            _flows(each.flows),
            _flows(each.paper_flows),
        ]
        for each in found
    ]


def page(about: Paper, outcome: Outcome, sets: Sequence[str] = ()) -> Sheet:
    """The page of a paper; `sets` are the values that stood in place of the scenarios'."""
    grids = tables(outcome.entries)
    if outcome.calibrations:
        note = (
            "Flows at which drop-tail loses 0.1, 0.5 and 1 %. The paper states neither receive "
            "window nor device queue; '-': more than the search went up to."
        )
        rows = calibration_rows(outcome.calibrations)
        grids.append(Grid("What the paper may have used", CALIBRATION_HEADERS, rows, note))
    return Sheet(
        title=f"{about.name}, reproduced",
        notes=[
            about.title,
            *([f"In place of the scenarios' values: {', '.join(sets)}."] if sets else []),
            f"{about.document} says of each difference what was tried. A figure agrees if our 95 % "
            "interval meets it, with the paper's own interval and half of its last digit; a gain "
            "likewise, on both sides, with the sign that the paper's test found; a bound, if all "
            "of our interval keeps it; and an order, if differences by seed confirm it. 'Cannot "
            "tell' means that chance could have decided, with the number of seeds that would "
            "tell: our interval is wider than the paper's own and than a tenth of the value. "
            "Where the paper has 0 the statement is counted apart. A ratio is ours over the "
            "paper's.",
        ],
        found=found_text(outcome.entries),
        links=outcome.reports,
        tables=grids,
        plots=outcome.plots,
    )


@dataclass(frozen=True)
class Reproduced:
    """A paper that was run, and the page about it."""

    paper: Paper
    entries: Sequence[Entry]
    page: Path


def overview(found: Sequence[Reproduced], root: Path) -> Sheet:
    """Every figure and table of all papers, ours beside theirs."""
    grids = [
        replace(grid, title=f"{one.paper.name}: {grid.title}")
        for one in found
        for grid in tables(one.entries)
    ]
    return Sheet(
        title="The papers, reproduced",
        notes=[
            "Every figure and table whose values the papers state, in order. Each paper's page has "
            "the figures, and names the document that explains differences."
        ],
        found=[f"{one.paper.name}: {text}" for one in found for text in found_text(one.entries)],
        links=[Link(one.paper.title, str(one.page.relative_to(root))) for one in found],
        tables=grids,
    )


def write(path: Path, about: Sheet) -> None:
    """Writes a page, and the folder that it is in."""
    files.folder(path.parent)
    sheet.write(Place(path), about)
