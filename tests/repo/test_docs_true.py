# SPDX-License-Identifier: GPL-2.0-only
"""Statements of the documents that the tree itself can confirm."""

import re
from pathlib import Path

import pytest
import tree

from penstock.errors import Exit

CODE = re.compile(r"^\| (\d+) \| (\S.*) \|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+(?:\.\w+)?)`")


def parts(folder: Path) -> set[str]:
    """What a README of `folder` must name: its folders and its modules."""
    found = {path.relative_to(folder).parts for path in tree.files() if folder in path.parents}
    folders = {f"{first}/" for first, *rest in found if rest}
    return folders | {
        first for first, *rest in found if not rest and re.fullmatch(r"[a-z]\w*\.py", first)
    }


@pytest.mark.parametrize("name", ["penstock", "sim", "tests"])
def test_a_readme_names_every_part_of_its_folder(name: str) -> None:
    folder = tree.ROOT / name
    named = set(NAMED.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert parts(folder) - named == set()


def test_the_guide_lists_every_exit_code() -> None:
    text = (tree.ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    codes = [int(code) for code, _ in CODE.findall(text.split("## Exit codes")[1])]
    assert codes == [code.value for code in Exit]
