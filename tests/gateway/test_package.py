# SPDX-License-Identifier: GPL-2.0-only
"""The Debian package: what is in it, what lintian says, and what removing it takes away."""

import shutil
import subprocess
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL, Lab

PACKAGING = ROOT / "gateway" / "packaging"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not TOOL.exists():
        pytest.skip("penstock-gw is not built: clang, bpftool or libbpf is missing")
    if not shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    folder = tmp_path_factory.mktemp("deb")
    make = [str(PACKAGING / "make-deb"), str(TOOL), str(folder)]
    subprocess.run(make, check=True, capture_output=True)
    (made,) = folder.glob("penstock-gw_*.deb")
    return made


def test_the_package_can_be_unpacked_and_run(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    program = tmp_path / "usr/sbin/penstock-gw"
    done = subprocess.run([str(program), "methods"], capture_output=True, text=True, check=True)
    assert "integral" in done.stdout
    config = str(tmp_path / "etc/penstock/penstock.toml")
    subprocess.run([str(program), "check", "--config", config], check=True, capture_output=True)


def test_lintian_has_nothing_to_say(package: Path) -> None:
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_removing_the_package_detaches(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    (tmp_path / "penstock-gw").symlink_to(TOOL)
    (tmp_path / "systemctl").write_text("#!/bin/sh\n")
    (tmp_path / "systemctl").chmod(0o755)
    script = str(PACKAGING / "prerm")
    inside = ["nsenter", f"--net=/run/netns/{lab.gateway}", "--"]
    own = f"PATH={tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin"
    subprocess.run([*inside, "env", own, script, "upgrade"], check=True)
    assert lab.status()["state"] == "live"
    subprocess.run([*inside, "env", own, script, "remove"], check=True)
    assert lab.leftovers() == []
