# SPDX-License-Identifier: GPL-2.0-only
"""docs/rules.md against the tree: a row for each rule, and a test that names it."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tree import ROOT, files

PAGE = "docs/rules.md"
LAST_RULE = 38
ROOMS = ("core/", "linux/", "ns3/", "penstock/", "sim/", "tests/", "docs/")
SELF = {"tests/repo/test_check_rules.py", "CHANGELOG.md"}
TEXT = {".c", ".cc", ".cpp", ".h", ".md", ".py"}
CITED = re.compile(r"(?<![\w.-])R([1-9]\d?)(?![\w.-]*[\w])")
IN_A_NAME = re.compile(r"\bR([1-9]\d?)(?=[A-Z])")  # TEST_P(Rules, R13OnlyWindow...)
ROW = re.compile(r"^\| R(\d+) \|")
PLACES = re.compile(r"`([\w./-]+/[\w.-]+\.\w+)`")
COLUMNS = ["rule", "what it says", "source", "kept in", "test"]
OPEN = "open"


@dataclass(frozen=True)
class Row:
    """One rule's line of the page."""

    number: int
    kept_in: str
    test: str


def rows(text: str) -> Iterator[Row | str]:
    """The rules in the page's order; a line that is no whole row gives a complaint."""
    for line in text.splitlines():
        if not (found := ROW.match(line)):
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != len(COLUMNS) or not all(cells):
            yield f"{PAGE}: R{found[1]}: a row has {len(COLUMNS)} cells, none empty"
            continue
        yield Row(int(found[1]), cells[3], cells[4])


def rules_in(text: str) -> set[int]:
    """The rules that a text cites, in prose or in the names of its tests."""
    return {int(number) for number in (*CITED.findall(text), *IN_A_NAME.findall(text))}


def complaints_of(row: Row, root: Path) -> Iterator[str]:
    """The violations in one row: missing files, tests that do not name the rule."""
    if row.kept_in == OPEN:
        return
    kept, tests = PLACES.findall(row.kept_in), PLACES.findall(row.test)
    if not kept or not tests:
        yield f"{PAGE}: R{row.number}: name the file that keeps it and the test, or say {OPEN}"
    for place in (*kept, *tests):
        if not (root / place).is_file():
            yield f"{PAGE}: R{row.number}: {place} is not there"
    for place in tests:
        path = root / place
        if path.is_file() and row.number not in rules_in(path.read_text()):
            yield f"{place}: does not name R{row.number}, whose test it is by {PAGE}"


def complaints(root: Path = ROOT) -> Iterator[str]:
    """All that is wrong between the page and the tree."""
    known = set()
    for row in rows((root / PAGE).read_text()):
        if isinstance(row, str):
            yield row
            continue
        if row.number in known:
            yield f"{PAGE}: R{row.number} has two rows"
        known.add(row.number)
        yield from complaints_of(row, root)
    for missing in sorted(set(range(1, LAST_RULE + 1)) - known):
        yield f"{PAGE}: R{missing} has no row"
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in TEXT or not name.startswith(ROOMS) or name in SELF:
            continue
        for number in sorted(rules_in(path.read_text()) - known):
            yield f"{name}: cites R{number}, which {PAGE} does not have"


def main() -> int:
    """Exit code 0 if page and tree agree."""
    found = list(complaints())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
