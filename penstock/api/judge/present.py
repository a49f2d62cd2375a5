# SPDX-License-Identifier: GPL-2.0-only
"""A judgement as tables and sentences."""

from collections.abc import Sequence
from typing import Final

from penstock.api.judge import verdict
from penstock.api.judge.run import Against, Judged
from penstock.results.grid import Grid

_MARKS: Final = {
    verdict.BETTER: "+",
    verdict.WORSE: "-",
    verdict.EQUAL: "=",
    verdict.OPEN: "?",
}
NOTES: Final = (
    "means over the links; + NAME is better than this peer, - worse, = less than a step",
    "apart, ? not known yet; a difference counts up to four steps a link",
)
_FAILURES: Final = 5  # that are shown


def _text(value: float) -> str:
    return f"{value:.4g}"


def _cell(each: Against, column: verdict.Column) -> str:
    for found in each.columns:
        if found.column is column:
            return f"{_text(found.theirs)} {_MARKS[found.says]}"
    return ""


def _own(found: Judged, column: verdict.Column) -> str:
    values = [row[column.name] for row in found.figures[found.subject.name]]
    there = [value for value in values if value is not None]
    return _text(sum(there) / len(there)) if there else ""


def grid(found: Judged) -> Grid:
    """The means of all, with what each difference says."""
    columns = [
        column
        for column in verdict.COLUMNS
        if any(column is each.column for one in found.against for each in one.columns)
    ]
    headers = ["", *(column.title for column in columns)]
    rows = [[found.subject.name, *(_own(found, column) for column in columns)]]
    rows += [[each.peer, *(_cell(each, column) for column in columns)] for each in found.against]
    return Grid("", headers, rows)


def sentences(found: Judged) -> Sequence[str]:
    """The verdict, the checks, what failed, and how to see it again."""
    again = f"again: penstock judge {found.subject.name} --seed {found.seed}"
    return [
        found.says,
        *(f"{part.name}: {part.state}, {part.said}" for part in found.parts),
        *(f"failed: {why}" for why in found.failures[:_FAILURES]),
        *(line.replace("NAME", found.subject.name) for line in NOTES),
        again + "".join(f" --set {key}={value}" for key, value in found.subject.sets.items()),
    ]
