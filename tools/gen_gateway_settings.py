# SPDX-License-Identifier: GPL-2.0-only
"""Writes what is shown of penstock-gw's settings from their rows; --check only compares.

The rows are GW_SETTING_ROWS of linux/gateway/tool/settings/rows.h. Each file keeps the text around
the part that is written.
"""

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import generated
from tree import ROOT

ROWS: Final = "linux/gateway/tool/settings/rows.h"
PACKAGING: Final = "linux/gateway/packaging"
OPENWRT: Final = f"{PACKAGING}/openwrt"
WIDTH: Final = 100
_TOML_COLUMN: Final = 26
_UNBOUNDED: Final = 2**64 - 1
_PREFIXES: Final = (("G", 10**9), ("M", 10**6), ("k", 10**3))
_QUANTITIES: Final = {"RATE": "bit", "SIZE": "B", "COUNT": "", "TIME": "s"}


@dataclass(frozen=True)
class Setting:
    """A row, in the order of its columns."""

    form: str
    name: str
    key: str
    option: str
    kind: str
    values: str
    least: int
    most: int
    initial: str
    change: str
    example: str
    help: str
    manual: str

    def options(self) -> list[str]:
        """As they are typed."""
        return self.option.replace("!", "").split(",")

    def words(self) -> list[str]:
        """What can be typed as it stands."""
        return [word for word in self.values.split("|") if not re.search("[A-Z]", word)]

    def bounds(self) -> str:
        """The range of a quantity in words; empty of others."""
        if self.kind not in _QUANTITIES:
            return ""
        least, most = (quantity(self.kind, bound) for bound in (self.least, self.most))
        if self.most == _UNBOUNDED:
            return f"At least {least}."
        return f"At most {most}." if self.least == 0 else f"From {least} to {most}."

    def description(self) -> str:
        """The text of the row, and what its other columns say."""
        default = self.initial and "efault" not in self.manual
        return " ".join(
            [
                self.manual,
                *([self.bounds()] if self.bounds() else []),
                *([f"Default: {self.initial}."] if default else []),
                *(["Cannot change while attached."] if self.change != "LIVE" else []),
            ]
        )

    def example_toml(self) -> str:
        """As a configuration file has it."""
        if self.form == "FLAG":
            return self.example
        return json.dumps(self.example.split(", ") if self.form == "LIST" else self.example)


def quantity(kind: str, value: int) -> str:
    """As a user writes it: 100gbit, 1514B, 60s."""
    if kind == "COUNT":
        return str(value)
    if kind == "TIME":
        return f"{value // 10**9}s"
    prefix, one = next(((p, n) for p, n in _PREFIXES if value % n == 0), ("", 1))
    text = f"{value // one}{prefix}{_QUANTITIES[kind]}"
    return text.lower() if kind == "RATE" else text


def settings(root: Path = ROOT) -> list[Setting]:
    """The rows of a tree, through the preprocessor: what it leaves is Python's literals too."""
    names = ["hint" if field.name == "help" else field.name for field in fields(Setting)]
    words = [f"#{n}" if n in {"form", "name", "kind", "change"} else n for n in names]
    source = (
        f'#include "{ROWS}"\n#define ROW({", ".join(names)}) ({", ".join(words)}),\n'
        "[GW_SETTING_ROWS(ROW)]\n"
    )
    command = [os.environ.get("CC", "cc"), "-E", "-P", "-I.", "-xc", "-"]
    done = subprocess.run(
        command, cwd=root, input=source, capture_output=True, text=True, check=True
    )
    rows: list[tuple[str, ...]] = ast.literal_eval(done.stdout.strip())
    return [Setting(*row) for row in rows]  # type: ignore[arg-type]


def between(text: str, first: str, last: str, made: str) -> str:
    """The text with `made` after `first` and before `last`, which are there once each."""
    before, found_first, rest = text.partition(first)
    _, found_last, after = rest.partition(last)
    if not found_first or not found_last:
        raise ValueError(f"has no place between {first!r} and {last!r}")
    return before + first + made + last + after


# The manual page


def roff(text: str) -> str:
    """Markup of the row as that of man(7)."""
    escaped = text.replace("\\", r"\e")
    literal = re.compile("`([^`]*)`")
    return literal.sub(lambda found: rf"\fB{found[1]}\fP", escaped).replace("--", r"\-\-")


def roff_values(values: str) -> str:
    """Words in bold, placeholders in italics."""
    parts = re.split(r"([A-Z]+|\|)", values.replace("-", r"\-"))
    fonts = ((part, "" if part == "|" else "I" if part.isupper() else "B") for part in parts)
    return "".join(rf"\f{font}{part}\fP" if font else part for part, font in fonts if part)


