# SPDX-License-Identifier: GPL-2.0-only
"""A LAN with CSMA/CD as a link of a scenario."""

import json
from pathlib import Path

import pytest
from lab_support import SMALL, Run, head

QUEUE = "queue_packets = 50\n"
LAN = f'medium = "csma-cd"\n{QUEUE}'
SHARED = SMALL.replace("[link.egress]\n", f"[link.egress]\n{LAN}")


def test_flows_share_the_cable(penstock: Run, tmp_path: Path) -> None:
    slow = SHARED.replace(f'{LAN}rate = "100mbit"', f'{LAN}rate = "5mbit"')
    path = tmp_path / "lan.toml"
    path.write_text(slow.replace('size = "300kB"', 'size = "3MB"').replace('"1ms"', '"500ns"'))
    one = ("-m", "droptail", "--receivers", "65535", "--seeds", "1", "-j")
    done = penstock("run", path, *one)
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert row["unfinished"] == 0
    assert 3 < row["goodput_mbps_total"] < 5  # the cable's rate, less ACKs and collisions


def test_a_gateway_works_on_the_queue_of_its_station(penstock: Run, tmp_path: Path) -> None:
    text = SHARED.replace('link = "bottleneck"', 'link = "egress"').replace(
        f'{LAN}rate = "100mbit"', f'{LAN}rate = "5mbit"'
    )
    path = tmp_path / "lan.toml"
    path.write_text(text.replace('size = "300kB"', 'size = "3MB"'))
    one = ("--receivers", "65535", "--seeds", "1", "-j")
    rows = {}
    for method in ("droptail", "integral"):
        done = penstock("run", path, "-m", method, *one)
        assert done.returncode == 0, done.stderr
        rows[method] = json.loads(done.stdout)
    assert rows["integral"]["rewritten_acks"] > 100
    assert rows["integral"]["queue_bytes_mean"] < rows["droptail"]["queue_bytes_mean"]


TWO_ROUTERS = (
    head("Two routers", flows=2)
    + f"""\

[topology]
nodes = {{ one = 1, other = 1, left = 1, right = 1, hosts = 1 }}

[link.to_left]
from = "one"
to = "left"
rate = "100mbit"
delay = "1ms"

[link.to_right]
from = "other"
to = "right"
rate = "100mbit"
delay = "1ms"

[link.lan]
from = "left"
to = "hosts"
{LAN}rate = "5mbit"
delay = "500ns"
cable = "LAN"

[link.lan_too]
from = "right"
to = "hosts"
{LAN}rate = "5mbit"
delay = "500ns"
cable = "LAN"

[gateway.edge]
link = "lan"

[tcp.one]
from = "one"
to = "hosts"
count = 1
size = "3MB"

[tcp.other]
from = "other"
to = "hosts"
count = 1
size = "3MB"
"""
)


@pytest.mark.parametrize(("name", "least", "most"), [("LAN", 3, 5), ("another", 6, 10)])
def test_routers_share_a_cable(
    penstock: Run, tmp_path: Path, name: str, least: float, most: float
) -> None:
    path = tmp_path / "lan.toml"
    path.write_text(TWO_ROUTERS)
    own = ("--set", f"link.lan_too.cable={name}")
    done = penstock("run", path, "--seeds", "1", "-j", *own)
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert row["unfinished"] == 0
    assert least < row["goodput_mbps_total"] < most


@pytest.mark.parametrize(
    ("link", "line", "message"),
    [
        ("lan_too", 'rate = "10mbit"', "shares a cable with 'lan'"),
        ("to_left", 'cable = "LAN"', "only csma-cd has one"),
    ],
)
def test_what_shares_no_cable(
    penstock: Run, tmp_path: Path, link: str, line: str, message: str
) -> None:
    path = tmp_path / "lan.toml"
    head, name, tail = TWO_ROUTERS.partition(f"[link.{link}]\n")
    rest = tail.replace('rate = "5mbit"\n', "", 1) if "rate" in line else tail
    path.write_text(f"{head}{name}{line}\n{rest}")
    done = penstock("validate", path)
    assert done.returncode == 78
    assert message in done.stderr


@pytest.mark.parametrize(
    ("queue", "message"),
    [
        ("", "needs a queue limit"),
        (f'{QUEUE}back = {{ rate = "1mbit" }}\n', "share one cable"),
        (f'{QUEUE}change = [{{ at = "1s", loss = 0.1 }}]\n', "does not vary"),
        (f"{QUEUE}distance_m = 5\n", "a wire has a delay"),
        (f'{QUEUE}delay = "1ms..2ms"\n', "one cable has one delay"),
    ],
)
def test_what_a_lan_does_not_have(penstock: Run, tmp_path: Path, queue: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    text = SHARED.replace(QUEUE, queue)
    if "delay" in queue:
        head, _, tail = text.rpartition('delay = "1ms"\n')
        text = head + tail
    path.write_text(text)
    done = penstock("validate", path)
    assert done.returncode == 78
    assert message in done.stderr


def test_other_backends_have_none(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "lan.toml"
    path.write_text(SHARED)
    done = penstock("run", path, "--backend", "live", "--receivers", "65535")
    assert done.returncode == 78
    assert "has no csma-cd" in done.stderr
