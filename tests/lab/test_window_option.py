# SPDX-License-Identifier: GPL-2.0-only
"""Windows in the data, from the scenario to the simulator."""

import pytest

from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.results.row import Row
from penstock.runs import backends
from penstock.runs.backends import sim
from penstock.scenario.read import read

OPTION = "tcp.downloads.window_option"
SCENARIO = "traffic/other-way-back"


def played(method: str, option: bool, receivers: str = "auto") -> Row:
    scenario = read(SCENARIO, [(OPTION, str(option).lower())]).scenario
    return sim.backend().run(Cell(scenario, method, scenario.sweep.mode, receivers, 12, 1))


def drops(method: str, option: bool = True, receivers: str = "auto") -> int:
    return int(str(played(method, option, receivers).columns["drops"]))


@pytest.mark.parametrize("receivers", ["65535", "auto"])
def test_a_gateway_of_acks_sees_none_and_one_of_data_holds_the_queue(receivers: str) -> None:
    plain = drops("droptail", option=False, receivers=receivers)
    assert plain > 500
    for method in ("ewa", "fewa", "ewt", "penstock"):
        assert drops(method, option=False, receivers=receivers) == plain
    assert drops("penstock", receivers=receivers) == 0
    assert drops("ewa", receivers=receivers) < plain / 3
    for method in ("fewa", "ewt"):
        assert drops(method, receivers=receivers) < plain
    for method in ("integral", "share"):
        assert drops(method, receivers=receivers) == 0


def test_receivers_without_it_and_liars_are_as_without_the_option() -> None:
    for key in ("feedback=false", "forge_feedback=true"):
        name, _, value = key.partition("=")
        scenario = read(SCENARIO, [(f"tcp.downloads.{name}", value)]).scenario
        cell = Cell(scenario, "penstock", scenario.sweep.mode, "auto", 12, 1)
        assert int(str(sim.backend().run(cell).columns["drops"])) > 500


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("congestion", "xcp_sender", "has a header of its own"),
        ("opened_by", "receiver", "the sender's SYN begins the header"),
        ("quic", "true", "QUIC has none"),
    ],
)
def test_what_it_cannot_be_combined_with(key: str, value: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(SCENARIO, [(f"tcp.downloads.{key}", value)])


def test_ns3_has_no_such_header() -> None:
    scenario = read(SCENARIO).scenario
    flaws = dict(backends.lacks("ns3", scenario))
    assert "no header for a window" in flaws["tcp", "downloads", "window_option"]
