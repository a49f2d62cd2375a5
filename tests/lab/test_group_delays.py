# SPDX-License-Identifier: GPL-2.0-only
"""How long the packets of each group of traffic wait: tables, figures, and what they add up to."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import SMALL, command
from matplotlib.figure import Figure

from penstock.api import load
from penstock.errors import UsageError

WEB = """[tcp.web]
from = "senders"
to = "receivers"
count = 3

[tcp.web.traffic]
kind = "web"
transfers = 5
reading = "0.1s"

[udp.call]
from = "senders"
to = "receivers"
rate = "64kbit"
payload = "160B"

[sample]"""
KEYS = ["method", "seed"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bulk flows, users of the web whose connections come and go, and a call."""
    here = tmp_path_factory.mktemp("groups")
    (here / "s.toml").write_text(SMALL.replace("[sample]", WEB))
    words = ("-m", "droptail,fq_codel,penstock", "-n", "6", "--receivers", "auto", "--seeds", "2")
    done = command("run", "s.toml", *words, "-o", "out", cwd=here)
    assert done.returncode == 0, done.stderr
    return here / "out"


def table(folder: Path, *words: str) -> dict[str, Any]:
    done = command("table", str(folder), *words, "-j")
    assert done.returncode == 0, done.stderr
    return {row["method"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_the_groups_add_up_to_all_traffic(folder: Path) -> None:
    """Each packet that left the queue is one of a group, at all kinds of queues."""
    results = load(folder)
    groups = results.group_delays
    assert set(groups["group"]) == {"bulk", "web", "call"}
    packets = pl.col("packets")
    whole = groups.group_by(KEYS).agg(
        mean=(packets * pl.col("queue_delay_ms_mean")).sum() / packets.sum(),
        largest=pl.col("queue_delay_ms_max").max(),
    )
    both = whole.join(results.frame, on=KEYS)
    assert len(both) == 6
    for row in both.iter_rows(named=True):
        assert row["mean"] == pytest.approx(row["queue_delay_ms_mean"], abs=2e-6)
    last = results.delays.filter(pl.col("group") == "", pl.col("share") == 1.0)
    joined = whole.join(last, on=KEYS)
    assert joined["largest"].to_list() == joined["delay_ms"].to_list()


def test_a_table_of_a_group_has_its_delays(folder: Path) -> None:
    groups = load(folder).group_delays
    every = table(folder)
    for name in ("bulk", "web", "call"):
        rows = table(folder, "--group", name)
        for method, row in rows.items():
            own = groups.filter(pl.col("group") == name, pl.col("method") == method)
            for figure in ("mean", "p99"):
                column = f"queue_delay_ms_{figure}"
                assert row[column]["mean"] == pytest.approx(own[column].mean(), abs=1e-6)
            assert row["loss_percent"] == every[method]["loss_percent"]
    call, bulk = (table(folder, "--group", name) for name in ("call", "bulk"))
    assert call["droptail"]["goodput_mbps_total"] is None
    assert bulk["droptail"]["goodput_mbps_total"]["mean"] > 0
    ratio = {
        method: row["queue_delay_ms_p99"]["mean"] / bulk[method]["queue_delay_ms_p99"]["mean"]
        for method, row in call.items()
    }
    assert ratio["fq_codel"] < 0.3 < 0.9 < ratio["droptail"]


def test_the_distribution_of_a_group_is_that_of_its_figures(folder: Path) -> None:
    results = load(folder)
    p99 = results.delays.filter((pl.col("share") - 0.99).abs() < 1e-9, pl.col("group") != "")
    both = p99.join(results.group_delays, on=[*KEYS, "group"])
    assert len(both) == len(results.group_delays) == 18
    assert (both["delay_ms"] == both["queue_delay_ms_p99"]).all()


def titles(figure: Figure) -> list[str]:
    return [axes.get_title() for axes in figure.axes if axes.get_visible()]


def test_a_figure_has_a_panel_for_each_group(folder: Path) -> None:
    plot = load(folder).plot
    assert titles(plot.delay()) == ["all traffic", "bulk", "web", "call"]
    assert titles(plot(group="call").delay()) == [""]
    with pytest.raises(UsageError, match="group='cal': no such group; did you mean 'call'"):
        plot(group="cal").delay()
    out = folder.parent / "delay.pdf"
    assert command("plot", str(folder), "delay", "--group", "call", "-o", str(out)).returncode == 0


def test_one_group_is_all_traffic(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SMALL)
    words = ("-m", "droptail", "-n", "2", "--seeds", "1", "--receivers", "auto", "-o", "out")
    assert command("run", "s.toml", *words, cwd=tmp_path).returncode == 0
    results = load(tmp_path / "out")
    assert results.group_delays.is_empty()
    assert set(results.delays["group"]) == {""}


def test_a_warm_up_counts_for_no_group(tmp_path: Path) -> None:
    text = SMALL.replace("[sample]", '[time]\nwarm_up = "1s"\n\n' + WEB)
    assert "warm_up" in text
    (tmp_path / "s.toml").write_text(text)
    words = ("-m", "droptail", "-n", "6", "--seeds", "1", "--receivers", "auto", "-o", "out")
    done = command("run", "s.toml", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = load(tmp_path / "out")
    groups = results.group_delays
    mean = (groups["packets"] * groups["queue_delay_ms_mean"]).sum() / groups["packets"].sum()
    assert mean == pytest.approx(results.frame["queue_delay_ms_mean"][0], abs=2e-6)
