# SPDX-License-Identifier: GPL-2.0-only
"""The constants of the law `penstock`, each halved and doubled, on links drawn at random.

The links are those of tools/random_links.py: --links N of --seed S, near and far. A row is the mean
over all of them of what random_links reports.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from random_links import (
    BASE,
    BIN,
    LAW,
    Figures,
    Found,
    Link,
    draw_link,
    figures,
    means,
    print_means,
)

from penstock.scenario import params

CONSTANTS: Final = ("target_ns", "gain", "slow_gain", "interval_ns", "delayed_ack_ns")
FACTORS: Final = {"half": (1, 2), "double": (2, 1)}
PLACES: Final = ("near", "far")


def variants(queue_bytes: int) -> dict[str, dict[str, str]]:
    """The law with each constant halved and doubled, by name."""
    rows = {params.user_key(param.name): param for param in params.laws()[LAW].params}
    found = {}
    for name in CONSTANTS:
        row = rows[name]
        value = queue_bytes * row.buffer_num // row.buffer_den if row.buffer_den else row.default
        for word, (times, over) in FACTORS.items():
            key = f"{name.removesuffix('_bytes').removesuffix('_ns')}_{word}"
            found[key] = {name: params.show(row.unit, value * times // over)}
    return found


def text_of(link: Link, own: Mapping[str, Mapping[str, str]]) -> str:
    """The link's scenario with FQ-CoDel, the law, and the variants of it."""
    methods = f"methods = {json.dumps([BASE, LAW, *own])}"
    text = re.sub(r"^methods = .*$", methods, link.text, flags=re.MULTILINE)
    for name, given in own.items():
        table = ", ".join(f"{key} = {json.dumps(value)}" for key, value in given.items())
        text += f'\n[variant.{name}]\nbase = "{LAW}"\nparams = {{ {table} }}\n'
    return text


def _play(link: Link, folder: Path) -> Found:
    queue = re.search(r'^queue = "(\d+)B"$', link.text, re.MULTILINE)
    assert queue
    file = folder / f"{link.name}.toml"
    file.write_text(text_of(link, variants(int(queue[1]))))
    run = [str(BIN / "penstock"), "run", str(file), "-j", "--workers", "1"]
    lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    rows: Mapping[str, Figures] = {
        row["method"]: row for row in map(json.loads, lines) if "drops" in row
    }
    return Found(link, figures(rows))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    links = [
        draw_link(options.seed, number, place)
        for number in range(1, options.links + 1)
        for place in PLACES
    ]
    with tempfile.TemporaryDirectory() as scratch:
        found = [_play(link, Path(scratch)) for link in links]
    print_means(means(found, [BASE, LAW, *variants(0)]))


if __name__ == "__main__":
    main()
