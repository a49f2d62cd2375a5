# SPDX-License-Identifier: GPL-2.0-only
"""Copa from the scenario to the simulator: short queues, and its share beside CUBIC."""

from pathlib import Path

import pytest
from lab_support import alone, bulk, long_path

from penstock.errors import UserError
from penstock.runs import backends
from penstock.runs.backends import sim


def test_it_fills_the_path_with_a_short_queue(tmp_path: Path) -> None:
    sets = ("link.bottleneck.queue", "500kB")
    cubic, row = (sim.backend().run(alone(tmp_path, m, sets)).columns for m in ("cubic", "copa"))
    assert float(row["queue_bytes_mean"] or 0) < 0.2 * float(cubic["queue_bytes_mean"] or 0)
    assert float(row["transfer_s"] or 0) < 1.1 * float(cubic["transfer_s"] or 0)
    assert row["loss_percent"] == 0


def test_random_losses_do_not_slow_it_down(tmp_path: Path) -> None:
    plain = sim.backend().run(alone(tmp_path, "copa")).columns
    lossy = sim.backend().run(alone(tmp_path, "copa", ("link.bottleneck.loss", "0.01"))).columns
    assert float(lossy["transfer_s"] or 0) < 1.15 * float(plain["transfer_s"] or 0)


def share(tmp_path: Path, competitive: bool) -> float:
    """The part that two have of the link, beside as many CUBIC flows."""
    text = bulk("bulk", "cubic", 2) + bulk("other", "copa", 2)
    sets = (("time.limit", "40s"), ("sender.copa.competitive", str(competitive).lower()))
    cell = long_path(tmp_path, text.replace("10MB", "1GB"), *sets)
    groups = {g["group"]: g for g in sim.backend().run(cell).groups}
    ours, theirs = (float(groups[n]["goodput_mbps_total"] or 0) for n in ("other", "bulk"))
    return ours / (ours + theirs)


def test_it_competes_with_cubic(tmp_path: Path) -> None:
    assert share(tmp_path, True) > 2 * share(tmp_path, False)


@pytest.mark.parametrize("backend", ["ns3", "ns3-aligned", "live"])
def test_only_the_simulator_has_it(tmp_path: Path, backend: str) -> None:
    scenario = alone(tmp_path, "copa", ("tcp.bulk.rack", "false")).scenario
    with pytest.raises(UserError, match="copa"):
        backends.check(backend, scenario)
