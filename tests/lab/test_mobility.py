# SPDX-License-Identifier: GPL-2.0-only
"""[mobility]: receivers that move between cells, from scenario to columns."""

from pathlib import Path

import pytest
from lab_support import Run, head, rows

CELLS = (
    head("Two cells", flows=2, receivers="20000")
    + """\
seeds = 1

[topology]
nodes = { server = 1, router = 1, cell_1 = 1, cell_2 = 1, both = 2 }

[link.core]
from = "server"
to = "router"
rate = "100mbit"
delay = "20ms"

[link.air_1]
from = "router"
to = "cell_1"
rate = "10mbit"
delay = "2ms"
queue = "60kB"

[link.air_2]
from = "router"
to = "cell_2"
rate = "10mbit"
delay = "2ms"
queue = "60kB"

[link.aside]
from = "router"
to = "both"
rate = "10mbit"
delay = "2ms"

[gateway.base_1]
link = "air_1"

[gateway.base_2]
link = "air_2"

[tcp.file]
from = "server"
to = "cell_1"
size = "2MB"

[mobility]
cells = ["cell_1", "cell_2"]
dwell = "2s"
outage = "500ms"
"""
)
FREEZE = ("--sweep", "mobility.freeze=false,true")


def file(folder: Path, text: str = CELLS) -> Path:
    path = folder / "cells.toml"
    path.write_text(text)
    return path


def test_a_frozen_sender_loses_nothing(penstock: Run, tmp_path: Path) -> None:
    done = penstock("run", file(tmp_path), *FREEZE, "-j")
    assert done.returncode == 0, done.stderr
    found = {row["mobility.freeze"]: row for row in rows(done.stdout)}
    plain, frozen = found["false"], found["true"]
    assert plain["timeouts"] >= 2
    assert plain["retransmissions"] > 0
    assert frozen["timeouts"] == frozen["retransmissions"] == 0
    assert frozen["transfer_s"] < plain["transfer_s"]


def test_any_number_of_workers_gives_the_same(penstock: Run, tmp_path: Path) -> None:
    drawn = CELLS.replace('"2s"', '"exponential(1s)"').replace('"500ms"', '"gamma(300ms, 200ms)"')
    found = []
    for workers in (1, 2):
        done = penstock(
            "run", file(tmp_path, drawn), *FREEZE, "--seeds", "2", "--workers", workers, "-j"
        )
        assert done.returncode == 0, done.stderr
        found.append(rows(done.stdout))
    assert len(found[0]) == 4
    assert found[0] == found[1]


def test_users_move_with_their_pages(penstock: Run, tmp_path: Path) -> None:
    web = (
        '[tcp.file.traffic]\nkind = "web"\ntransfers = 20\nsession = "100ms"\nreading = "200ms"\n'
        'pages = 5\nsize = "20kB"\n'
    )
    done = penstock("run", file(tmp_path, CELLS.replace('size = "2MB"\n', "") + web), *FREEZE, "-j")
    assert done.returncode == 0, done.stderr
    for row in rows(done.stdout):
        (group,) = row["groups"]
        assert group["transfers"] == 40
        assert row["unfinished"] == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["cell_1", "cell_2"]', '["cell_1"]', "mobility.cells: receivers move between at least"),
        ('"cell_2"]', '"cell_3"]', "there is no node 'cell_3'"),
        ('"cell_2"]', '"cell_1"]', "'cell_1' is there already"),
        ('"cell_2"]', '"both"]', "'both' stands for 2 nodes"),
        ('["cell_1", "cell_2"]', '["cell_2", "router"]', "no [tcp.NAME] has its `to` here"),
        ('"cell_2"]', '"server"]', "its receivers move to 'server'"),
        ('dwell = "2s"', 'dwell = "2"', "mobility.dwell"),
        ('outage = "500ms"\n', "", "mobility.outage"),
        ('outage = "500ms"', 'outage = "500ms"\nwakes = 0', "mobility.wakes"),
    ],
)
def test_what_does_not_fit(penstock: Run, tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in CELLS
    done = penstock("validate", file(tmp_path, CELLS.replace(old, new)))
    assert done.returncode == 78
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_other_backends_have_no_mobile_hosts(penstock: Run, tmp_path: Path) -> None:
    for backend in ("ns3", "live"):
        done = penstock("run", file(tmp_path), "--backend", backend)
        assert done.returncode == 78
        assert "do not move" in done.stderr


def test_show_writes_what_can_be_read_again(penstock: Run, tmp_path: Path) -> None:
    shown = penstock("show", file(tmp_path, CELLS.replace('"2s"', '"exponential(30s)"')))
    assert 'dwell = "exponential(30s)"' in shown.stdout
    again = penstock("show", file(tmp_path, shown.stdout))
    assert again.stdout == shown.stdout
