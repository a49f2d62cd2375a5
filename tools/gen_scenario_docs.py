# SPDX-License-Identifier: GPL-2.0-only
"""Fills the tables of docs/scenario-format.md from the rows of its keys; --check only compares.

What stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->` is written by this script.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import generated

from penstock.scenario import model, users, write
from penstock.scenario.table import Table, said

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "scenario-format.md"
TABLES: Final[dict[str, type[Table]]] = {
    "sweep": model.Sweep,
    "topology": model.Topology,
    "link": model.Link,
    "change": model.Change,
    "gateway": model.Gateway,
    "tcp": model.Tcp,
    "traffic": model.Traffic,
    "udp": model.Udp,
    "mobility": model.Mobility,
    "variant": model.OwnVariant,
    "time": model.Clock,
    "sample": model.Sample,
}


def toml(value: Any) -> str:
    """A default as a scenario would write it."""
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text}`" if isinstance(value, str | list) else text


def has_kinds(table: type[Table]) -> bool:
    """Whether some of its keys are of some kinds of users alone."""
    return table is model.Traffic


def rows(table: type[Table]) -> Iterator[list[str]]:
    """The keys of a table that have a help, each with its cells."""
    shown = write.defaults(table)
    for name, field in table.model_fields.items():
        mark, key = said(field), field.alias or name
        default = mark.unsaid or (toml(shown[key]) if key in shown else "")
        source = f" ({mark.source})" if mark.source else ""
        if field.description:
            required = "required" if field.is_required() else "none"
            kinds = "all" if len(mark.kinds) in (0, len(users.KEYS)) else ", ".join(mark.kinds)
            last = f"{field.description}{source}"
            yield [f"`{key}`", *([kinds] if has_kinds(table) else []), default or required, last]


def shown(table: type[Table]) -> str:
    """The table as the page has it."""
    head = "| key | kind | default | |\n" if has_kinds(table) else "| key | default | |\n"
    line = "|---" * (head.count("|") - 1) + "|\n"
    return head + line + "".join(f"| {' | '.join(cells)} |\n" for cells in rows(table))


def filled(text: str) -> str:
    """The page with today's tables; ValueError if it has no place for one."""
    for name, table in TABLES.items():
        text = generated.filled(text, name, shown(table))
    return text


if __name__ == "__main__":
    sys.exit(generated.main([(PAGE, filled)], Path(__file__).name, sys.argv[1:]))
