# SPDX-License-Identifier: GPL-2.0-only
"""DCTCP, Prague and DualPI2 on the way from the scenario to the results."""

from pathlib import Path

import polars as pl
import pytest
from lab_support import Run, head, network

from penstock.errors import UserError
from penstock.plan import build
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp
from penstock.runs import backends
from penstock.scenario.read import read

TWO = (
    head("Two sorts of senders", receivers="4MB", methods=["droptail", "dualpi2"])
    + f"""\

{network("100kB")}
[tcp.low]
from = "senders"
to = "receivers"
count = 1
size = "2MB"
congestion = "prague"

[tcp.classic]
from = "senders"
to = "receivers"
count = 1
size = "2MB"
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return path


def _ends(file: Path, *sets: tuple[str, str]) -> dict[str, Tcp]:
    cell = Cell(read(str(file), sets).scenario, "dualpi2", "safe", "4000000", 1, 1)
    found = [each for each in build.build(cell).network.traffic if isinstance(each, Tcp)]
    return {each.sender.method: each for each in found}


@pytest.mark.parametrize("sender", ["prague", "dctcp"])
def test_both_ends_speak_ecn_exactly_where_the_sender_needs_it(file: Path, sender: str) -> None:
    ends = _ends(file, ("tcp.low.congestion", sender))
    assert ends[sender].sender.ecn
    assert ends[sender].receiver.ecn
    assert ends[sender].receiver.exact_ecn
    assert not ends["cubic"].sender.ecn
    assert not ends["cubic"].receiver.exact_ecn


def test_the_low_latency_queue_has_columns_of_its_own(file: Path, penstock: Run) -> None:
    done = penstock("run", file, "-o", file.parent / "out")
    assert done.returncode == 0, done.stderr
    queues = pl.read_parquet(file.parent / "out" / "queues.parquet")
    measured = queues.filter(link="bottleneck", direction="forward")
    by_method = {row["method"]: row for row in measured.to_dicts()}
    low = by_method["dualpi2"]["low_latency_delay_ms_p99"]
    assert 0 < by_method["dualpi2"]["low_latency_delay_ms_mean"] < low
    assert low < by_method["dualpi2"]["queue_delay_ms_p99"]
    assert by_method["droptail"]["low_latency_delay_ms_p99"] is None


def test_other_results_have_no_such_columns(file: Path, penstock: Run) -> None:
    done = penstock("run", file, "-m", "droptail", "-o", file.parent / "out")
    assert done.returncode == 0, done.stderr
    queues = pl.read_parquet(file.parent / "out" / "queues.parquet")
    assert not [name for name in queues.columns if name.startswith("low_latency")]


@pytest.mark.parametrize("backend", ["ns3-aligned", "live"])
def test_others_have_no_receiver_that_echoes_each_mark(file: Path, backend: str) -> None:
    scenario = read(str(file), [("tcp.low.congestion", "dctcp")]).scenario
    message = f"the {backend} backend has no congestion control like 'dctcp'"
    with pytest.raises(UserError, match=message):
        backends.check(backend, scenario)


def test_labels_would_overwrite_the_marks(file: Path, penstock: Run) -> None:
    done = penstock("run", file, "-m", "csfq")
    assert done.returncode == 78
    assert "csfq writes labels into the bits of ECN, which prague needs" in done.stderr


def test_ns3_has_one_queue(file: Path, penstock: Run) -> None:
    sets = ("--set", "tcp.low.congestion=cubic")
    done = penstock("run", file, "-m", "dualpi2", "--backend", "ns3", *sets)
    assert done.returncode == 69
    assert "dualpi2 needs several queues, and ns-3 has none like it" in done.stderr
