# SPDX-License-Identifier: GPL-2.0-only
"""papers/nis-2004/today: what the document says of sharing beside one connection."""

from typing import Any

from penstock.plan.cells import Cell
from penstock.runs.backends import sim
from penstock.scenario.read import read

SHARED = ("tcp.first.sharing", "tcp.others.sharing")


def played(name: str, sharing: str = "") -> tuple[float, dict[str, dict[str, Any]]]:
    """Loss in percent, and the groups."""
    sets = [(key, sharing) for key in SHARED] if sharing else []
    scenario = read(f"nis-2004/today/{name}", sets).scenario
    flows = scenario.sweep.flows[0]
    row = sim.backend().run(Cell(scenario, "droptail", scenario.sweep.mode, "auto", flows, 1))
    loss = float(str(row.columns["loss_percent"]))
    return loss, {str(group["group"]): dict(group) for group in row.groups}


def test_sharing_beside_one_connection() -> None:
    runs = {name: played("files", name) for name in ("", "tcbi_temporal", "efcm")}
    one_loss, one = played("one-connection")
    assert 3 * one_loss < runs["tcbi_temporal"][0] < runs[""][0] / 1.5
    assert runs["efcm"][0] > 1.3 * runs[""][0]
    spand, manager = played("files", "spand"), played("files", "congestion_manager")
    assert spand[0] < runs[""][0] / 1.5
    assert spand[1]["first"]["fct_ms_mean"] > 1.5 * runs[""][1]["first"]["fct_ms_mean"]
    assert manager[1]["others"]["fct_ms_mean"] > 5 * runs[""][1]["others"]["fct_ms_mean"]
    assert one["page"]["transfers"] == runs[""][1]["first"]["transfers"]
    apart, shared = (runs[name][1]["others"] for name in ("", "efcm"))
    assert shared["fct_ms_p99"] < apart["fct_ms_p99"] < one["page"]["fct_ms_p99"]
    background = [groups["background"]["goodput_mbps_total"] for _, groups in runs.values()]
    assert one["background"]["goodput_mbps_total"] > 1.05 * min(background)


def test_both_halves_together() -> None:
    """What docs/papers/nis-2004.md says of them."""

    def pages(method: str, sharing: str) -> tuple[float, float]:
        """Loss in percent, and the 99th percentile of the files that are requested later."""
        sets = [(key, sharing) for key in SHARED]
        scenario = read("nis-2004/today/whole", sets).scenario
        row = sim.backend().run(Cell(scenario, method, scenario.sweep.mode, "65535", 6, 1))
        groups = {str(group["group"]): dict(group) for group in row.groups}
        return float(str(row.columns["loss_percent"])), groups["others"]["fct_ms_p99"]

    loss, tail = pages("etcp_3", "fs_tcbi")
    assert loss == 0
    for method, sharing in (("droptail", "fs_tcbi"), ("droptail", "efcm"), ("fewa", "efcm")):
        other_loss, other_tail = pages(method, sharing)
        assert other_loss > 1
        assert tail < other_tail
    assert pages("quick_start_fewa", "fs_tcbi")[0] < 0.2
