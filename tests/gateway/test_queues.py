# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw beside queues of others, and where data and ACKs pass different devices."""

import json
import shutil
import socket
import subprocess

import pytest
from gateway_lab import Lab, sh
from loads import Load, until
from spaces import inside

CLASSES = (
    "qdisc add dev DEV root handle 1: htb default 20",
    "class add dev DEV parent 1: classid 1:1 htb rate 30mbit",
    "class add dev DEV parent 1:1 classid 1:10 htb rate 8kbit ceil 8kbit burst 2k cburst 2k",
    "class add dev DEV parent 1:1 classid 1:20 htb rate 20mbit",
    "filter add dev DEV parent 1: protocol ip u32 match ip dport 4000 0xffff flowid 1:10",
)


def ticks(lab: Lab) -> int:
    """How often the method's clock has run."""
    return int(str(lab.status(expect=None)["ticks"]))


def queue_seen_by_the_program(lab: Lab) -> int:
    """The backlog at a tick of the method's clock that is to come."""
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")
    before = ticks(lab)
    until(lambda: ticks(lab) > before + 1)
    command = [bpftool, "-j", "map", "dump", "pinned", f"{lab.pins()}/shared"]
    dump = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return int(dump[0]["formatted"]["value"]["queue_bytes"])


def is_queue_of_status(lab: Lab) -> bool:
    """Of both, if no more than two packets have left between them; the queue is not empty yet."""
    seen, told = queue_seen_by_the_program(lab), int(str(lab.status()["queue_bytes"]))
    return seen > 0 and abs(seen - told) <= 2 * 1042


def forwarded(lab: Lab) -> int:
    """The packets that have passed to the device's queue."""
    return int(str(lab.status()["forward_packets"]))


def fill(lab: Lab, ports: range, count: int = 20) -> None:
    """Datagrams from the server that have come to the gateway, for each of the client's ports."""
    before = forwarded(lab)
    with inside(lab.server), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for port in ports:
            for _ in range(count):
                sender.sendto(bytes(1000), (lab.address(lab.client), port))
    until(lambda: forwarded(lab) >= before + len(ports) * count)


def divide(lab: Lab) -> None:
    """An HTB of two leaf classes; what goes to port 4000 waits in 1:10 for very long."""
    for words in CLASSES:
        lab.tc(words.replace("DEV", lab.device))


EXISTING = ("--rate", "20mbit", "--queue", "existing")


def test_several_classes_are_refused_by_name(lab: Lab) -> None:
    divide(lab)
    message = lab.tool("attach", lab.device, *EXISTING, expect=1)
    assert "has the classes 1:10, 1:20: name the one to read with --class" in message
    message = lab.tool("attach", lab.device, *EXISTING, "--class", "1:30", expect=1)
    assert "no leaf class 1:30; there are 1:10, 1:20" in message
    for bad in ("1:", "x:1", "110", "1:10x"):
        message = lab.tool("attach", lab.device, *EXISTING, "--class", bad, expect=2)
        assert "is not a class" in message
    message = lab.tool("attach", lab.device, "--rate", "1mbit", "--class", "1:10", expect=2)
    assert "needs --queue existing" in message
    lab.tool("attach", lab.device, *EXISTING, "--source", "virtual")


@pytest.mark.parametrize("leaf", ["", "handle 110: pfifo limit 500", "handle 8: bfifo limit 90000"])
@pytest.mark.parametrize("wanted", ["1:10", "1:20"])
def test_the_class_is_read_and_not_the_root(lab: Lab, leaf: str, wanted: str) -> None:
    divide(lab)
    if leaf:
        lab.tc(f"qdisc add dev {lab.device} parent 1:10 {leaf}")
    lab.tool("attach", lab.device, *EXISTING, "--class", wanted)
    fill(lab, range(4000, 4001))
    status = lab.status()
    assert (status["class"], status["state"]) == (wanted, "live")
    if wanted == "1:10":
        assert queue_seen_by_the_program(lab) > 10_000
        until(lambda: is_queue_of_status(lab))
    else:
        assert queue_seen_by_the_program(lab) == 0
        assert status["queue_bytes"] == 0
    lab.tool("set", lab.device, "--observe")
    assert lab.status()["class"] == wanted


def test_a_class_that_was_changed_is_named(lab: Lab) -> None:
    divide(lab)
    lab.tool("attach", lab.device, *EXISTING, "--class", "1:20")
    lab.tc(f"qdisc add dev {lab.device} parent 1:20 handle 7: pfifo")
    assert "class 1:20 was changed" in str(lab.status(expect=4)["reason"])


@pytest.mark.parametrize("queue", ["fq_codel", "cake unlimited", "pie", "codel", "fq_pie"])
def test_the_buffer_is_smaller_over_a_queue_that_keeps_itself_short(lab: Lab, queue: str) -> None:
    """Above CAKE's 5 ms a law's target has no effect; 20 ms at 20 Mbit/s are 50,000 bytes."""
    for words in (
        "qdisc add dev DEV root handle 1: htb default 1",
        "class add dev DEV parent 1: classid 1:1 htb rate 8kbit ceil 8kbit burst 2k cburst 2k",
        f"qdisc add dev DEV parent 1:1 handle 10: {queue}",
    ):
        try:
            lab.tc(words.replace("DEV", lab.device))
        except AssertionError as error:
            if "qdisc kind is unknown" not in str(error):
                raise
            pytest.skip(f"this kernel has no {queue.split()[0]}")
    lab.tool("attach", lab.device, *EXISTING)
    assert lab.status()["buffer_bytes"] == 50_000
    fill(lab, range(4000, 4002))
    assert queue_seen_by_the_program(lab) > 10_000
    until(lambda: is_queue_of_status(lab))
    lab.tool("set", lab.device, "--rate", "40mbit")
    assert lab.status()["buffer_bytes"] == 100_000
    lab.tool("set", lab.device, "--buffer", "97kB")
    assert lab.status()["buffer_bytes"] == 97_000


