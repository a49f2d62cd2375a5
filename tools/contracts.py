# SPDX-License-Identifier: GPL-2.0-only
"""Counts the contracts of core/ and sim/: PST_REQUIRE and PST_ENSURE, by folder and function.

Names of folders select some. The last line is of functions with more than three statements.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tree import ROOT

_ROOMS: Final = ("core", "sim")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# A name, its arguments, what may follow them, and a body.
_FUNCTION: Final = re.compile(
    r"\b(?P<name>~?[A-Za-z_]\w*|operator\S+)\s*\((?P<arguments>[^;{}]*?)\)\s*"
    r"(?:const|override|noexcept|final|\s)*(?:->[^;{}]+?|:\s[^;]*?)?\{"
)
_NO_FUNCTION: Final = frozenset({"if", "for", "while", "switch", "return", "catch", "sizeof"})
_CONTRACT: Final = re.compile(r"\b(?:PST_REQUIRE|PST_ENSURE)\s*\(")
_FEW: Final = 3  # statements


def plain(source: str) -> str:
    """Its text without comments, strings and directives."""
    return _DIRECTIVE.sub("", _COMMENT.sub("", source))


def bodies(text: str) -> Iterator[str]:
    """The bodies of the functions that it defines."""
    for match in _FUNCTION.finditer(text):
        if match["name"] in _NO_FUNCTION:
            continue
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        yield text[match.end() : at]


def counts(source: str) -> tuple[int, int]:
    """How many functions it defines, and how many contracts they have."""
    text = plain(source)
    return len(list(bodies(text))), len(_CONTRACT.findall(text))


def counts_of_long(source: str) -> tuple[int, int]:
    """The same of functions with more than a few statements besides contracts."""
    found = [(body.count(";"), len(_CONTRACT.findall(body))) for body in bodies(plain(source))]
    long = [contracts for statements, contracts in found if statements - contracts > _FEW]
    return len(long), sum(long)


def sources(folder: Path) -> Iterator[Path]:
    """Its C and C++ files."""
    for path in sorted(folder.iterdir()):
        if path.suffix in {".h", ".c", ".cpp"}:
            yield path


def line(name: str, functions: int, contracts: int) -> str:
    """A folder's counts."""
    rate = contracts / functions if functions else 0.0
    return f"{name:<16}{functions:>6} functions{contracts:>6} contracts{rate:>7.2f} a function"


def main() -> int:
    """Prints a line a folder, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", help="as sim/tcp; all without")
    wanted = parser.parse_args().folders
    total = [0, 0]
    long = [0, 0]
    for room in _ROOMS:
        for folder in sorted({ROOT / room, *(p for p in (ROOT / room).iterdir() if p.is_dir())}):
            name = str(folder.relative_to(ROOT))
            if wanted and name not in wanted:
                continue
            texts = [path.read_text() for path in sources(folder)]
            found = [counts(text) for text in texts]
            functions, contracts = sum(f for f, _ in found), sum(c for _, c in found)
            if functions:
                print(line(name, functions, contracts))
            total[0] += functions
            total[1] += contracts
            for functions, contracts in map(counts_of_long, texts):
                long[0] += functions
                long[1] += contracts
    print(line("all", *total))
    print(line("of these, long", *long))
    return 0


if __name__ == "__main__":
    sys.exit(main())
