# SPDX-License-Identifier: GPL-2.0-only
"""Fills the tables in docs/methods from core/'s own; --check only tells what is out of step.

A page is docs/methods/NAME.md, with hyphens for underscores. What stands between
`<!-- parameters:begin -->` and `<!-- parameters:end -->` is written by this script.
"""

import sys
from pathlib import Path
from typing import Final

import generated

from penstock import _native
from penstock.scenario import params

PAGES: Final = Path(__file__).resolve().parents[1] / "docs" / "methods"
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


def page(method: _native.Method) -> generated.Page:
    """The page of a method, with today's table."""
    return page_of(method), lambda text: generated.filled(text, "parameters", table(method))


def pages() -> list[generated.Page]:
    """Those of all methods."""
    gateway = [*_native.disciplines(), *_native.laws()]
    methods = [*gateway, *_native.senders(), *_native.sharings()]
    return [page(method) for method in methods if method.name != params.NO_LAW]


if __name__ == "__main__":
    sys.exit(generated.main(pages(), Path(__file__).name, sys.argv[1:]))
