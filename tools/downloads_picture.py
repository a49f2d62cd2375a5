# SPDX-License-Identifier: GPL-2.0-only
"""Draws the table of docs/operator/downloads.md: waits and goodput without, shaped, and held."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import generated
from figures import (
    BASE,
    BLUE,
    FOLDER,
    GREY,
    INK,
    LEFT_HALF,
    ORANGE,
    RIGHT_HALF,
    ROOT,
    TOP,
    svg,
    text,
)

PAGE: Final = ROOT / "docs" / "operator" / "downloads.md"
ROW: Final = re.compile(
    r"^\|(?P<load>[^|]*)\| (?P<way>nothing|shaper|`--down`) "
    r"\| (?P<down>[\d.]+) \| +\| [\d.]+ / (?P<p99>[\d.]+) \|",
    re.MULTILINE,
)
COLOURS: Final = {"nothing": GREY, "shaper": BLUE, "`--down`": ORANGE}
WAYS: Final = {"nothing": "nothing", "shaper": "shaper told 95 %", "`--down`": "--down"}
PATH_MS: Final = 40
BAR: Final = 28


def rows(page: str) -> list[tuple[str, str, float, float]]:
    """Load, way, Mbit/s and the 99th percentile of a ping in ms, of downloads alone."""
    found, load = [], ""
    for row in ROW.finditer(page):
        load = row["load"].strip() or load
        found.append((load, row["way"], float(row["down"]), float(row["p99"])))
    return found


def bars(
    half: tuple[int, int],
    title: str,
    values: list[tuple[str, str, float]],
    most: float,
    step: int,
    decimals: int,
) -> Iterator[str]:
    """Three bars a load, with their values."""
    left, right = half

    def height(value: float) -> float:
        return BASE - value * (BASE - TOP) / most

    yield f'<path d="M{left},{TOP}V{BASE}H{right}" fill="none" stroke="{INK}"/>'
    for value in range(0, int(most) + 1, step):
        yield text(left - 5, height(value) + 4, str(value), "end")
    yield text(left, TOP - 8, title, "start")
    loads = list(dict.fromkeys(load for load, _, _ in values))
    for load, way, value in values:
        place = left + 4 + loads.index(load) * (right - left) / len(loads)
        place += BAR * list(COLOURS).index(way)
        top = height(value)
        shape = f'x="{place:.0f}" y="{top:.0f}" width="{BAR - 2}" height="{BASE - top:.0f}"'
        yield f'<rect {shape} fill="{COLOURS[way]}"/>'
        yield text(place + BAR / 2 - 1, top - 3, f"{value:.{decimals}f}")
    for number, load in enumerate(loads):
        yield text(left + 45 + number * (right - left) / len(loads), BASE + 15, load)


def picture() -> Iterator[str]:
    """Both plots, and what the colours are."""
    found = rows(PAGE.read_text(encoding="utf-8"))
    if not found:
        raise ValueError(f"{PAGE.name} has no rows of downloads alone")
    waits = [(load, way, p99) for load, way, _, p99 in found]
    yield from bars(LEFT_HALF, f"ping, p99, ms (path: {PATH_MS})", waits, 140, 40, 0)
    goodputs = [(load, way, down) for load, way, down, _ in found]
    yield from bars(RIGHT_HALF, "downloads, Mbit/s", goodputs, 24, 5, 1)
    for number, (way, name) in enumerate(WAYS.items()):
        yield text(
            LEFT_HALF[0] + 70 * (number + (number > 1)), BASE + 31, name, "start", COLOURS[way]
        )


if __name__ == "__main__":
    PICTURE: Path = FOLDER / "downloads.svg"
    PICTURE.touch()
    sys.exit(
        generated.main([(PICTURE, lambda _: svg(picture()))], Path(__file__).name, sys.argv[1:])
    )
