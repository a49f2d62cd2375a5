# SPDX-License-Identifier: GPL-2.0-only
"""The unit's command lines with the unit's capabilities, and not one of them too many."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL, Lab

UNIT = ROOT / "linux" / "gateway" / "packaging" / "penstock-gw@.service"
DENIED = 77


def unit_value(key: str) -> str:
    """What the unit says."""
    found = re.search(rf"^{key}=(.*)$", UNIT.read_text(), re.MULTILINE)
    assert found
    return found[1]


def unit_capabilities() -> set[str]:
    """As setpriv(1) calls them."""
    names = unit_value("CapabilityBoundingSet").split()
    return {name.removeprefix("CAP_").lower() for name in names}


@pytest.fixture
def mounted(lab: Lab) -> None:
    """systemd mounts the BPF file system before any unit starts; here, an attach has."""
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    lab.tool("attach", lab.device, "--rate", "20mbit")
    lab.tool("detach", lab.device)


def run(lab: Lab, capabilities: set[str], *arguments: str) -> int:
    """Runs the tool as root with no other capabilities, as systemd does; its exit code."""
    bounds = ",".join(["-all", *(f"+{name}" for name in sorted(capabilities))])
    command = ["nsenter", f"--net=/run/netns/{lab.gateway}"]
    command += ["setpriv", "--no-new-privs", f"--bounding-set={bounds}", str(TOOL), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def unit_line(key: str, lab: Lab, file: Path) -> list[str]:
    """The arguments of a command line of the unit."""
    words = unit_value(key).split()[1:]
    return [{"%I": lab.device, "/etc/penstock/penstock.toml": str(file)}.get(w, w) for w in words]


@pytest.mark.parametrize("hook", ["clsact", "tcx"])
def test_the_unit_works_with_its_capabilities(
    lab: Lab, mounted: None, tmp_path: Path, hook: str
) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(f'[{lab.device}]\nrate = "20mbit"\nhook = "{hook}"\n')
    may = unit_capabilities()
    assert run(lab, may, *unit_line("ExecStart", lab, file)) == 0
    assert lab.status()["state"] == "live"
    assert run(lab, may, "status", lab.device) == 0
    file.write_text(f'[{lab.device}]\nrate = "30mbit"\nhook = "{hook}"\n')
    assert run(lab, may, *unit_line("ExecReload", lab, file)) == 0
    assert lab.status()["rate_bps"] == 30_000_000
    assert run(lab, may, "doctor", lab.device) == 0
    assert run(lab, may, *unit_line("ExecStop", lab, file)) == 0
    assert lab.leftovers() == []


@pytest.mark.parametrize("source", ["kernel", "virtual"])
def test_each_of_its_capabilities_is_needed(lab: Lab, mounted: None, source: str) -> None:
    words = ("attach", lab.device, "--rate", "20mbit", "--source", source)
    for name in unit_capabilities():
        assert run(lab, unit_capabilities() - {name}, *words) == DENIED, name
        assert lab.leftovers() == []
    assert run(lab, unit_capabilities(), *words) == 0


def test_doctor_has_no_more_rights_than_the_unit(lab: Lab) -> None:
    """What root alone may do says nothing about the unit: doctor gives it up before it tries."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    traced = ["strace", "-f", "-e", "trace=capset,bpf", str(TOOL), "--netns", lab.gateway]
    done = subprocess.run(
        [*traced, "doctor", lab.device], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    before, given_up, after = done.stderr.partition("capset(")
    assert given_up
    assert "BPF_PROG_LOAD" not in before
    assert "BPF_PROG_LOAD" in after
    effective = re.search(r"effective=([^,]*), permitted=([^,]*),", after)
    assert effective
    for rights in effective.groups():
        kept = {name.strip().removeprefix("1<<CAP_").lower() for name in rights.split("|")}
        assert kept == unit_capabilities()


@pytest.mark.parametrize("source", ["kernel", "virtual"])
def test_its_programs_need_no_symbol_of_the_kernel(source: str) -> None:
    """libbpf seeks one that the kernel lacks in the modules, which takes CAP_SYS_ADMIN."""
    path = TOOL.parent / f"penstock_{source}.bpf.o"
    objdump = next(filter(None, map(shutil.which, ("llvm-objdump", "llvm-objdump-14"))), None)
    if objdump is None or not path.exists():
        pytest.skip("llvm-objdump is not installed, or penstock-gw not built")
    table = subprocess.run([objdump, "-t", str(path)], capture_output=True, text=True, check=True)
    symbols = [line.split() for line in table.stdout.splitlines() if "*UND*" in line]
    assert not [name for *_, name in symbols if name != "00000000"], symbols
