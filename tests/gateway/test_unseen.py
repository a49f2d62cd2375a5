# SPDX-License-Identifier: GPL-2.0-only
"""What hides an attachment from its packets, or from its commands: found and named."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL, Lab
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


PRERM = ROOT / "linux" / "gateway" / "packaging" / "prerm"
# In mounts of its own, so that no namespace or attachment of others is found: a `detach --all`
# of another test would free what this one leaves.
OWN_MOUNTS = """
set -e
mkdir -p /run/netns
mount -t tmpfs none /run/netns
mount -t bpf none /sys/fs/bpf
ip netns add box
"""


def in_own_mounts(script: str, tmp_path: Path) -> str:
    """What the script prints; it finds `penstock-gw`, and a namespace `box`."""
    (tmp_path / "penstock-gw").symlink_to(TOOL)
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "--net",
            "--propagation",
            "private",
            "sh",
            "-c",
            OWN_MOUNTS + script,
        ],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


DELETED = """
ip -n box link add v0 type veth peer name v1
penstock-gw --netns box attach v0 --rate 20mbit
shared=$(echo /sys/fs/bpf/penstock/v0@*/shared)
map=$(bpftool -j map show pinned "$shared" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
penstock-gw status && exit 1 || echo "at work: $?"
ip netns del box
tries=0
until penstock-gw status | grep -q deleted; do
    tries=$((tries + 1)); test $tries -lt 100; sleep 0.1
done
penstock-gw status && exit 1 || echo "left: $?"
penstock-gw detach --all --now
penstock-gw status && exit 1 || echo "freed: $?"
test ! -e /sys/fs/bpf/penstock
tries=0
while bpftool map show id $map 2>/dev/null >&2; do
    tries=$((tries + 1)); test $tries -lt 100; sleep 0.1
done
"""


def test_what_a_deleted_namespace_left_is_found_and_freed(lab: Lab, tmp_path: Path) -> None:
    assert lab.device, "a kernel that takes the programs"
    said = in_own_mounts(DELETED, tmp_path)
    assert re.fullmatch(
        r"not attached to any device\nat work: 3\n"
        r"v0: off \(left by the deleted network namespace \w+: "
        r"penstock-gw detach --all frees it\)\n(.*\n)*left: 4\n(.*\n)*"
        r"not attached to any device\nfreed: 3\n",
        said,
    ), said


REMOVED = f"""
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
    said = in_own_mounts(REMOVED, tmp_path)
    assert said.count("v0: live") == 2
    assert said.count("exit code 3") == 2
