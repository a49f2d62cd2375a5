# SPDX-License-Identifier: GPL-2.0-only
"""The law `penstock` without each of its parts, on links drawn at random and on its own cases.

Each patch of tools/law_parts takes a part out of a copy of the tree, alone. The extension module
is built there, and simulates --links N links of tools/random_links.py of --seed S, near, in the
middle and far, and --seeds N seeds of the cases below. Words select the parts whose names hold
them, in their order; --together takes out all that are selected at once.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from patches import Patch, read_all
from random_links import BASE, COLUMNS, LAW, PLACES, Found, Link, draw_link, figures, means
from tree import ROOT
from tree_copy import applied, call, copy_tree

PARTS: Final = ROOT / "tools" / "law_parts"
COPY: Final = ROOT / "build" / "ablation" / "tree"
BUILD: Final = ROOT / "build" / "ablation" / "build"
WHOLE: Final = "the whole law"
SELECTED: Final = "without all of them"
_CONFIGURE: Final = ("-G", "Ninja", "-DPENSTOCK_WERROR=OFF")
# Scenario and number of flows: what the law is close to its limits in.
CASES: Final = (
    ("law/small-queue", 32),
    ("law/tiny-far", 32),
    ("law/shallow-far", 4),
    ("law/arrivals", 100),
    ("law/pages", 1),
    ("law/beyond-pages", 1),
    ("law/flows-times-4", 8),
    ("law/long-path", 4),
    ("law/mixed-rtt", 32),
    ("law/both-ways", 8),
    ("live/rrul-be", 4),
)
_MEASURED: Final = ("drops", "timeouts", "utilisation_percent", "queue_delay_ms_p99", "jain")

Row = Mapping[str, float | None]


def parts() -> dict[str, Patch]:
    """By name, such as "phases (5)": the number is that of an equation of core/law/penstock.h."""
    return {name: patch for patch in read_all(PARTS) for key, name in patch.notes if key == "Part"}


@contextmanager
def without(removed: Sequence[Patch]) -> Iterator[None]:
    """The copy without these parts; then it is as before."""
    with ExitStack() as stack:
        for patch in removed:
            stack.enter_context(applied(patch, COPY))
        yield


def configure() -> None:
    """The copy of the tree, and its build."""
    copy_tree(COPY)
    python = f"-DPython_EXECUTABLE={sys.executable}"
    call("cmake", "-S", str(COPY), "-B", str(BUILD), *_CONFIGURE, python)


def build() -> None:
    """The copy's extension module, beside its Python files."""
    call("cmake", "--build", str(BUILD), "--target", "_native")
    for module in BUILD.glob("_native*.so"):
        shutil.copy(module, COPY / "penstock")


def play(scenario: str, *options: str) -> list[Row]:
    """The rows of the copy's simulator; without site, whose redirection to this tree it ignores."""
    found = os.pathsep.join((str(COPY), sysconfig.get_path("purelib")))
    command = (sys.executable, "-S", "-m", "penstock", "run", scenario, "-j", "--workers", "1")
    done = subprocess.run(
        (*command, *options),
        cwd=COPY,
        env={**os.environ, "PYTHONPATH": found},
        check=True,
        capture_output=True,
        text=True,
    )
    rows = map(json.loads, done.stdout.splitlines())
    return [row for row in rows if "drops" in row]


def row_of(link: Link, method: str, folder: Path) -> Row:
    """What one method does on the link."""
    file = folder / f"{link.name}.toml"
    methods = f'methods = ["{method}"]'
    file.write_text(re.sub(r"^methods = .*$", methods, link.text, flags=re.MULTILINE))
    (row,) = play(str(file))
    return row


def on_links(links: Sequence[Link], base: Sequence[Row], folder: Path) -> list[str]:
    """The cells of a law: means over the links."""
    rows = [
        {BASE: fq, LAW: row_of(link, LAW, folder)} for fq, link in zip(base, links, strict=True)
    ]
    found = [Found(link, figures(both)) for link, both in zip(links, rows, strict=True)]
    mean = means(found, (LAW,))[LAW]
    return [f"{mean[column]:.3f}" for column in COLUMNS]


def on_cases(seeds: int) -> list[str]:
    """The cells of a law: means over the seeds of each case."""
    cells = []
    for scenario, flows in CASES:
        rows = play(scenario, "-m", LAW, "-n", str(flows), "--seeds", str(seeds))
        values = (sum(row[name] or 0 for row in rows) / len(rows) for name in _MEASURED)
        drops, timeouts, use, delay_ms, jain = values
        cells.append(f"{drops:.1f} / {timeouts:.1f} / {use:.1f} / {delay_ms:.1f} / {jain:.3f}")
    return cells


def laws(words: Sequence[str], *, together: bool) -> dict[str, tuple[Patch, ...]]:
    """What is taken out, by name: nothing, then each part that a word selects, or all of them."""
    known = parts()
    chosen = {name: (known[name],) for word in words or [""] for name in known if word in name}
    if together:
        chosen = {SELECTED: tuple(patch for patches in chosen.values() for patch in patches)}
    return {WHOLE: (), **chosen}


def main() -> int:
    """Prints a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("words", nargs="*", metavar="PART")
    parser.add_argument("--links", type=int, default=6)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--seeds", type=int, default=3, help="of a case; 0: no cases")
    parser.add_argument("--together", action="store_true")
    options = parser.parse_args()
    numbers = range(1, options.links + 1)
    links = [draw_link(options.seed, number, place) for number in numbers for place in PLACES]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        configure()
        build()
        base = [row_of(link, BASE, folder) for link in links]
        heads = list(COLUMNS) if links else []
        heads += [f"{name}, {flows}" for name, flows in CASES] if options.seeds else []
        print("| without | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
        for name, removed in laws(options.words, together=options.together).items():
            with without(removed):
                build()
                cells = on_links(links, base, folder) if links else []
                cells += on_cases(options.seeds) if options.seeds else []
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
