# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw attach DEVICE --down: what comes in by a device, beside what leaves by it."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gateway_lab import TOOL, Lab, sh
from loads import Load, until

LINE = "pgs"  # by which the server's data comes in
DOWN = f"{LINE}.down"


def status(lab: Lab, *name: str) -> dict[str, object]:
    """`status -j` of an attachment."""
    found = json.loads(lab.tool("status", "-j", *name))
    assert isinstance(found, dict)
    return found


def left(lab: Lab) -> str:
    """What an attachment would have left on the line's device, and its pins."""
    inode = lab.pins().name.partition("@")[2]
    pins = [path.name for path in lab.pins().parent.glob(f"*@{inode}")]
    found = [
        line
        for words in (f"qdisc show dev {LINE}", f"filter show dev {LINE} ingress")
        for line in lab.tc(words).splitlines()
        if "noqueue" not in line
    ]
    return "\n".join(pins + found)


@contextmanager
def logging(lab: Lab, name: str, file: Path) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What `log` has written so far."""

    def lines() -> list[dict[str, Any]]:
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    command = [str(TOOL), "--netns", lab.gateway, "log", name, "--output", str(file)]
    with subprocess.Popen(command) as log:
        try:
            until(lambda: lines() != [])
            yield lines
        finally:
            log.terminate()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--acks", "pgc"),
            "acks: with --down the ACKs leave by the device itself: leave --acks out",
        ),
        (("--queue", "install"), "queue: with --down nothing waits in this machine"),
        (("--class", "1:10"), "class: is one of what leaves"),
        (("--source", "kernel"), "source: --down without a rate measures the queue before"),
        (("--source", "passive"), "source: --down without a rate measures the queue before"),
        (
            ("--rate", "9mbit", "--source", "upstream"),
            "source: --down with a rate has a virtual queue",
        ),
        (("--overhead", "docsis"), "overhead: is that of a given rate"),
        (("--scone", "on"), "scone: advises a share of a rate, which --down may not know"),
        (("--beyond", "pace-acks"), "beyond: pace-acks is for a queue of this machine"),
        (("--method", "share"), "buffer: is missing: share aims at a part of it"),
    ],
)
def test_what_it_cannot_do_is_refused(lab: Lab, options: tuple[str, ...], message: str) -> None:
    assert message in lab.tool("attach", LINE, "--down", *options, expect=2)
    assert left(lab) == ""


def test_an_ifb_is_refused(lab: Lab) -> None:
    sh(f"ip -n {lab.gateway} link add ifb7 type ifb")
    said = lab.tool("attach", "ifb7", "--down", expect=2)
    assert "attach --down to that one" in said


def test_upstream_without_down_is_refused(lab: Lab) -> None:
    said = lab.tool("attach", LINE, "--rate", "auto", "--source", "upstream", expect=2)
    assert "source: upstream measures the queue of what comes in: attach with --down" in said


def test_an_interface_that_is_called_so_is_no_attachment(lab: Lab) -> None:
    sh(f"ip -n {lab.gateway} link add {DOWN} type veth peer name other")
    assert f"an interface is called {DOWN}" in lab.tool("attach", LINE, "--down", expect=2)
    lab.tool("attach", DOWN, "--rate", "1mbit")
    assert status(lab, DOWN)["queue_source"] == "kernel"


def test_both_live_on_one_device(lab: Lab) -> None:
    lab.tool("attach", LINE, "--rate", "20mbit")
    lab.tool("attach", LINE, "--down")
    assert "is attached already" in lab.tool("attach", DOWN, expect=1)
    assert status(lab, LINE)["queue_source"] == "kernel"
    down = status(lab, LINE, "--down")
    assert (down["device"], down["queue_source"]) == (DOWN, "upstream")
    assert down["upstream"] == {
        "known": False,
        "reason": "too little traffic: no data with timestamps came in yet",
        "rate_bps": 0,
        "wait_ns": 0,
        "queue_bytes": 0,
    }
    Load(lab, 2).finish()
    Load(lab, 1, upload=True).finish()
    up, down = status(lab, LINE), status(lab, DOWN)
    assert isinstance(down["forward_controlled_bytes"], int)
    assert isinstance(up["forward_controlled_bytes"], int)
    assert down["forward_controlled_bytes"] > 2_000_000 > up["forward_controlled_bytes"] > 1_000_000
    assert (down["unstamped_bytes"], down["write_errors"]) == (0, 0)
    names = {one["device"] for one in json.loads(lab.tool("status", "-j"))}
    assert names == {LINE, DOWN}
    lab.tool("detach", LINE)
    assert status(lab, DOWN)["state"] == "live", "the other one stays"
    assert "clsact" in left(lab)
    lab.tool("detach", LINE, "--down")
    assert left(lab) == ""


@pytest.mark.parametrize("first", [LINE, DOWN])
def test_either_leaves_the_other_whole(lab: Lab, first: str) -> None:
    """HTB is of what leaves, and whoever detaches last takes clsact away."""
    lab.tool("attach", DOWN)
    lab.tool("attach", LINE, "--rate", "20mbit")
    second = DOWN if first == LINE else LINE
    lab.tool("detach", first)
    assert ("htb" in left(lab)) == (second == LINE)
    assert status(lab, second)["state"] == "live"
    lab.tool("detach", second)
    assert left(lab) == ""


def test_both_have_one_map_of_what_acks_wait(lab: Lab) -> None:
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")

    def ids() -> list[int]:
        inode = lab.pins().name.partition("@")[2]
        pins = sorted(lab.pins().parent.glob(f"*@{inode}/ack_waits"))
        show = [bpftool, "-j", "map", "show", "pinned"]
        found = [subprocess.run([*show, str(pin)], capture_output=True, check=True) for pin in pins]
        return [json.loads(each.stdout)["id"] for each in found]

    away = (LINE, "--rate", "auto", "--source", "passive")
    lab.tool("attach", *away)
    lab.tool("attach", LINE, "--down")
    first = ids()
    assert len(first) == 2
    assert first[0] == first[1]
    lab.tool("detach", LINE)
    lab.tool("attach", *away)
    assert ids() == first


def test_all_are_detached_at_once(lab: Lab) -> None:
    lab.tool("attach", LINE, "--rate", "20mbit", "--hook", "tcx")
    lab.tool("attach", DOWN, "--hook", "tcx")
    assert status(lab, DOWN)["hook"] == "tcx"
    lab.tool("detach", "--all")
    assert left(lab) == ""


def test_the_file_has_a_table_for_each(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(f'[{LINE}]\nrate = "20mbit"\n[{DOWN}]\n[{DOWN}.params]\nspare = "0.25"\n')
    assert "2 devices, no mistake found" in lab.tool("check", "-c", str(file))
    lab.tool("attach", DOWN, "-c", str(file))
    shown = lab.tool("show", LINE, "--down")
    assert f'[{DOWN}]\nrate = "auto"' in shown
    assert json.loads(lab.tool("show", "-j", DOWN))["params"]["spare"] == "0.25"
    lab.tool("set", DOWN, "--rate", "50mbit")
    assert (status(lab, DOWN)["rate_bps"], status(lab, DOWN)["queue_source"]) == (
        50_000_000,
        "virtual",
    )
    file.write_text(shown)
    lab.tool("reload", DOWN, "-c", str(file))
    assert status(lab, DOWN)["queue_source"] == "upstream"
    file.write_text(f'[{DOWN}]\nacks = "pgc"\n')
    said = lab.tool("check", "-c", str(file), expect=78)
    assert f"{file}:2: [{DOWN}] acks: with --down the ACKs leave" in said


def test_a_renamed_device_keeps_both(lab: Lab) -> None:
    lab.tool("attach", LINE, "--rate", "20mbit")
    lab.tool("attach", DOWN)
    sh(f"ip -n {lab.gateway} link set {LINE} down")
    sh(f"ip -n {lab.gateway} link set {LINE} name wan9")
    assert status(lab, "wan9.down")["queue_source"] == "upstream"
    lab.tool("detach", "wan9.down")
    assert status(lab, "wan9")["queue_source"] == "kernel"


def test_a_device_without_a_route_is_refused(lab: Lab) -> None:
    """Its ACKs cannot leave there; but a port of a bridge, and what a VLAN stands on, have none."""
    sh(f"ip link add lonely netns {lab.gateway} type veth peer name other netns {lab.server}")
    sh(f"ip -n {lab.gateway} link set lonely up")
    said = lab.tool("attach", "lonely", "--down", expect=1)
    assert "lonely has no route, so the ACKs of what comes in by it leave elsewhere" in said
    lab.tool("attach", "lonely", "--down", "--force")
    lab.tool("detach", "lonely", "--down")
    sh(f"ip -n {lab.gateway} link add br0 type bridge")
    sh(f"ip -n {lab.gateway} link set lonely master br0")
    lab.tool("attach", "lonely", "--down")
    assert status(lab, "lonely.down")["state"] == "live"


def test_acks_that_leave_elsewhere_are_told(lab: Lab) -> None:
    sh(f"ip link add alt0 netns {lab.gateway} type veth peer name alt1 netns {lab.server}")
    for space, end, address in ((lab.gateway, "alt0", 1), (lab.server, "alt1", 2)):
        sh(f"ip netns exec {space} sysctl -qw net.ipv4.conf.all.rp_filter=0")
        sh(f"ip netns exec {space} sysctl -qw net.ipv4.conf.{end}.rp_filter=0")
        sh(f"ip -n {space} addr add 10.9.8.{address}/24 dev {end}")
        sh(f"ip -n {space} link set {end} up")
    sh(f"ip netns exec {lab.gateway} sysctl -qw net.ipv4.conf.{LINE}.rp_filter=0")
    sh(f"ip -n {lab.gateway} route add {lab.address(lab.server)}/32 via 10.9.8.2")
    lab.tool("attach", LINE, "--down")
    Load(lab, 2).finish()
    found = status(lab, DOWN)
    message = f"the ACKs of what comes in by {LINE} leave elsewhere, so nothing is held"
    assert message in str(found["warning"])
    assert found["acks_rewritten"] == 0
    assert message in lab.tool("doctor", DOWN, expect=None)


def test_data_without_timestamps_passes_and_is_told(lab: Lab, tmp_path: Path) -> None:
    for host in (lab.client, lab.server):
        sh(f"ip netns exec {host} sysctl -qw net.ipv4.tcp_timestamps=0")
    lab.tool("attach", LINE, "--down")
    with logging(lab, DOWN, tmp_path / "log.jsonl") as lines:
        Load(lab, 2).finish()
        found = status(lab, DOWN)
        message = f"data that comes in by {LINE} carries no timestamps (RFC 7323)"
        assert message in str(found["warning"])
        assert isinstance(found["unstamped_bytes"], int)
        assert found["unstamped_bytes"] >= 2_000_000
        by = found["acks_by"]
        assert isinstance(by, dict)
        assert found["acks_rewritten"] <= by["old_ack"], "one that was overtaken, at most"
        until(lambda: any(one.get("event") == "not_held" for one in lines()))
    said = [one["reason"] for one in lines() if one.get("event") == "not_held"]
    assert message in said[0]


def test_views_know_its_name(lab: Lab, tmp_path: Path) -> None:
    """The recording, the log that `why` reads, and what metrics call it."""
    lab.tool("attach", DOWN)
    file = tmp_path / "one.jsonl"
    lab.tool("record", LINE, str(file), "--down", "--for", "1s")
    head, *rest = (json.loads(line) for line in file.read_text().splitlines())
    assert head["device"] == DOWN
    assert any(line.get("status", {}).get("queue_source") == "upstream" for line in rest)
    with logging(lab, DOWN, tmp_path / "log.jsonl") as lines:
        assert lines()[0]["device"] == DOWN
    assert f'penstock_upstream_known{{iface="{DOWN}"}} 0' in lab.tool("metrics", LINE, "--down")
    said = lab.tool("compare", DOWN, "--for", "1s", "--period", "1s", expect=2)
    assert "is less than 3 pairs of periods" in said
