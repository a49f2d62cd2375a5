# SPDX-License-Identifier: GPL-2.0-only
"""rwm-2006: the scenarios are what the paper says, and what its page says of them comes out."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from penstock.api.reproduce.study import module
from penstock.plan.cells import Cell, scenario_params
from penstock.results.stats import Mean
from penstock.results.tables import Line
from penstock.runs.backends.sim import backend
from penstock.scenario import params
from penstock.scenario.read import read
from penstock.scenario.statements import Paper
from penstock.view.plots.data import Data
from penstock.view.report.paper import AGREES, DIFFERS, compare


def row(
    name: str, method: str, seed: int = 1, sets: Sequence[tuple[str, str]] = ()
) -> Mapping[str, Any]:
    """One run of 150 s with four sources."""
    scenario = read(f"rwm-2006/{name}", sets).scenario
    fields = scenario_params(scenario).get(method, {})
    return backend().run(Cell(scenario, method, "literal", "20000", 4, seed, fields)).columns


@pytest.mark.parametrize("method", ["red", "red_ecn", "red_rwm"])
def test_the_three_settings_are_one_red(method: str) -> None:
    scenario = read("rwm-2006/scenario-1").scenario
    fields = scenario_params(scenario)[method]
    assert (fields["min_th_bytes"], fields["max_th_bytes"]) == (5_000, 15_000)
    assert fields["max_p_q32"] / 2**32 == pytest.approx(1 / 3)
    assert fields["weight_q32"] / 2**32 == pytest.approx(0.002)
    assert fields["gentle"] == 0
    variant = params.methods()[method]
    assert variant.discipline == "red"
    assert variant.ecn == (method == "red_ecn")


def test_a_window_that_reduces_cwnd_is_a_mark_and_one_that_does_not_is_not() -> None:
    """The paper: 15 to 20 % less delay, 35 % less variation, fewer drops, more throughput."""
    red, ecn, held = (row("scenario-1", f"red{which}") for which in ("", "_ecn", "_rwm"))
    apart = row("scenario-1", "red_rwm", sets=(("tcp.ftp.hold_cwnd", "false"),))
    assert ecn["drops"] < red["drops"] / 10
    assert held["drops"] < red["drops"] / 10 < apart["drops"]
    assert 0 == red["rewritten_acks"] < held["rewritten_acks"] < apart["rewritten_acks"] / 10
    assert held["queue_delay_ms_mean"] < 0.85 * red["queue_delay_ms_mean"]
    assert held["queue_delay_ms_sd"] < 0.7 * red["queue_delay_ms_sd"]
    assert apart["queue_delay_ms_mean"] > 1.5 * red["queue_delay_ms_mean"]
    assert held["goodput_mbps_total"] > ecn["goodput_mbps_total"] > red["goodput_mbps_total"]


def test_integral_keeps_every_packet_and_a_steady_delay() -> None:
    for method in ("ewt", "integral"):
        ours = row("scenario-3", method)
        assert ours["drops"] == 0
        assert ours["utilisation_percent"] > 99
        assert ours["queue_delay_ms_sd"] < 10


def _line(method: str, value: float) -> Line:
    mean = Mean(value, 0.0, 2)
    return Line("20000", 4, method, "literal", "", method, {}, {"queue_bytes_mean": mean})


@pytest.mark.parametrize(
    ("ours", "plus", "verdict"),
    [(75, 0, AGREES), (71, 0, AGREES), (69, 0, DIFFERS), (50, 100, AGREES), (150, 0, DIFFERS)],
)
def test_a_change_in_percent_is_compared(ours: float, plus: float, verdict: str) -> None:
    change = {
        "figure": "Fig. 2",
        "source": "text",
        "column": "queue_bytes_mean",
        "method": "red_rwm",
        "flows": [4],
        "others": ["red"],
        "change_percent": -25,
        "tolerance": 5,
        "plus": plus,
    }
    paper = Paper.model_validate({"name": "p", "change": [change]})
    lines = [_line("red_rwm", ours), _line("red", 100)]
    found = compare(Data({}, lines, 2, {}, [], paper))
    assert [each.ours["20000"].verdict for each in found] == [verdict]


downstream = module("rwm-2006", "downstream")


@pytest.mark.parametrize(
    ("after", "ecn", "rwm"),
    [(1.0, DIFFERS, AGREES), (1.5, AGREES, DIFFERS), (0.5, AGREES, DIFFERS)],
)
def test_what_depends_on_routers_downstream_is_told_from_what_does_not(
    after: float, ecn: str, rwm: str
) -> None:
    found = {}
    for method in downstream.METHODS:
        found[method, downstream.EMPTY] = [5_000.0, 5_100.0, 4_900.0]
        found[method, downstream.FULL] = [after * each for each in found[method, downstream.EMPTY]]
    words = {entry.what.split(":")[0]: entry.verdict for entry in downstream.entries(found)}
    assert words == {
        name: rwm if name.endswith("RWM") else ecn
        for name in ("RED-ECN", "RED-RWM", "ARED-ECN", "ARED-RWM", "BLUE-ECN", "BLUE-RWM")
    }
