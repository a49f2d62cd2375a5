# SPDX-License-Identifier: GPL-2.0-only
"""Every queue and every group of a scenario in the results: columns, series, distributions."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from lab_support import SMALL, Run

from penstock import columns
from penstock.plan.build import build
from penstock.results import frames
from penstock.results.queues import PLACE
from penstock.runs import wishes
from penstock.runs.wishes import Wishes
from penstock.scenario.limits import MOST_QUEUES
from penstock.scenario.source import parse

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "columns.md").read_text()

# A second gateway, and a second queue that loses packets; users beside the flows.
EGRESS = '[link.egress]\nrate = "100mbit"'
TWO = (
    SMALL.replace(EGRESS, '[link.egress]\nrate = "2mbit"\nqueue = "9kB"')
    + """
[gateway.right]
link = "egress"
method = "red"

[tcp.web]
from = "senders"
to = "receivers"
count = 2

[tcp.web.traffic]
kind = "web"
transfers = 5
"""
)
KEYS = ("method", "seed")


@pytest.fixture
def stored(penstock: Run, tmp_path: Path) -> Path:
    """The results of four runs."""
    (tmp_path / "two.toml").write_text(TWO)
    done = penstock("run", "two.toml", "--receivers", "65535", "-o", "out")
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


def table(folder: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(folder / f"{name}.parquet")


def test_each_queue_has_the_columns_of_the_measured_one(stored: Path) -> None:
    runs, queues = table(stored, "results"), table(stored, "queues")
    places = queues.select(PLACE).unique().sort(PLACE).rows()
    assert ("bottleneck", "forward", 1, "left") in places
    assert ("bottleneck", "back", 1, "") in places
    assert ("egress", "forward", 3, "right") in places
    assert len(places) == 2 + 2 * 3
    measured = queues.filter(link="bottleneck", direction="forward")
    shared = [*KEYS, *columns.QUEUE_COLUMNS]
    assert measured.select(shared).equals(runs.select(shared))
    assert "loss_percent" in shared
    assert "rewritten_acks" in shared
    losses = queues.filter(link="egress", direction="forward")["drops"]
    assert losses.sum() > 0, "only these rows know"


def test_series_of_each_queue(stored: Path) -> None:
    samples, series = table(stored, "queue_series"), table(stored, "series")
    shown = ["method", "time_s", "queue_bytes", "queue_packets", "window_bytes"]
    measured = samples.filter(link="bottleneck", direction="forward")
    assert measured.select(shown).equals(series.select(shown))
    egress = samples.filter(link="egress", direction="forward")
    assert egress.height == 3 * series.height
    assert egress["queue_bytes"].max() > 0
    per_packet = egress.filter(egress["queue_packets"] > 0)
    sizes = (per_packet["queue_bytes"] / per_packet["queue_packets"]).unique()
    assert sizes.max() <= 1500
    assert ((egress["queue_packets"] > 0) == (egress["queue_bytes"] > 0)).all()
    assert set(samples["seed"]) == {1}


def test_distribution_of_each_group(stored: Path) -> None:
    found, flows, groups = (table(stored, n) for n in ("completions", "flows", "groups"))
    for method, seed in (("droptail", 1), ("ewt", 2)):
        run = {"method": method, "seed": seed}
        bulk = found.filter(**run, group="bulk")
        times = flows.filter(**run, group="bulk")["transfer_s"].sort()
        assert bulk["transfer_s"].to_list() == times.to_list()
        assert bulk["share"].to_list() == pytest.approx([1 / 3, 2 / 3, 1.0])
        web, row = found.filter(**run, group="web"), groups.filter(**run, group="web")
        assert web["transfers"].sum() == row["transfers"].item() == 10
        assert web["transfer_s"].is_sorted()
        assert web["share"].to_list()[-1] == 1.0
        median = web.filter(pl.col("share") >= 0.5)["transfer_s"].min()
        assert 1e3 * median == pytest.approx(row["fct_ms_p50"].item(), abs=1e-3)
        mean = (web["transfer_s"] * web["transfers"]).sum() / 10
        assert 1e3 * mean == pytest.approx(row["fct_ms_mean"].item(), rel=0.004)


def test_a_station_on_a_cable_has_one_queue() -> None:
    text = SMALL.replace("[link.egress]\n", '[link.egress]\nmedium = "csma-cd"\nqueue = "9kB"\n')
    _, plan = wishes.plan(parse("s", text.encode()), Wishes(methods=["droptail"]))
    built = build(plan.cell("droptail", "65535", 3, 1))
    found = [(queue.link, queue.direction, queue.number) for queue in built.queues]
    egress = [each for each in found if each[0] == "egress"]
    assert egress == [("egress", "forward", 1), *(("egress", "back", n) for n in (1, 2, 3))]


def test_many_queues_are_counted_up_to_a_limit() -> None:
    text = SMALL.replace("[link.access]\n", '[link.access]\nqueue = "1MB"\n')
    _, plan = wishes.plan(parse("s", text.encode()), Wishes(methods=["droptail"]))
    built = build(plan.cell("droptail", "65535", 200, 1))
    assert len(built.queues) == MOST_QUEUES
    assert f"up to {MOST_QUEUES} per run" in PAGE
    assert built.network.sample is not None
    assert len(built.network.sample.links) <= MOST_QUEUES + 1


def test_the_document_has_every_column_of_the_tables(stored: Path) -> None:
    for name in ("queues", "queue_series", "completions", "flows", "series"):
        assert f"- `{name}.parquet`" in PAGE
        assert all(f"`{column}`" in PAGE for column in table(stored, name).columns)


def test_runs_without_any_have_none() -> None:
    assert frames.queues([]).is_empty()
    assert frames.queue_series([]).is_empty()
    assert frames.completions([]).is_empty()
    assert np.array_equal(frames.completions([]).columns, [])
