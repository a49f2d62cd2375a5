# SPDX-License-Identifier: GPL-2.0-only
"""Selects the columns of a table that fit a width, and their widths; no word is broken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

GAP: Final = 2  # blanks between columns


@dataclass(frozen=True)
class Column:
    """A column's minimum width, and its width without wrapping."""

    least: int
    natural: int


def _longest_word(text: str) -> int:
    from rich.cells import cell_len

    return max((cell_len(word) for word in text.split()), default=0)


def measure(header: str, cells: Iterable[str], is_text: bool) -> Column:
    """Headers and text are wrapped between words, numbers not at all."""
    from rich.cells import cell_len

    held = list(cells)
    natural = max(cell_len(text) for text in (header, *held))
    texts = [header, *held] if is_text else [header]
    whole = [] if is_text else held
    least = max([_longest_word(text) for text in texts] + [cell_len(text) for text in whole])
    return Column(least, natural)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def kept(columns: Sequence[Column], ranks: Sequence[int], width: int) -> list[int]:
    """The columns that fit, in their order; those of the lowest rank are tried first.

    The first column is always kept, and one beside it, whatever the width.
    """
    chosen = [0]
    for index in sorted(range(1, len(columns)), key=lambda index: ranks[index]):
        fits = _total([columns[each].least for each in (*chosen, index)]) <= width
        if fits or len(chosen) == 1:
            chosen.append(index)
    return sorted(chosen)


def widths(columns: Sequence[Column], width: int) -> list[int]:
    """Natural widths if they fit; otherwise the widest columns shrink first."""
    given = [column.natural for column in columns]
    while _total(given) > width:
        spare = [have - column.least for have, column in zip(given, columns, strict=True)]
        if not any(spare):
            break
        widest = max(
            (index for index in range(len(given)) if spare[index]), key=lambda index: given[index]
        )
        given[widest] -= 1
    return given
