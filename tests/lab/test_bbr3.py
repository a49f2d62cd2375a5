# SPDX-License-Identifier: GPL-2.0-only
"""BBR version 3 from the scenario to the simulator: it responds to losses, and yields."""

from pathlib import Path

import pytest
from lab_support import alone, bulk, long_path

from penstock.errors import UserError
from penstock.runs import backends
from penstock.runs.backends import sim

RECOVERIES = {
    "rack": (),
    "sack": (("tcp.bulk.rack", "false"),),
    "duplicates": (("tcp.bulk.rack", "false"), ("tcp.bulk.sack", "false")),
}


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_it_fills_the_path_with_a_short_queue(tmp_path: Path, recovery: str) -> None:
    """A tenth of it, though it could hold twice what the path does."""
    sets = (("link.bottleneck.queue", "500kB"), *RECOVERIES[recovery])
    cubic = sim.backend().run(alone(tmp_path, "cubic", *sets)).columns
    row = sim.backend().run(alone(tmp_path, "bbr3", *sets)).columns
    assert float(row["queue_bytes_mean"] or 0) < 50_000
    assert float(row["transfer_s"] or 0) < 1.05 * float(cubic["transfer_s"] or 0)


@pytest.mark.parametrize("recovery", RECOVERIES)
def test_its_losses_hold_it_back(tmp_path: Path, recovery: str) -> None:
    """Version 1 ignores them: it loses more than twice as much in half a window."""
    sets = (("link.bottleneck.queue", "100kB"), *RECOVERIES[recovery])
    old, new = (sim.backend().run(alone(tmp_path, name, *sets)).columns for name in ("bbr", "bbr3"))
    assert 0 < float(new["loss_percent"] or 0) < 0.5 * float(old["loss_percent"] or 0)


def test_losses_below_its_threshold_do_not_slow_it_down(tmp_path: Path) -> None:
    """Which is 2 %; CUBIC takes eight times as long with 1 %."""
    plain = sim.backend().run(alone(tmp_path, "bbr3")).columns
    lossy = sim.backend().run(alone(tmp_path, "bbr3", ("link.bottleneck.loss", "0.01"))).columns
    assert float(lossy["transfer_s"] or 0) < 1.15 * float(plain["transfer_s"] or 0)


@pytest.mark.parametrize("recovery", ["rack", "sack"])
def test_losses_above_its_threshold_do(tmp_path: Path, recovery: str) -> None:
    """Each round with losses bounds what it sends; version 1 ignores them."""
    sets = (("link.bottleneck.loss", "0.05"), *RECOVERIES[recovery])
    old, new = (sim.backend().run(alone(tmp_path, name, *sets)).columns for name in ("bbr", "bbr3"))
    assert float(new["transfer_s"] or 0) > 1.3 * float(old["transfer_s"] or 0)


def shares(tmp_path: Path, other: str) -> float:
    """What CUBIC has in Mbit/s while as many of the others run."""
    text = bulk("bulk", "cubic", 2) + bulk("other", other, 2).replace("10MB", "1GB")
    cell = long_path(tmp_path, text, ("time.limit", "20s"), ("tcp.bulk.size", "1GB"))
    (cubic,) = (g for g in sim.backend().run(cell).groups if g["group"] == "bulk")
    return float(cubic["goodput_mbps_total"] or 0)


def test_it_leaves_more_to_cubic_than_version_1(tmp_path: Path) -> None:
    assert shares(tmp_path, "bbr3") > 1.5 * shares(tmp_path, "bbr")


@pytest.mark.parametrize("backend", ["ns3", "ns3-aligned", "live"])
def test_only_the_simulator_has_it(tmp_path: Path, backend: str) -> None:
    scenario = alone(tmp_path, "bbr3", ("tcp.bulk.rack", "false")).scenario
    with pytest.raises(UserError, match="bbr3"):
        backends.check(backend, scenario)


def test_it_shares_no_window(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="bbr3 sets its window by the rate"):
        alone(tmp_path, "bbr3", ("tcp.bulk.sharing", "efcm"))
