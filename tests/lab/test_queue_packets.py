# SPDX-License-Identifier: GPL-2.0-only
"""A gateway whose queue is limited in packets, as many papers have it."""

from pathlib import Path

import pytest
from lab_support import SMALL

from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.results.row import Row
from penstock.runs import backends
from penstock.runs.backends import ns3_runner
from penstock.scenario import params
from penstock.scenario.read import read

EARLY = ("blue", "fair")  # drop while there is room
FULL = SMALL.replace('size = "300kB"', 'size = "3MB"\nsegment = "1448B"')


def run(tmp_path: Path, queue: str, method: str, backend: str = "sim") -> Row:
    path = tmp_path / "packets.toml"
    path.write_text(FULL.replace('queue = "30kB"', queue))
    cell = Cell(read(str(path)).scenario, method, "safe", "65535", 3, 1)
    return backends.get(backend).run(cell)


@pytest.mark.parametrize("method", params.methods())
def test_a_limit_in_packets_is_one_in_bytes_where_all_are_full(tmp_path: Path, method: str) -> None:
    in_packets = run(tmp_path, "queue_packets = 99", method).columns
    in_bytes = run(tmp_path, 'queue = "148500B"', method).columns
    assert in_packets["utilisation_percent"] > 50  # with a threshold of a byte, next to nothing
    assert in_packets["loss_percent"] < (5 if method in EARLY else 2)
    if method != "ewa":  # counts packets where the limit does
        assert in_packets["transfer_s"] == pytest.approx(in_bytes["transfer_s"], rel=0.05)


def test_ns3_derives_the_same_thresholds(tmp_path: Path) -> None:
    try:
        ns3_runner.path()
    except UserError as missing:
        pytest.skip(str(missing))
    ours = run(tmp_path, "queue_packets = 99", "red").columns
    theirs = run(tmp_path, "queue_packets = 99", "red", "ns3").columns
    assert theirs["transfer_s"] == pytest.approx(ours["transfer_s"], rel=0.1)
    assert theirs["loss_percent"] < 2


def test_each_direction_has_its_own_limit(tmp_path: Path) -> None:
    turned = SMALL.replace('from = "senders"', 'from = "receivers"')
    turned = turned.replace('to = "receivers"', 'to = "senders"')
    back = 'queue = "30kB"\n[link.bottleneck.back]\nqueue_packets = 5'
    path = tmp_path / "back.toml"
    path.write_text(
        turned.replace('queue = "30kB"', back).replace(
            'link = "bottleneck"', 'link = "bottleneck"\ndirection = "back"'
        )
    )
    assert read(str(path)).scenario.link["bottleneck"].back.queue_packets == 5
