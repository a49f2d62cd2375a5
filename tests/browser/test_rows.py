# SPDX-License-Identifier: GPL-2.0-only
"""The page's rows are those of the native simulator, byte for byte."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from chromium import Chromium

from penstock.plan.cells import Cell
from penstock.results.metrics import Value
from penstock.runs.backends import sim
from penstock.scenario import params
from penstock.scenario.read import read

ABSENT = ("wall_s", "rpm", "qoo_percent")
METHODS = list(params.methods())
FOUR = [",".join(METHODS[at : at + 4]) for at in range(0, len(METHODS), 4)]
SMALL = "rate=4mbit&rtt=61ms&buffer=30kB&flows=7&size=250kB"
GRID = [
    "rate=500kbit&rtt=600ms&buffer=20kB&flows=1&size=200kB&methods=droptail,ewt,penstock",
    "rate=100mbit&rtt=2ms&buffer=250kB&flows=40&size=300kB&window=65535&congestion=newreno&seed=7",
    "rate=4mbit&rtt=540ms&buffer=97kB&flows=24&size=500kB&methods=droptail,fq_codel,ewt,penstock",
    "rate=20mbit&rtt=30ms&buffer=60kB&flows=9&size=1MB&congestion=bbr&methods=droptail,codel",
    "rate=20mbit&rtt=12ms&buffer=250kB&flows=3&size=2MB&congestion=prague&methods=droptail,dualpi2",
    "rate=9mbit&rtt=40ms&buffer=90kB&flows=2&size=1MB&congestion=dctcp&methods=red_ecn,xcp",
    "rate=1.2mbit&rtt=15ms&buffer=5kB&flows=160&size=20kB&seed=3&methods=droptail,fair,share",
    "rate=333kbit&rtt=0ms&buffer=1500B&flows=3&size=1B&methods=droptail,penstock",
    "rate=250mbit&rtt=200ms&buffer=5MB&flows=2&size=20MB&congestion=vegas&methods=pie,awm",
]


def show(browser: Chromium, fragment: str) -> list[str]:
    """The rows of these settings."""
    browser.ask(
        "new Promise((done) => {"
        " addEventListener('hashchange', () => setTimeout(done), {once: true});"
        f" location.hash = {fragment!r}; }})"
    )
    found = browser.until(lambda: browser.ask("penstock.rows() ?? penstock.errors()[0]"))
    assert isinstance(found, list), found
    return found


def file_of(browser: Chromium, folder: Path) -> Path:
    file = folder / "link.toml"
    file.write_text(browser.ask("penstock.scenario()"))
    return file


def shown(row: Mapping[str, Value]) -> str:
    """A row without the columns that the page lacks."""
    return json.dumps({name: each for name, each in row.items() if name not in ABSENT})


def native(file: Path, seed: int) -> list[str]:
    """What `penstock run FILE --seeds SEED-SEED -j` prints, without the wall time."""
    scenario = read(str(file)).scenario
    sweep = scenario.sweep
    (receivers,), (flows,) = sweep.receivers, sweep.flows
    cells = (
        Cell(scenario, method, sweep.mode, receivers, flows, seed, sampled=True)
        for method in sweep.methods
    )
    return [shown(sim.backend().run(cell).columns) for cell in cells]


@pytest.mark.parametrize("fragment", [*GRID, *(f"{SMALL}&methods={four}" for four in FOUR)])
def test_a_row_is_the_native_one(browser: Chromium, tmp_path: Path, fragment: str) -> None:
    rows = show(browser, fragment)
    seed = json.loads(rows[0])["seed"]
    assert rows == native(file_of(browser, tmp_path), seed)


def test_the_command_in_the_file_prints_the_rows(browser: Chromium, tmp_path: Path) -> None:
    rows = show(browser, f"{SMALL}&seed=5&methods=droptail,penstock")
    file = file_of(browser, tmp_path)
    command = next(
        line.removeprefix("# penstock ").split()
        for line in file.read_text().splitlines()
        if line.startswith("# penstock run ")
    )
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *command, "-j"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    printed = [shown(json.loads(line)) for line in done.stdout.splitlines()]
    assert rows == printed


@pytest.mark.parametrize(
    "value",
    [0.0, 1.0, 0.1, 1e-6, 5e-05, 0.0078125, 0.0234375, 2.5000005, 123456.7890125, 1e15, 1e16, 3e20],
)
def test_numbers_are_written_as_python_does(browser: Chromium, value: float) -> None:
    shown = browser.ask(f"penstock.number({value!r})")
    assert shown == repr(round(value, 6))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 127, 128, 129, 1000])
def test_sums_are_those_of_numpy(browser: Chromium, count: int) -> None:
    import numpy as np

    values = np.random.default_rng(count).random(count) * 10.0 ** np.arange(count).clip(0, 9)
    assert browser.ask(f"penstock.sum({values.tolist()})") == float(np.sum(values))
