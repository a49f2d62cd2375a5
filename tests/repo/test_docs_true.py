# SPDX-License-Identifier: GPL-2.0-only
"""Statements of the documents that the tree itself can confirm."""

import re

import tree

from penstock.errors import Exit

CODE = re.compile(r"^\| (\d+) \| (\S.*) \|$", re.MULTILINE)


def test_the_guide_lists_every_exit_code() -> None:
    text = (tree.ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    codes = [int(code) for code, _ in CODE.findall(text.split("## Exit codes")[1])]
    assert codes == [code.value for code in Exit]
