# SPDX-License-Identifier: GPL-2.0-only
"""R22: behind NAT flows are controlled and connection tracking holds no packet for invalid.
R23: nor does a software flow table take packets past the gateway."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from gateway_lab import TOOL, Lab, sh
from loads import Load, tcp_count, until
from spaces import compute_checksums

MEGABYTES = 6

NAT = """
table inet nat {
    counter invalid { }
    counter tracked { }
    chain before {
        type filter hook prerouting priority filter;
        ct state invalid counter name invalid
        ct state established counter name tracked
    }
    chain behind {
        type nat hook postrouting priority srcnat;
        oifname "pgs" masquerade
    }
}
"""

FLOWTABLE = """
table inet fast {
    counter classic { }
    flowtable flows { hook ingress priority filter; devices = { pgc, pgs }; }
    chain forward {
        type filter hook forward priority filter;
        counter name classic
        meta l4proto tcp ct state established flow add @flows
    }
}
"""


def add_rules(lab: Lab, rules: str) -> None:
    """Loads them on the gateway, or skips."""
    if not shutil.which("nft"):
        pytest.skip("nft(8) is not installed")
    command = ["ip", "netns", "exec", lab.gateway, "nft", "-f", "-"]
    done = subprocess.run(command, input=rules, capture_output=True, text=True, check=False)
    if done.returncode:
        what = "flow table" if rules is FLOWTABLE else "NAT and connection tracking of nftables"
        pytest.skip(f"the kernel has no {what}")


def packets(lab: Lab, counter: str) -> int:
    """How many a counter has met."""
    text = sh(f"ip netns exec {lab.gateway} nft list counter inet {counter}")
    found = re.search(r"packets (\d+)", text)
    assert found
    return int(found[1])


@dataclass(frozen=True)
class Way:
    """Of the data, and what the gateway's device there sees."""

    device: str
    upload: bool
    client: str  # the LAN host's address at the hooks


DOWN = Way("pgc", upload=False, client="10.9.1.2")
UP = Way("pgs", upload=True, client="10.9.2.1")


def is_listed_in_a_transfer(lab: Lab, way: Way) -> bool:
    """A transfer may end before `flows` has looked, as it takes a second."""
    load = Load(lab, MEGABYTES, upload=way.upload, client_opens=True)
    try:
        while load.sender.poll() is None:
            if f"{way.client}:" in lab.tool("flows", way.device):
                return True
        return False
    finally:
        load.finish()


def controlled(lab: Lab, way: Way) -> dict[str, object]:
    """Attaches, moves data, and sees to it that all of it was controlled; the status."""
    for host, device in ((lab.client, "c0"), (lab.server, "s0")):
        compute_checksums(host, device)
    lab.device = way.device
    lab.tool("attach", way.device, "--rate", "50mbit", "--buffer", "400k")
    until(lambda: is_listed_in_a_transfer(lab, way))
    status = lab.status()
    assert int(str(status["acks_rewritten"])) > 100
    assert float(str(status["controllable_ratio"])) > 0.99
    assert int(str(status["forward_controlled_bytes"])) > MEGABYTES << 20
    for host in (lab.server, lab.client):
        assert tcp_count(host, "InCsumErrors") == 0
    return status


@pytest.mark.parametrize("way", [DOWN, UP], ids=["LAN download", "WAN upload"])
def test_flows_behind_nat_are_controlled_and_valid(lab: Lab, way: Way) -> None:
    add_rules(lab, NAT)
    strict = f"ip netns exec {lab.gateway} sysctl -qw net.netfilter.nf_conntrack"
    sh(f"{strict}_tcp_be_liberal=0")
    sh(f"{strict}_checksum=1")
    status = controlled(lab, way)
    assert status["queue_drops"] == 0
    assert packets(lab, "nat tracked") > 1000
    assert packets(lab, "nat invalid") == 0


@pytest.mark.parametrize("way", [DOWN, UP], ids=["LAN download", "WAN upload"])
def test_a_flow_table_leads_past_the_hooks_of_nobody(lab: Lab, way: Way) -> None:
    add_rules(lab, FLOWTABLE)
    add_rules(lab, NAT)
    status = controlled(lab, way)
    crossed = int(str(status["forward_packets"])) + int(str(status["reverse_packets"]))
    assert packets(lab, "fast classic") < crossed / 10, "the flow table was not used"


@pytest.mark.parametrize(
    ("mark", "code"), [("OFFLOAD", 0), ("HW_OFFLOAD", 4)], ids=["software", "hardware"]
)
def test_the_doctor_finds_hardware_offload(lab: Lab, tmp_path: Path, mark: str, code: int) -> None:
    (tmp_path / "nf_conntrack").write_text(f"ipv4 2 tcp 6 src=10.9.1.2 dst=10.9.2.2 [{mark}]\n")
    script = f"mount --bind {tmp_path} /proc/$$/net && exec {TOOL} doctor lo"
    command = ["nsenter", f"--net=/run/netns/{lab.gateway}", "unshare", "-m", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("forwarded by the hardware" in done.stdout) == bool(code)
