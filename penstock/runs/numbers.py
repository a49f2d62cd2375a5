# SPDX-License-Identifier: GPL-2.0-only
"""Lists that a user gives: names, and numbers with spans such as 4-8."""

from collections.abc import Sequence

from penstock.errors import OptionError
from penstock.scenario.types import MAX_SEEDS, count_of


def split(values: Sequence[str]) -> list[str]:
    """'a,b' and repeated options alike, without repetitions."""
    parts = [part.strip() for value in values for part in value.split(",")]
    return list(dict.fromkeys(part for part in parts if part))


def listed(option: str, values: Sequence[str | int]) -> list[str | int]:
    """The parts of texts, and numbers as they are; an option that was given names at least one."""
    parts = [
        part for value in values for part in (split([value]) if isinstance(value, str) else [value])
    ]
    if values and not parts:
        raise OptionError(option, "", "name at least one")
    return list(dict.fromkeys(parts))


def names(option: str, values: Sequence[str]) -> list[str]:
    """The same of names."""
    return [str(each) for each in listed(option, values)]


def _number(option: str, given: str | int, most: int) -> int:
    try:
        return count_of(str(given), most)
    except ValueError as error:
        raise OptionError(option, str(given), f"{error}, or a range such as 4-8") from None


def numbers(option: str, values: Sequence[str | int], most: int) -> list[tuple[str, int]]:
    """Numbers from 1 to `most`, each with the text that it comes from.

    Raises OptionError for anything else, and for a span that ends before it begins.
    """
    found: dict[int, str] = {}
    for given in listed(option, values):
        text = str(given)
        first, dash, last = text.partition("-")
        if not (dash and first and last):
            found.setdefault(_number(option, given, most), text)
            continue
        low, high = _number(option, first, most), _number(option, last, most)
        if high < low:
            raise OptionError(option, text, f"it ends before it begins; write {last}-{first}")
        if high - low >= MAX_SEEDS:
            raise OptionError(option, text, f"at most {MAX_SEEDS:,} numbers")
        for number in range(low, high + 1):
            found.setdefault(number, text)
    return [(text, number) for number, text in found.items()]


def seeds(given: str | int | Sequence[str | int] | None, otherwise: int) -> list[int]:
    """A single number says how many, from 1; a list or a span says which."""
    single = isinstance(given, str | int)
    asked = [otherwise] if given is None else [given] if isinstance(given, str | int) else given
    found = [number for _, number in numbers("--seeds", asked, MAX_SEEDS)]
    spans = isinstance(given, str) and ("," in given or "-" in given)
    return list(range(1, found[0] + 1)) if given is None or (single and not spans) else found
