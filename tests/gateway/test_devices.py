# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw on devices that change under it: each case is right, or named with the reason."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from gateway_lab import TOOL, Lab, sh
from test_capabilities import unit_capabilities


def root_queue(lab: Lab) -> str:
    """The root qdisc as tc shows it, without its count of packets, which go on passing."""
    return re.sub(r"direct_packets_stat \d+", "", lab.tc(f"qdisc show dev {lab.device} root"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("root handle 9: htb default 1",), "root qdisc was replaced by htb 9:"),
        (("root tbf rate 1mbit burst 15k limit 9000",), "root qdisc was replaced by tbf"),
        (("parent 5057:1 handle 6: pfifo",), "FIFO in the root qdisc was replaced"),
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
    theirs = root_queue(lab)
    lab.tool("detach", lab.device)
    if words[0].startswith("root"):
        assert root_queue(lab) == theirs


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
    # Not beside the others, where `detach --all` of any test frees it.
    left = lab.pins().rename(lab.pins().parents[1] / f"{lab.pins().name}-left")
    lab.down_but_pins()
    lab.up()
    left.rename(lab.pins())
    assert lab.tool("status", expect=3) == "not attached to any device\n"
    assert lab.status(expect=3)["state"] == "off"
    lab.tool("attach", lab.device, "--rate", "20mbit")
    assert lab.status()["state"] == "live"


def test_an_ifb_needs_the_device_by_which_acks_leave(lab: Lab) -> None:
    sh(f"ip -n {lab.gateway} link add ifb0 type ifb")
    said = lab.tool("attach", "ifb0", "--rate", "20mbit", expect=2)
    assert "acks: is missing: no ACK passes ifb0, an ifb" in said
    assert lab.leftovers() == []


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


@pytest.mark.parametrize("space", ["unshare --mount", "ip netns exec"])
def test_who_may_not_trace_the_first_process_mounts_what_lasts(lab: Lab, space: str) -> None:
    """A machine's first attach: nothing is mounted, and the first process' mounts are hidden."""
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    words = f"--netns {lab.gateway} attach {lab.device} --rate 20mbit"
    script = f"umount /sys/fs/bpf; setpriv --bounding-set=-sys_ptrace {TOOL} {words}"
    where = f"{space} {lab.gateway}" if space.endswith("exec") else space
    command = [*where.split(), "sh", "-c", f"{script}; echo exit code $?"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if space.endswith("exec"):
        assert "no BPF file system is mounted here" in done.stderr
    assert done.stdout.endswith(f"exit code {int(space.endswith('exec'))}\n"), done.stderr


def test_under_ip_netns_exec_the_attachment_is_the_same(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    seen = ["ip", "netns", "exec", lab.gateway, str(TOOL), "status", lab.device]
    assert "live" in subprocess.run(seen, capture_output=True, text=True, check=True).stdout


def test_r23_hardware_that_is_to_forward_flows_is_refused(lab: Lab, tmp_path: Path) -> None:
    """No flow is in the hardware yet; a flowtable with the flag needs a device that can."""
    nft = tmp_path / "nft"
    nft.write_text("#!/bin/sh\n[ \"$*\" = 'list flowtables' ] && echo ' flags offload'\n")
    nft.chmod(0o755)
    words = ("attach", lab.device, "--rate", "20mbit")
    said = lab.tool(*words, expect=1, path=tmp_path)
    assert "flowtable has the flag offload" in said
    assert "or attach with --force" in said
    assert lab.leftovers() == []
    assert "flag offload" in lab.tool("doctor", lab.device, expect=4, path=tmp_path)
    lab.tool(*words, "--force", path=tmp_path)
    lab.tool("detach", lab.device)
    nft.write_text("#!/bin/sh\nexit 1\n")
    lab.tool(*words, path=tmp_path)


@pytest.mark.parametrize(
    ("device", "filters", "warned"),
    [("pgs", "enabled", True), ("pgs", "disabled", False), ("pgc", "aggressive", False)],
)
def test_doctor_names_a_filter_of_acks(
    lab: Lab, tmp_path: Path, device: str, filters: str, warned: bool
) -> None:
    """On a device by which the ACKs leave; a tc(8) of the test's own, as few kernels have CAKE."""
    cake = {"kind": "cake", "handle": "8001:", "root": True, "options": {"ack-filter": filters}}
    qdiscs = [{"kind": "noqueue", "dev": "lo", "options": {}}, {**cake, "dev": device}]
    tc = tmp_path / "tc"
    tc.write_text(f"#!/bin/sh\necho '{json.dumps(qdiscs)}'\n")
    tc.chmod(0o755)
    said = lab.tool("doctor", lab.device, path=tmp_path)
    assert (f"CAKE on {device} filters ACKs" in said) == warned
    assert (f"tc qdisc change dev {device} root cake no-ack-filter" in said) == warned


def rename(lab: Lab, old: str, new: str) -> None:
    """A device that is down may change its name on each kernel."""
    for words in (f"{old} down", f"{old} name {new}", f"{new} up"):
        sh(f"ip -n {lab.gateway} link set {words}")


@pytest.mark.parametrize("hook", ["clsact", "tcx"])
def test_the_attachment_follows_a_device_that_is_renamed(lab: Lab, hook: str) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--hook", hook)
    rename(lab, lab.device, "wan9")
    for name in ("wan9", lab.device):
        status = json.loads(lab.tool("status", "-j", name))
        assert (status["device"], status["state"]) == ("wan9", "live")
    (only,) = json.loads(lab.tool("status", "-j"))
    assert only["device"] == "wan9"
    lab.tool("set", "wan9", "--rate", "10mbit")
    assert "rate 10Mbit" in lab.tc("class show dev wan9")
    assert "attached already" in lab.tool("attach", "wan9", "--rate", "1mbit", expect=1)
    lab.tool("detach", lab.device)  # as its unit does, which has the name of the attach
    assert lab.tool("status", expect=3) == "not attached to any device\n"
    rename(lab, "wan9", lab.device)
    assert lab.leftovers() == []


def test_a_new_device_of_the_old_name_has_an_attachment_of_its_own(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    rename(lab, lab.device, "wan9")
    sh(f"ip -n {lab.gateway} link add {lab.device} type veth peer name far0")
    assert lab.status(expect=3)["state"] == "off"
    lab.tool("attach", lab.device, "--rate", "5mbit")
    found = {each["device"]: each["rate_bps"] for each in json.loads(lab.tool("status", "-j"))}
    assert found == {"wan9": 20_000_000, lab.device: 5_000_000}
    lab.tool("detach", "wan9")
    assert lab.status()["state"] == "live"
