# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw on devices that change under it: each case is right, or named with the reason."""

import shutil
import subprocess

import pytest
from gateway_lab import TOOL, Lab
from test_capabilities import unit_capabilities


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("root handle 9: htb default 1",), "replaced the root qdisc by htb 9:"),
        (("root tbf rate 1mbit burst 15k limit 9000",), "replaced the root qdisc by tbf"),
        (("parent 5057:1 handle 6: pfifo",), "replaced the FIFO"),
    ],
)
def test_a_queue_that_was_replaced_is_named(lab: Lab, words: tuple[str], says: str) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    if words[0].startswith("root"):
        lab.tc(f"qdisc del dev {lab.device} root")
    lab.tc(f"qdisc replace dev {lab.device} {words[0]}")
    status = lab.status(expect=4)
    assert status["state"] == "degraded"
    assert says in str(status["reason"])
    assert says in lab.tool("set", lab.device, "--rate", "10mbit", expect=1)
    theirs = lab.tc(f"qdisc show dev {lab.device} root")
    lab.tool("detach", lab.device)
    if words[0].startswith("root"):
        assert lab.tc(f"qdisc show dev {lab.device} root") == theirs


def test_an_existing_queue_that_is_taken_away_is_named(lab: Lab) -> None:
    lab.tc(f"qdisc add dev {lab.device} root tbf rate 20mbit burst 15k limit 97000")
    lab.tool("attach", lab.device, "--rate", "20mbit", "--queue", "existing")
    lab.tc(f"qdisc del dev {lab.device} root")
    assert "no backlog to read" in str(lab.status(expect=4)["reason"])


def test_tcx_links_that_were_detached_are_named(lab: Lab) -> None:
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")
    lab.tool("attach", lab.device, "--rate", "20mbit", "--hook", "tcx")
    assert lab.status()["state"] == "live"
    subprocess.run([bpftool, "link", "detach", "pinned", f"{lab.pins()}/link_forward"], check=True)
    assert "programs were removed" in str(lab.status(expect=4)["reason"])
    lab.tool("detach", lab.device)
    assert lab.leftovers() == []


def test_what_a_namespace_has_left_is_not_taken_for_the_next_ones(lab: Lab) -> None:
    """The kernel gives the number of a namespace that is gone to a new one."""
    lab.tool("attach", lab.device, "--rate", "20mbit")
    left = lab.pins().rename(lab.pins().with_name(f"{lab.pins().name}-left"))
    lab.down_but_pins()
    lab.up()
    left.rename(lab.pins())
    assert lab.tool("status", expect=3) == "not attached to any device\n"
    assert lab.status(expect=3)["state"] == "off"
    lab.tool("attach", lab.device, "--rate", "20mbit")
    assert lab.status()["state"] == "live"


def test_where_the_bpf_file_system_is_hidden_the_reason_is_said(lab: Lab) -> None:
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    bounds = ",".join(["-all", *(f"+{name}" for name in sorted(unit_capabilities()))])
    hidden = ["ip", "netns", "exec", lab.gateway, "setpriv", f"--bounding-set={bounds}"]
    for words in (["attach", lab.device, "--rate", "20mbit"], ["status"], ["detach", "--all"]):
        command = [*hidden, "--no-new-privs", str(TOOL), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        assert "--netns NAME" in done.stderr
    assert lab.leftovers() == []


def test_under_ip_netns_exec_the_attachment_is_the_same(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    seen = ["ip", "netns", "exec", lab.gateway, str(TOOL), "status", lab.device]
    assert "live" in subprocess.run(seen, capture_output=True, text=True, check=True).stdout
