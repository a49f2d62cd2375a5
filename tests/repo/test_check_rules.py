# SPDX-License-Identifier: GPL-2.0-only
"""The page of rules is whole, and would be missed if it were not."""

from pathlib import Path

import check_rules
import pytest

NEXT = check_rules.LAST_RULE + 1


def test_page_and_tree_agree(root: Path) -> None:
    assert list(check_rules.complaints(root)) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree in which all is well."""
    for folder in ("core", "docs", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "core/kept.h").write_text("/* R7 */\n")
    (tmp_path / "tests/kept_test.cpp").write_text("TEST(Kept, R7AsItSays) {}\n")
    lines = [f"| R{n} | rule | source | open | why |" for n in range(1, NEXT) if n != 7]
    lines.append("| R7 | rule | source | `core/kept.h` | `tests/kept_test.cpp` |")
    (tmp_path / check_rules.PAGE).write_text("\n".join(lines))
    assert list(check_rules.complaints(tmp_path)) == []
    return tmp_path


def test_a_cited_rule_without_a_row_is_found(tree: Path) -> None:
    (tree / "core/new.h").write_text(f"/* Kept by R{NEXT}. */\n")
    assert list(check_rules.complaints(tree)) == [
        f"core/new.h: cites R{NEXT}, which docs/rules.md does not have"
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("| R3 | rule | source | open | why |\n", "", "R3 has no row"),
        ("| R3 |", "| R4 |", "R4 has two rows"),
        ("| R3 | rule |", "| R3 |", "R3: a row has 5 cells"),
        ("core/kept.h", "core/gone.h", "core/gone.h is not there"),
        ("`tests/kept_test.cpp`", "none", "name the file that keeps it and the test"),
    ],
)
def test_a_page_that_is_not_whole_is_found(tree: Path, old: str, new: str, complaint: str) -> None:
    page = tree / check_rules.PAGE
    page.write_text(page.read_text().replace(old, new))
    assert any(complaint in line for line in check_rules.complaints(tree))


def test_a_test_that_does_not_name_its_rule_is_found(tree: Path) -> None:
    (tree / "tests/kept_test.cpp").write_text("TEST(Kept, AsItSays) {}\n")
    assert [line.split(":")[0] for line in check_rules.complaints(tree)] == ["tests/kept_test.cpp"]
