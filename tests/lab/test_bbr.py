# SPDX-License-Identifier: GPL-2.0-only
"""BBR on the way from the scenario to the simulator: it fills the path, and leaves the queue."""

from pathlib import Path

import pytest
from lab_support import long_path

from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.runs.backends import sim

TRAFFIC = """
[tcp.bulk]
from = "senders"
to = "receivers"
size = "10MB"
congestion = "bbr"
rack = true
"""


def load(tmp_path: Path, *sets: tuple[str, str]) -> Cell:
    return long_path(tmp_path, TRAFFIC, *sets)


@pytest.mark.parametrize("sack", [True, False])
def test_it_fills_the_path_with_a_short_queue(tmp_path: Path, sack: bool) -> None:
    """A fifth of it, though it could hold twice what the path does."""
    own = () if sack else (("tcp.bulk.rack", "false"), ("tcp.bulk.sack", "false"))
    deep = (("link.bottleneck.queue", "500kB"), *own)
    cubic = sim.backend().run(load(tmp_path, *deep, ("tcp.bulk.congestion", "cubic"))).columns
    row = sim.backend().run(load(tmp_path, *deep)).columns
    assert float(row["queue_bytes_mean"] or 0) < 100_000
    assert float(row["transfer_s"] or 0) < 1.15 * float(cubic["transfer_s"] or 0)


@pytest.mark.parametrize("loss", ["0.01", "0.05"])
def test_random_loss_does_not_slow_it_down(tmp_path: Path, loss: str) -> None:
    lossy = ("link.bottleneck.loss", loss)
    plain = sim.backend().run(load(tmp_path)).columns
    row = sim.backend().run(load(tmp_path, lossy)).columns
    assert float(row["transfer_s"] or 0) < 1.3 * float(plain["transfer_s"] or 0)
    cubic = sim.backend().run(load(tmp_path, lossy, ("tcp.bulk.congestion", "cubic"))).columns
    assert float(row["transfer_s"] or 0) < 0.5 * float(cubic["transfer_s"] or 0)


def test_a_seed_gives_the_same_again(tmp_path: Path) -> None:
    first, second = (sim.backend().run(load(tmp_path)).columns for _ in range(2))
    assert {**first, "wall_s": 0} == {**second, "wall_s": 0}


def test_ns3_has_its_own(tmp_path: Path) -> None:
    """Within ns-3's TCP core's has no rates of delivery."""
    scenario = load(tmp_path, ("tcp.bulk.rack", "false")).scenario
    backends.check("ns3", scenario)
    with pytest.raises(UserError, match=r"the ns3-aligned backend has no .* like 'bbr'"):
        backends.check("ns3-aligned", scenario)


def test_linux_has_its_own(tmp_path: Path) -> None:
    backends.check("live", load(tmp_path).scenario)


def test_it_shares_no_window(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="bbr sets its window by the rate"):
        load(tmp_path, ("tcp.bulk.sharing", "efcm"))
