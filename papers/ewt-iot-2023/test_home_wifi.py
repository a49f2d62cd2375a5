# SPDX-License-Identifier: GPL-2.0-only
"""The home network of ewt-iot-2023 in ns-3: the queue disc is where packets wait."""

from collections.abc import Callable

import pytest

from penstock.errors import UserError
from penstock.plan.cells import Cell, scenario_params
from penstock.results.metrics import Value
from penstock.results.row import Row
from penstock.runs.backends import ns3_runner
from penstock.scenario.read import read

LIMIT_BYTES = 40_000
SMALL = [
    ("tcp.file.size", "600kB"),
    ("tcp.file.start", "1s..1200ms"),
    ("link.wifi.queue", f"{LIMIT_BYTES}B"),
    ("method.ewt.start_bytes", "13kB"),
    ("method.ewt_iot.start_bytes", "13kB"),
]
Run = Callable[..., dict[str, Value]]


@pytest.fixture(scope="module", name="play")
def _play() -> Run:
    """Runs a method once for all tests."""
    try:
        ns3_runner.path()
    except UserError as missing:
        pytest.skip(str(missing))
    from penstock.runs.backends.ns3 import backend

    known: dict[str, Row] = {}

    def play(method: str, again: bool = False) -> dict[str, Value]:
        if again or method not in known:
            scenario = read("ewt-iot-2023/home-wifi", SMALL).scenario
            fields = scenario_params(scenario).get(method, {})
            cell = Cell(scenario, method, "literal", "65535", 5, 1, fields)
            known[method] = backend().run(cell)
        columns = dict(known[method].columns)
        columns.pop("wall_s")
        return columns

    return play


def number(value: Value) -> float:
    assert isinstance(value, int | float)
    return float(value)


def test_all_stations_get_their_files_over_one_channel(play: Run) -> None:
    row = play("droptail")
    assert row["unfinished"] == 0
    assert 5 < number(row["goodput_mbps_total"]) < 30, "802.11g carries less than 30 Mbit/s"


def test_what_waits_waits_in_the_queue_disc(play: Run) -> None:
    row = play("droptail")
    assert 0.9 * LIMIT_BYTES < number(row["queue_bytes_max"]) <= LIMIT_BYTES
    assert number(row["drops"]) > 0
    assert number(row["queue_delay_ms_p99"]) > 5


@pytest.mark.parametrize("method", ["ewt", "ewt_iot"])
def test_windows_are_rewritten_on_the_radio_side(play: Run, method: str) -> None:
    assert number(play(method)["rewritten_acks"]) > 50
    assert play("droptail")["rewritten_acks"] == 0


def test_ewt_loses_less_than_droptail(play: Run) -> None:
    assert number(play("ewt")["drops"]) < number(play("droptail")["drops"])


def test_the_same_seed_gives_the_same_run(play: Run) -> None:
    first = play("ewt")
    assert play("ewt", again=True) == first
