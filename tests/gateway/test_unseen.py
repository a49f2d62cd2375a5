# SPDX-License-Identifier: GPL-2.0-only
"""What hides an attachment from its packets, or from its commands: found and named."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL, Lab, sh
from loads import connections, streaming, until

# Classic BPF: what it matches ends there (TC_ACT_OK), and what it does not goes on.
ENDS = "1,6 0 0 4294967295"
CONTINUES = "1,6 0 0 0"


def add_filter(lab: Lab, hook: str, program: str) -> None:
    """One of others, before the programs."""
    words = f"ip netns exec {lab.gateway} tc filter add dev {lab.device} {hook} prio 1 bpf"
    subprocess.run([*words.split(), "bytecode", program], check=True)


@pytest.mark.parametrize("hook", ["egress", "ingress"])
def test_a_filter_that_takes_packets_first_is_named(lab: Lab, hook: str) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "60kB")
    with connections(lab, 1) as [pair], streaming(pair):
        until(lambda: lab.status()["acks_seen"] != 0)
        add_filter(lab, hook, ENDS)
        named = "bpf filter of priority 1 takes it before them"
        until(lambda: named in str(lab.status(expect=None)["reason"]))
        until(lambda: named in lab.tool("doctor", lab.device, expect=None))
        lab.tc(f"filter del dev {lab.device} {hook} prio 1")
        until(lambda: lab.status(expect=None)["state"] == "live")
        add_filter(lab, hook, CONTINUES)
        for _ in range(3):
            assert lab.status()["state"] == "live", "what continues hides nothing"


def test_an_idle_device_with_a_filter_of_others_is_live(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    add_filter(lab, "egress", ENDS)
    assert lab.status()["state"] == "live"


def test_downloads_of_a_device_that_holds_what_leaves_are_told(lab: Lab) -> None:
    """As on a laptop: the server's device, by which its data comes in."""
    lab.tool("attach", "pgs", "--rate", "20mbit")
    assert "not held" not in lab.tool("status", "pgs")
    with connections(lab, 1) as [pair], streaming(pair):
        until(lambda: "not held" in lab.tool("status", "pgs"))
    said = lab.tool("doctor", "pgs", expect=None)
    assert "this attachment holds only what leaves" in said
    assert "penstock-gw attach pgs --down holds what comes in as well" in said


def maps_of(lab: Lab) -> str:
    """The number of the attachment's map in the kernel."""
    shown = sh(f"bpftool -j map show pinned {lab.pins()}/shared")
    return str(json.loads(shown)["id"])


def test_what_a_deleted_namespace_left_is_found_and_freed(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    pins, number = lab.pins(), maps_of(lab)
    space = pins.name.partition("@")[2]
    assert space not in outside("status", "-j", expect=None), "it is at work"
    lab.down_but_pins()
    until(lambda: space in outside("status", expect=None))
    assert (
        f"{lab.device}: off (left by the deleted network namespace {space}: "
        "penstock-gw detach --all frees it)\n"
    ) in outside("status", expect=4)
    assert pins.exists()
    outside("detach", "--all", "--now", expect=0)
    assert not pins.exists()
    assert space not in outside("status", "-j", expect=None)
    until(lambda: not sh(f"bpftool map show id {number}", check=False))


def outside(*words: str, expect: int | None) -> str:
    """Runs penstock-gw in this network namespace; its output."""
    done = subprocess.run([str(TOOL), *words], capture_output=True, text=True, check=False)
    assert expect in (None, done.returncode), done.stderr
    return done.stdout


PRERM = ROOT / "linux" / "gateway" / "packaging" / "prerm"
# In mounts of its own, so that no namespace or attachment of others is found.
REMOVED = f"""
set -e
mkdir -p /run/netns
mount -t tmpfs none /run/netns
mount -t bpf none /sys/fs/bpf
ip netns add box
for space in "" "--netns box"; do
    ip ${{space:+-n box}} link add v0 type veth peer name v1
    penstock-gw $space attach v0 --rate 10mbit
    penstock-gw $space status v0 | head -1
done
sh {PRERM} remove
for space in "" "--netns box"; do
    penstock-gw $space status v0 && exit 1 || echo "exit code $?"
done
"""


def test_removing_the_package_detaches_in_named_namespaces(lab: Lab, tmp_path: Path) -> None:
    assert lab.device, "a kernel that takes the programs"
    (tmp_path / "penstock-gw").symlink_to(TOOL)
    done = subprocess.run(
        ["unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", REMOVED],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("v0: live") == 2
    assert done.stdout.count("exit code 3") == 2
