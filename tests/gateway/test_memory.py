# SPDX-License-Identifier: GPL-2.0-only
"""What an attachment takes, as the operator's page says."""

import json
import re
import shutil
import subprocess

import pytest
from gateway_lab import ROOT, Lab

PAGE = ROOT / "docs" / "operator" / "install.md"
MANY, FEW = 65536, 4096


def maps_of(lab: Lab) -> dict[str, dict[str, int]]:
    """The pinned maps by name, as the kernel describes them."""
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")
    found = {}
    for pin in lab.pins().iterdir():
        command = [bpftool, "-j", "map", "show", "pinned", str(pin)]
        shown = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
        if "bytes_memlock" in shown:
            found[pin.name] = shown
    return found


def test_the_memory_is_what_the_page_says(lab: Lab) -> None:
    said = re.search(
        r"takes (\d+) MB \(([\d,]+) flows of (\d+) bytes.*?`--flows (\d+)` takes (\d+) MB",
        PAGE.read_text(),
        re.DOTALL,
    )
    assert said
    many_mb, flows, flow_bytes, few, few_mb = (int(each.replace(",", "")) for each in said.groups())
    assert (flows, few) == (MANY, FEW)
    for options, megabytes in (((), many_mb), (("--flows", str(few)), few_mb)):
        lab.tool("attach", lab.device, "--rate", "20mbit", *options)
        maps = maps_of(lab)
        assert maps["flows"]["bytes_value"] == flow_bytes
        # Kernels count what a map takes beside its entries differently.
        taken = sum(one["bytes_memlock"] for one in maps.values()) / 1e6
        assert megabytes == pytest.approx(taken, rel=0.15)
        lab.tool("detach", lab.device)
