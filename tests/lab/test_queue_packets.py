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


@pytest.mark.parametrize("backend", ["sim", "ns3"])
def test_what_a_device_takes_waits_out_of_sight(tmp_path: Path, backend: str) -> None:
    """Drop-tail loses the same packets, wherever they wait; a law sees only its own queue."""
    if backend == "ns3":
        try:
            ns3_runner.path()
        except UserError as missing:
            pytest.skip(str(missing))
    below = "queue_packets = 10\ndevice_packets = 30"
    split = run(tmp_path, below, "droptail", backend).columns
    whole = run(tmp_path, "queue_packets = 40", "droptail", backend).columns
    assert whole["drops"] > 0
    for column in ("drops", "transfer_s", "timeouts"):
        assert split[column] == whole[column], column
    assert 0 < split["queue_bytes_max"] <= 15_000 < whole["queue_bytes_max"]
    seen = run(tmp_path, "queue_packets = 60", "ewt", backend).columns
    unseen = run(tmp_path, "queue_packets = 60\ndevice_packets = 1000", "ewt", backend).columns
    assert seen["rewritten_acks"] > 0 == unseen["rewritten_acks"]


@pytest.mark.parametrize("method", ["codel", "fq_codel", "penstock"])
def test_every_discipline_takes_a_device_below_it(tmp_path: Path, method: str) -> None:
    split = run(tmp_path, "queue_packets = 60\ndevice_packets = 20", method).columns
    alone = run(tmp_path, "queue_packets = 60", method).columns
    assert split["unfinished"] == alone["unfinished"] == 0
    assert split["utilisation_percent"] == pytest.approx(alone["utilisation_percent"], abs=8)


def test_a_device_with_a_queue_keeps_its_rate(tmp_path: Path) -> None:
    change = '[[link.bottleneck.change]]\nat = "1s"\nrate = "1mbit"\n'
    queue = f"queue_packets = 9\ndevice_packets = 9\n{change}"
    with pytest.raises(UserError, match="a device that takes packets in advance keeps its rate"):
        run(tmp_path, queue, "droptail")
    with pytest.raises(UserError, match="it is below a queue; write"):
        run(tmp_path, "device_packets = 9", "droptail")
    path = tmp_path / "linux.toml"
    path.write_text(FULL.replace('queue = "30kB"', "queue_packets = 9\ndevice_packets = 9"))
    lacks = dict(backends.lacks("live", read(str(path)).scenario))
    assert "queues of their own" in lacks["link", "bottleneck", "device_packets"]
