# SPDX-License-Identifier: GPL-2.0-only
"""Pages, and parts of pages, that are written from the code."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

Page = tuple[Path, Callable[[str], str]]
"""A file, and its text of today made of the one that stands there."""


def filled(text: str, name: str, made: str) -> str:
    """The text with `made` between its NAME:begin and NAME:end; ValueError without such a place."""
    block = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    text, count = block.subn(lambda found: found[1] + made + found[2], text)
    if count != 1:
        raise ValueError(f"wants exactly one pair of {name}:begin and {name}:end")
    return text


def main(pages: list[Page], script: str, arguments: list[str]) -> int:
    """Writes the pages; with --check only tells which are out of step. The exit code."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {script} [--check]", file=sys.stderr)
        return 2
    wrong = []
    for path, of_today in pages:
        try:
            text = path.read_text(encoding="utf-8")
            new = of_today(text)
        except (FileNotFoundError, ValueError) as error:
            wrong.append(f"{path.name}: {error}")
            continue
        if new != text and arguments:
            wrong.append(f"{path.name}: is not what the code says; run tools/{script}")
        elif new != text:
            path.write_text(new, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0
