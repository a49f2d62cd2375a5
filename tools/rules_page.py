# SPDX-License-Identifier: GPL-2.0-only
"""Writes tools/import_rules.py as a table into docs/architecture.md."""

import re
from collections.abc import Iterable

from import_rules import RULES
from tree import ROOT

PAGE = ROOT / "docs" / "architecture.md"
PLACE = re.compile(r"(?<=<!-- import rules -->\n).*?(?=<!-- end of import rules -->)", re.DOTALL)


def code(names: Iterable[str]) -> str:
    """Names as Markdown code."""
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def table() -> str:
    """The table."""
    lines = ["", "| room | may import | why |", "|---|---|---|"]
    lines += [f"| `{rule.room}` | {code(rule.may)} | {rule.why} |" for rule in RULES]
    return "\n".join([*lines, "", ""])


def updated(text: str) -> str:
    """The page's text with the table as it is now."""
    return PLACE.sub(lambda _: table(), text)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text()))
