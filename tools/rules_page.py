# SPDX-License-Identifier: GPL-2.0-only
"""Writes tools/import_rules.py as tables into docs/architecture.md."""

import re
from collections.abc import Iterable

from import_rules import BANS, RULES
from tree import ROOT

PAGE = ROOT / "docs" / "architecture.md"
PLACE = re.compile(r"(?<=<!-- import rules -->\n).*?(?=<!-- end of import rules -->)", re.DOTALL)


def code(names: Iterable[str]) -> str:
    """Names as Markdown code."""
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def tables() -> str:
    """Both tables, with the sentence between them."""
    lines = ["", "| room | may import | why |", "|---|---|---|"]
    lines += [f"| `{rule.room}` | {code(rule.may)} | {rule.why} |" for rule in RULES]
    lines += ["", "And, whatever the table allows:", ""]
    lines += ["| room | must not import | but for | why |", "|---|---|---|---|"]
    lines += [f"| `{b.room}` | `{b.what}` | {code(b.but)} | {b.why} |" for b in BANS]
    return "\n".join([*lines, "", ""])


def updated(text: str) -> str:
    """The page's text with the tables as they are now."""
    return PLACE.sub(lambda _: tables(), text)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text()))
