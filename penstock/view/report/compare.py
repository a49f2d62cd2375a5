# SPDX-License-Identifier: GPL-2.0-only
"""Two folders of results side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.columns import BY_NAME
from penstock.results import differences, stats, tables
from penstock.results.differences import Pair, verdict
from penstock.results.store import Store, difference
from penstock.results.tables import Columns
from penstock.scenario import variants
from penstock.view.report import sheet
from penstock.view.report.document import Place
from penstock.view.report.sheet import Grid, Sheet

_HEADERS = ("method", "column", "first", "second", "difference", "95 % interval", "second is")


def _pairs(ours: Sequence[Columns], theirs: Sequence[Columns]) -> list[Pair]:
    """The summary's columns of all combinations that both folders have."""
    lines = [line for rows in (ours, theirs) for line in tables.summarise(rows)]
    columns = [shown.column for shown in tables.shown_columns(lines)]
    return differences.pairs(ours, theirs, columns)


def _mean(mean: stats.Mean) -> str:
    return f"{mean.mean:.4g}" + ("" if mean.half is None else f" ± {mean.half:.2g}")


def row(pair: Pair, own: Mapping[str, str]) -> list[str]:
    """A pair as texts for _HEADERS; `own` are labels of a scenario's variants."""
    low, high = pair.low, pair.high
    unit = BY_NAME[pair.column].unit
    return [
        tables.called(pair.line.label, own),
        pair.column + (f", {unit}" if unit and unit != "1" else ""),
        _mean(pair.base),
        _mean(pair.one),
        f"{pair.difference:+.4g}",
        "-" if low is None or high is None else f"{low:.4g} to {high:.4g}",
        verdict(pair),
    ]


def grids(found: Sequence[Pair], own: Mapping[str, str]) -> list[Grid]:
    """A table for each load and sort of receivers."""
    groups: dict[str, list[Pair]] = {}
    for pair in found:
        line = pair.line
        title = f"{line.load}, receive window {tables.receivers_text(line.receivers)}"
        groups.setdefault(title, []).append(pair)
    return [
        Grid(title, _HEADERS, [row(pair, own) for pair in each]) for title, each in groups.items()
    ]


def _about(store: Store) -> str:
    about = store.provenance()
    commit = about["git"]["commit"]
    return (
        f"{store.folder}: {about['scenario']['title']} ({about['scenario']['name']}), "
        f"{about['versions']['engine']}" + (f", commit {commit[:12]}" if commit else "")
    )


def _apart(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """The differences in content between the directories."""
    for what in ("backend", "versions"):
        if text := difference(first[what], second[what]):
            yield f"Other {what}: {text}."
    if text := difference(first["scenario"]["setup"], second["scenario"]["setup"]):
        yield f"Another scenario: {text}."


def _given(ours: Sequence[Columns], theirs: Sequence[Columns]) -> Iterator[str]:
    """The settings of all runs that differ."""
    for name, both in differences.constants(ours, theirs).items():
        one, other = (value or "as the scenario has it" for value in both)
        if one != other:
            yield f"{name}: {one} in the first, {other} in the second."


def _variants(found: Sequence[Pair]) -> list[str]:
    """The variants that are compared though they differ, as each folder has one of the method."""
    texts = []
    for pair in found:
        one, other = (
            " ".join(filter(None, [line.mode, line.parameters]))
            for line in (pair.base_line, pair.line)
        )
        if one != other:
            texts.append(f"{pair.line.method}: {one} in the first, {other} in the second.")
    return list(dict.fromkeys(texts))


def page(first: Store, second: Store, found: Sequence[Pair], given: Sequence[str]) -> Sheet:
    """The page: what is compared, and by how much the second differs."""
    counts = dict.fromkeys(("better", "worse", "differs", "same", "cannot tell"), 0)
    for pair in found:
        counts[verdict(pair)] += 1
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    abouts = [store.provenance() for store in (first, second)]
    return Sheet(
        title=f"{first.folder} and {second.folder}",
        notes=[
            f"First: {_about(first)}.",
            f"Second: {_about(second)}.",
            *_apart(*abouts),
            *given,
            *_variants(found),
        ],
        found=[
            f"Of {len(found)} comparisons of the second with the first: {told} "
            f"({differences.MARGIN_NOTE})."
            if found
            else "The folders have no combination in common."
        ],
        tables=grids(found, variants.labels_in(abouts[1]["scenario"]["setup"])),
    )


@dataclass(frozen=True)
class Comparison:
    """Two folders of results, and their combinations in common."""

    first: Store
    second: Store
    pairs: Sequence[Pair]
    given: Sequence[str]  # how the settings of all runs differ, in words

    def write(self, path: Path | None = None) -> Path:
        """Writes the page, beside the first results unless a place is named."""
        target = path or default_path(self.first.folder, self.second.folder)
        return sheet.write(Place(target), page(self.first, self.second, self.pairs, self.given))


def of(first: Path, second: Path) -> Comparison:
    """The second folder beside the first."""
    stores = Store(first), Store(second)
    ours, theirs = ([row.columns for row in store.rows()] for store in stores)
    return Comparison(*stores, _pairs(ours, theirs), [*_given(ours, theirs)])


def default_path(first: Path, second: Path) -> Path:
    """The default place of the page."""
    return first / f"against-{second.resolve().name}.html"