def manual(rows: list[Setting]) -> str:
    """The section of settings."""
    text = ""
    for row in rows:
        shown = (option.replace("-", r"\-") for option in row.options())
        values = f" {roff_values(row.values)}" if row.values else ""
        tag = ", ".join(rf"\fB{option}\fP" for option in shown) + values
        text += f".TP\n{tag}\n{wrapped(roff(row.description()))}\n"
    return text


def wrapped(text: str, prefix: str = "", rest: str = "") -> str:
    """Lines of at most WIDTH columns."""
    return "\n".join(
        textwrap.wrap(
            text,
            WIDTH,
            initial_indent=prefix,
            subsequent_indent=rest or prefix,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


# Files of settings


def toml(rows: list[Setting]) -> str:
    """Commented lines of the configuration file."""
    lines = []
    for row in rows:
        given = f"# {row.key} = {row.example_toml()}".ljust(_TOML_COLUMN - 1) + " "
        lines.append(wrapped(row.help, given + "# ", "#".ljust(_TOML_COLUMN) + "# "))
    return "\n".join(lines) + "\n"


def uci_lines(row: Setting) -> list[str]:
    """Commented lines of OpenWrt's file."""
    if row.form == "LIST":
        return [f"\t#list {row.key} '{one}'\n" for one in row.example.split(", ")]
    value = "1" if row.form == "FLAG" else row.example
    return [f"\t#option {row.key} '{value}'\n"]


def uci(rows: list[Setting]) -> str:
    """Those that the file's text does not have above."""
    others = (row for row in rows if row.name not in {"rate", "observe"})
    return "".join(line for row in others for line in uci_lines(row))


def init_script(rows: list[Setting]) -> str:
    """The names that the script takes over from UCI."""
    return "".join(
        f"{form}S='{' '.join(row.key for row in rows if row.form == form)}'\n"
        for form in ("TEXT", "FLAG", "LIST")
    )


def luci(rows: list[Setting]) -> str:
    """The form's options."""
    return "".join(
        "\t"
        + json.dumps(
            {
                "key": row.key,
                "form": row.form,
                "words": row.words() if row.kind == "WORD" else [],
                "initial": row.initial,
                "example": row.example,
                "help": row.help,
            }
        )
        + ",\n"
        for row in rows
    )


def completion(rows: list[Setting]) -> str:
    """What can follow an option, as cases of a shell."""
    lines = []
    for row in rows:
        options = "|".join(row.options())
        if row.kind == "DEVICE":
            lines.append(f"    {options}) devices ;;\n")
        elif row.words():
            lines.append(f"    {options}) words {' '.join(row.words())} ;;\n")
    return "".join(lines)


def docs(rows: list[Setting]) -> str:
    """The page's table."""

    def code(words: list[str]) -> str:
        return ", ".join(f"`{word}`" for word in words)

    text = "| option | key | values | default | while attached | |\n|---|---|---|---|---|---|\n"
    for row in rows:
        cells = [
            code(row.options()),
            code([row.key]),
            code(row.values.split("|")) if row.values else "`true`, `false`",
            code([row.initial]) if row.initial else "",
            "changes" if row.change == "LIVE" else "fixed",
            " ".join([row.manual, *([row.bounds()] if row.bounds() else [])]),
        ]
        text += f"| {' | '.join(cells)} |\n"
    return text


def pages(root: Path = ROOT) -> list[generated.Page]:
    """The files, each with what makes its text of today."""
    rows = settings(root)

    def page(
        path: str, first: str, last: str, made: Callable[[list[Setting]], str]
    ) -> generated.Page:
        return root / path, lambda text: between(text, first, last, made(rows))

    marks = ("<!-- settings:begin -->\n", "<!-- settings:end -->")
    return [
        page(
            f"{PACKAGING}/penstock-gw.8",
            "Each is also a key of the configuration file.\n",
            '.TP\n.BR \\-p ", " \\-\\-param',
            manual,
        ),
        page("docs/operator/settings.md", *marks, docs),
        page(f"{PACKAGING}/penstock.toml", "# [wan0]\n", '#\n# rate = "auto" needs', toml),
        page(
            f"{OPENWRT}/penstock-gw/files/penstock.config",
            "\toption observe '1'\n",
            "\t# Prometheus' text",
            uci,
        ),
        page(
            f"{OPENWRT}/penstock-gw/files/penstock.init",
            "# Options of a section that are settings.\n",
            "# Logs are in memory.\n",
            init_script,
        ),
        page(
            f"{OPENWRT}/luci-app-penstock/files/settings.js",
            "const SETTINGS = [\n",
            "];\n",
            luci,
        ),
        page(
            f"{PACKAGING}/completion/penstock-gw", "  case $1 in\n", "    -m|--method)", completion
        ),
    ]


if __name__ == "__main__":
    sys.exit(generated.main(pages(), Path(__file__).name, sys.argv[1:]))
