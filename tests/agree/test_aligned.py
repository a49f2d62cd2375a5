# SPDX-License-Identifier: GPL-2.0-only
"""`penstock agree --aligned`: each side without its cause of difference, stored apart."""

import subprocess
import sys
from dataclasses import replace

import pytest

from penstock.plan.cells import Cell
from penstock.results.metrics import Value
from penstock.runs import backends
from penstock.scenario.read import read

SCENARIO = "ewt-2019/scenario-1"


def play(backend: str, **changes: object) -> dict[str, Value]:
    """The columns of scenario 1 with drop-tail and 17 flows, which lose a lot."""
    scenario = read(SCENARIO, [("tcp.file.size", "2MB")]).scenario
    cell = Cell(scenario, "droptail", "literal", "65535", 17, 1)
    columns = dict(backends.get(backend).run(replace(cell, **changes)).columns)
    columns.pop("wall_s")
    return columns


def test_simulator_has_the_impatient_timer():
    """Recoveries that last longer than the timer end in a timeout."""
    plain, aligned = play("sim"), play("sim-aligned")
    assert aligned["timeouts"] > 1.5 * plain["timeouts"] > 0


def test_simulator_is_the_same_where_nothing_is_lost():
    assert play("sim-aligned", flows=1) == play("sim", flows=1)


def test_ns3_has_penstocks_law(runner):
    """A run is the same whenever it is repeated, so what differs is the law."""
    assert play("ns3", flows=3) != play("ns3-aligned", flows=3)


def test_results_of_both_forms_stay_apart(runner, tmp_path):
    command = [sys.executable, "-m", "penstock", "agree", SCENARIO, "-m", "droptail", "-n", "3"]
    command += [
        "--receivers",
        "65535",
        "--seeds",
        "1",
        "--set",
        "tcp.file.size=300kB",
        "-j",
        "-o",
        str(tmp_path),
    ]
    plain, aligned, again = (
        subprocess.run(command + more, capture_output=True, text=True, check=True).stdout
        for more in ([], ["--aligned"], [])
    )
    assert plain == again != aligned
    folders = {path.name: path for path in (tmp_path / SCENARIO.replace("/", "-")).iterdir()}
    assert set(folders) == {"sim", "ns3", "sim-aligned", "ns3-aligned"}
    cells = [path.name for folder in folders.values() for path in (folder / "cells").iterdir()]
    assert len(cells) == len(set(cells)) == 4


@pytest.mark.parametrize("backend", ["sim", "ns3"])
def test_engines_have_names_of_their_own(runner, backend):
    plain, aligned = (backends.get(name).engine for name in (backend, f"{backend}-aligned"))
    assert aligned == f"{plain} aligned"
