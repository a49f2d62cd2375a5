# SPDX-License-Identifier: GPL-2.0-only
"""Fills the tables in docs/methods from core/'s own; --check only tells what is out of step.

A page is docs/methods/NAME.md, with hyphens for underscores. What stands between
`<!-- parameters:begin -->` and `<!-- parameters:end -->` is written by this script.
"""

import re
import sys
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.scenario import params

PAGES: Final = Path(__file__).resolve().parents[1] / "docs" / "methods"
BLOCK: Final = re.compile(r"(<!-- parameters:begin -->\n).*?(<!-- parameters:end -->)", re.DOTALL)
HEAD: Final = """| parameter | default | range | meaning | source |
|---|---|---|---|---|
"""


def page_of(method: _native.Method) -> Path:
    """Where the page of a method is."""
    return PAGES / f"{method.name.replace('_', '-')}.md"


def bound(param: _native.Param, value: int) -> str:
    """An end of a parameter's range."""
    return "1TiB" if param.unit == "bytes" and value == 1 << 40 else params.show(param.unit, value)


def row(param: _native.Param) -> str:
    """One parameter as a line of the table."""
    low, high = bound(param, param.min), bound(param, param.max)
    cells = (
        f"`{params.user_key(param.name)}`",
        params.show_default(param),
        "true, false" if param.unit == "flag" else f"{low} to {high}",
        param.help,
        param.source,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(method: _native.Method) -> str:
    """All parameters of a method."""
    if not method.params:
        return "It has no parameters.\n"
    return HEAD + "".join(row(param) for param in method.params)


def filled(method: _native.Method, text: str) -> str:
    """The page with today's table; ValueError if it has no place for one."""
    new, count = BLOCK.subn(lambda found: found[1] + table(method) + found[2], text)
    if count != 1:
        raise ValueError("wants exactly one pair of parameters:begin and parameters:end")
    return new


def main(arguments: list[str]) -> int:
    """Exit code 0 if all pages are in step, or were made so."""
    if arguments not in ([], ["--check"]):
        print("usage: gen_method_docs.py [--check]", file=sys.stderr)
        return 2
    wrong = []
    gateway = [*_native.disciplines(), *_native.laws()]
    for method in [*gateway, *_native.senders(), *_native.sharings()]:
        if method.name == params.NO_LAW:
            continue
        page = page_of(method)
        try:
            text = page.read_text(encoding="utf-8")
            new = filled(method, text)
        except (FileNotFoundError, ValueError) as error:
            wrong.append(f"{page.name}: {error}")
            continue
        if new == text:
            continue
        if arguments:
            wrong.append(f"{page.name}: its table is not core/'s; run tools/gen_method_docs.py")
        else:
            page.write_text(new, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
