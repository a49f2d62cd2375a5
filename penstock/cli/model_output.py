# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the models: parsing lists of numbers, writing a page and a table."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import UsageError, UserError

if TYPE_CHECKING:
    from penstock.view.report import sheet


def _bounds(part: str) -> tuple[str, str]:
    first, dots, last = part.partition("..")
    return first.strip(), last.strip() if dots else first.strip()


def whole_numbers(option: str, text: str, low: int, high: int) -> list[int]:
    """'1..5,10' as 1, 2, 3, 4, 5, 10, each once; a usage error for anything else."""
    found: dict[int, None] = {}
    for part in text.split(","):
        ends = _bounds(part)
        if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
            raise UsageError(f"{option} {text}: write whole numbers and ranges, such as 1..5,10")
        first, last = (int(end) for end in ends)
        if not low <= first <= last <= high:
            raise UsageError(f"{option} {text}: {part.strip()} is not within {low}..{high}")
        found.update(dict.fromkeys(range(first, last + 1)))
    return list(found)


def write(folder: Path, name: str, rows: Sequence[Mapping[str, Any]], page: sheet.Sheet) -> Path:
    """Writes NAME.html and NAME.csv; an error message if that fails."""
    from penstock.view.report import sheet
    from penstock.view.report.document import Place

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return sheet.write(Place(folder / f"{name}.html"), page)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None
