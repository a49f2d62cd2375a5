# SPDX-License-Identifier: GPL-2.0-only
"""Fills the tables of docs/scenario-format.md from core/tables/; --check only compares.

What stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->` is written by this script.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import generated

from penstock import _native
from penstock.scenario import options, traffic_keys

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "scenario-format.md"
HEAD: Final = "| key | default | |\n|---|---|---|\n"


def row(option: _native.Option) -> str:
    """One key as a line of its table."""
    source = f" ({option.source})" if option.source else ""
    shown = options.shown(option)
    default = f"`{shown}`" if shown.startswith('"') else shown
    return f"| `{option.key}` | {default} | {option.help}{source} |\n"


def table(rows: Iterable[_native.Option]) -> str:
    """The keys of these rows."""
    return HEAD + "".join(row(option) for option in rows if option.key)


def traffic(rows: Iterable[_native.TrafficKey]) -> str:
    """The keys of a kind of users."""
    shown = ((row, f'`"{row.initial}"`' if row.initial else "none") for row in rows)
    return HEAD + "".join(f"| `{row.key}` | {default} | {row.help} |\n" for row, default in shown)


def filled(text: str) -> str:
    """The page with today's tables; ValueError if it has no place for one."""
    tables = {
        "link-keys": table(options.LINK),
        "tcp-options": table(options.TCP),
        "web-keys": traffic(traffic_keys.WEB),
        "on-off-keys": traffic(traffic_keys.ON_OFF),
    }
    for name, made in tables.items():
        text = generated.filled(text, name, made)
    return text


if __name__ == "__main__":
    sys.exit(generated.main([(PAGE, filled)], Path(__file__).name, sys.argv[1:]))