def test_the_queues_of_a_device_are_summed_beyond_the_sixty_fourth(lab: Lab) -> None:
    far = "many1"
    sh(f"ip -n {lab.gateway} link add many0 numtxqueues 96 type veth peer name {far}")
    sh(f"ip -n {lab.gateway} link set many0 up")
    sh(f"ip -n {lab.gateway} link set {far} up")
    sh(f"ip -n {lab.gateway} addr add 10.77.0.1/24 dev many0")
    sh(f"ip -n {lab.gateway} neigh add 10.77.0.2 lladdr 02:00:00:00:00:02 dev many0")
    lab.tc("qdisc add dev many0 root handle 1: mq")
    for queue in range(65, 97):
        lab.tc(f"qdisc add dev many0 parent 1:{queue:x} tbf rate 8kbit burst 1600 limit 300000")
    lab.device = "many0"
    lab.tool("attach", "many0", *EXISTING)
    with inside(lab.gateway):
        for port in range(3000, 3400):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind(("10.77.0.1", port))
                for _ in range(4):
                    sender.sendto(bytes(1000), ("10.77.0.2", 9))
    seen = queue_seen_by_the_program(lab)
    assert seen > 10_000
    lab.tool("detach", "many0")


def lead_by_ifb(lab: Lab) -> None:
    """What comes in from the server goes by ifb0 first."""
    sh(f"ip -n {lab.gateway} link add ifb0 type ifb")
    sh(f"ip -n {lab.gateway} link set ifb0 up")
    lab.tc("qdisc add dev pgs clsact")
    for protocol, number in (("ip", 1), ("ipv6", 2)):
        words = f"filter add dev pgs ingress protocol {protocol} prio {number} u32 match u32 0 0"
        lab.tc(f"{words} action mirred egress redirect dev ifb0")


@pytest.mark.parametrize("hook", ["clsact", "tcx"])
@pytest.mark.parametrize("ipv6", [False, True])
def test_downloads_are_shaped_on_an_ifb(lab: Lab, hook: str, ipv6: bool) -> None:
    lead_by_ifb(lab)
    before = lab.tc("filter show dev pgs egress")
    lab.tool("attach", "ifb0", "--acks", "pgs", "--rate", "20mbit", "--hook", hook)
    Load(lab, 4, ipv6=ipv6).finish()
    status = json.loads(lab.tool("status", "-j", "ifb0"))
    assert (status["state"], status["acks"], status["queue_source"]) == ("live", "pgs", "kernel")
    assert status["flows_opened"] == 1
    assert status["acks_rewritten"] > 100

    shown = lab.tool("show", "ifb0")
    assert 'acks = "pgs"' in shown
    lab.tool("set", "ifb0", "--rate", "10mbit")
    lab.tool("detach", "ifb0")
    assert lab.tc("filter show dev pgs egress") == before
    assert "clsact" in lab.tc("qdisc show dev pgs"), "it was there before"
    assert "clsact" not in lab.tc("qdisc show dev ifb0")


def test_upload_and_download_share_the_line(lab: Lab) -> None:
    lead_by_ifb(lab)
    lab.tool("attach", "pgs", "--rate", "10mbit")
    lab.tool("attach", "ifb0", "--acks", "pgs", "--rate", "20mbit")
    Load(lab, 4).finish()
    for device in ("pgs", "ifb0"):
        assert json.loads(lab.tool("status", "-j", device))["state"] == "live"
    assert json.loads(lab.tool("status", "-j", "ifb0"))["acks_rewritten"] > 0
    lab.tool("detach", "ifb0")
    assert json.loads(lab.tool("status", "-j", "pgs"))["state"] == "live"
    lab.tool("detach", "pgs")


def test_the_device_of_the_acks_may_vanish(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--acks", lab.device, "--rate", "20mbit", expect=2)
    assert "no device" in lab.tool(
        "attach", lab.device, "--acks", "nosuch", "--rate", "20mbit", expect=2
    )
    make = f"ip -n {lab.gateway} link add line0 type veth peer name peer"
    sh(make)
    lab.tool("attach", lab.device, "--acks", "line0", "--rate", "20mbit")
    assert lab.status()["state"] == "live"
    sh(f"ip -n {lab.gateway} link del line0")
    sh(make)
    assert "device of its ACKs, line0, is gone" in str(lab.status(expect=4)["reason"])
    lab.tool("attach", lab.device, "--acks", "line0", "--rate", "20mbit")
    assert lab.status()["state"] == "live"
    lab.tool("detach", lab.device)
    assert lab.leftovers() == []
    assert "5057" not in lab.tc("filter show dev line0 egress")


def test_of_a_bridge_the_port_is_the_device(lab: Lab) -> None:
    """Bridged packets pass the hooks of a port, and none of the bridge's own."""
    for words in (
        "link add br0 type bridge",
        f"link set {lab.device} master br0",
        "link set pgs master br0",
        "link set br0 up",
    ):
        sh(f"ip -n {lab.gateway} {words}")
    for host, end, last in ((lab.client, "c0", 1), (lab.server, "s0", 2)):
        sh(f"ip -n {host} addr add 10.8.0.{last}/24 dev {end}")
    assert "br0 is a bridge" in lab.tool("doctor", "br0")
    assert "is a bridge" not in lab.tool("doctor", lab.device)
    lab.tool("attach", lab.device, "--rate", "20mbit")
    Load(lab, 4, address="10.8.0.1").finish()
    assert int(str(lab.status()["acks_rewritten"])) > 100
