# SPDX-License-Identifier: GPL-2.0-only
"""The Debian package: what is in it, what lintian says, and what removing it takes away."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL, Lab, sh
from loads import Load

PACKAGING = ROOT / "linux" / "gateway" / "packaging"


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
    assert "penstock" in done.stdout
    config = str(tmp_path / "etc/penstock/penstock.toml")
    subprocess.run([str(program), "check", "--config", config], check=True, capture_output=True)


def test_the_same_program_makes_the_same_package(package: Path, tmp_path: Path) -> None:
    """Also later, in another time zone, and with another order of files."""
    own = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    make = [str(PACKAGING / "make-deb"), str(TOOL), str(tmp_path)]
    while int(time.time()) <= int(package.stat().st_mtime):
        time.sleep(0.1)
    subprocess.run(make, check=True, capture_output=True, env=own)
    assert (tmp_path / package.name).read_bytes() == package.read_bytes()


def test_the_program_does_not_know_where_it_was_built(package: Path, tmp_path: Path) -> None:
    """So another folder gives the same bytes."""
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    assert str(ROOT).encode() not in (tmp_path / "usr/sbin/penstock-gw").read_bytes()


def test_r34_installing_it_rewrites_nothing(package: Path, tmp_path: Path) -> None:
    """R34: no device is named and no unit enabled: both are left to the operator."""
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    config = tmp_path / "etc/penstock/penstock.toml"
    checked = [str(TOOL), "check", "--config", str(config)]
    done = subprocess.run(checked, capture_output=True, text=True, check=True)
    assert done.stdout == f"{config}: 0 devices, no mistake found\n"
    assert list(tmp_path.rglob("*.wants")) == []
    for script in ("postinst", "prerm", "postrm"):
        text = (PACKAGING / script).read_text()
        for word in ("attach ", "enable", " start", " restart"):  # try-restart: only what runs
            assert word not in text, script


def test_lintian_has_nothing_to_say(package: Path) -> None:
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_debians_own_test_of_what_is_installed_passes(tmp_path: Path) -> None:
    """debian/tests/attach, with a BPF file system and devices of its own."""
    if os.geteuid():
        pytest.skip("network namespaces need root")
    if not TOOL.exists():
        pytest.skip("penstock-gw is not built: clang, bpftool or libbpf is missing")
    (tmp_path / "penstock-gw").symlink_to(TOOL)
    own = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    inside = f"mount -t bpf bpf /sys/fs/bpf && sh {ROOT}/debian/tests/attach"
    done = subprocess.run(
        ["unshare", "--mount", "--net", "--", "sh", "-c", inside],
        capture_output=True,
        text=True,
        check=False,
        env=own,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_source_package_is_of_the_same_version() -> None:
    shown = re.match(r"penstock \(([^)]+)\)", (ROOT / "debian/changelog").read_text())
    assert shown
    assert f'version = "{shown[1]}"' in (ROOT / "pyproject.toml").read_text()


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


# A root of its own for dpkg: this machine's, with all changes on a tmpfs that goes with it.
IN_A_CHROOT = """
set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount -t sysfs sysfs "$1/root/sys"
mount -t bpf bpf "$1/root/sys/fs/bpf"
cp "$2" "$1/root/root/penstock-gw.deb"
cp "$3" "$1/root/root/inside"
chroot "$1/root" sh -eu /root/inside
"""

INSIDE = """
ip link add wan0 type veth peer name far0
dpkg --install /root/penstock-gw.deb
penstock-gw --version
man --path penstock-gw >/dev/null 2>&1 || test -f /usr/share/man/man8/penstock-gw.8.gz
zcat /usr/share/doc/penstock-gw/changelog.gz | grep -q '^penstock-gw ('
systemctl enable penstock-gw@wan0
test -L "/etc/systemd/system/sys-subsystem-net-devices-wan0.device.wants/penstock-gw@wan0.service"
systemctl enable "$(systemd-escape --template=penstock-gw@.service br-lan)"
cd '/etc/systemd/system/sys-subsystem-net-devices-br\\x2dlan.device.wants'
test -L 'penstock-gw@br\\x2dlan.service'
cd /
penstock-gw attach wan0 --rate 20mbit
dpkg --install /root/penstock-gw.deb
penstock-gw status wan0
echo '# mine' >>/etc/penstock/penstock.toml
dpkg --remove penstock-gw
test ! -e /usr/sbin/penstock-gw
tc qdisc show dev wan0
test -z "$(tc qdisc show dev wan0 | grep -v noqueue)"
test ! -e /sys/fs/bpf/penstock
grep -q mine /etc/penstock/penstock.toml
dpkg --purge penstock-gw
test ! -e /etc/penstock/penstock.toml
test -z "$(find /etc/systemd -name '*penstock*' -o -name '*wan0.device.wants')"
echo whole
"""


def test_it_is_installed_upgraded_and_removed_in_a_chroot(package: Path, tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("a chroot needs root")
    if not shutil.which("systemctl"):
        pytest.skip("systemd is not installed")
    root, script = tmp_path / "root", tmp_path / "inside"
    root.mkdir()
    script.write_text(INSIDE)
    apart = ["unshare", "--mount", "--net", "--", "sh", "-c", IN_A_CHROOT, "sh"]
    done = subprocess.run(
        [*apart, str(root), str(package), str(script)], capture_output=True, text=True, check=False
    )
    if "mount:" in done.stderr:
        pytest.skip(f"no chroot can be made here: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("whole\n")


def verify(unit: Path) -> None:
    """systemd-analyze(1) finds no mistake in it."""
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "Failed to" in done.stderr and "Unit" not in done.stderr:
        pytest.skip(f"systemd-analyze does not run here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "penstock-gw" not in done.stderr, done.stderr


def test_the_unit_is_as_systemd_wants_it(package: Path, tmp_path: Path) -> None:
    """It starts with its device, and again when that comes back, as after a redial."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    unit = tmp_path / "lib/systemd/system/penstock-gw@.service"
    one = tmp_path / "penstock-gw@ppp0.service"
    one.write_text(unit.read_text().replace("/usr/sbin/penstock-gw", str(TOOL)))
    verify(one)


def escaped(*words: str) -> str:
    """What systemd-escape(1) prints."""
    done = subprocess.run(["systemd-escape", *words], capture_output=True, text=True, check=True)
    return done.stdout.removesuffix("\n")


@pytest.mark.parametrize("device", ["wan0", "br-lan", "eth0.100", "wg_home", "pppoe-wan"])
def test_the_unit_is_of_the_device_whose_name_is_escaped(device: str) -> None:
    """As install.md has it; a name with a hyphen is that of another device otherwise."""
    if not shutil.which("systemd-escape"):
        pytest.skip("systemd is not installed")
    template = "--template=penstock-gw@.service"
    assert f"systemd-escape {template} br-lan" in (ROOT / "docs/operator/install.md").read_text()
    unit = escaped(template, device)
    instance = unit.removeprefix("penstock-gw@").removesuffix(".service")
    text = (PACKAGING / "penstock-gw@.service").read_text()
    text = text.replace("%I", escaped("--unescape", instance)).replace("%i", instance)
    ours = escaped("--path", "--suffix=device", f"/sys/subsystem/net/devices/{device}")
    for key in ("BindsTo", "After", "WantedBy"):
        assert re.search(rf"^{key}={re.escape(ours)}( |$)", text, re.MULTILINE), key
    for command in ("attach", "reload", "detach"):
        assert re.search(
            rf"^Exec\w+=/usr/sbin/penstock-gw {command} {re.escape(device)}( |$)",
            text,
            re.MULTILINE,
        )


# The part of install.md on an ifb, whose blocks these tests run.
def ifb_recipe() -> str:
    """The section "An ifb at boot"."""
    return (
        (ROOT / "docs/operator/install.md")
        .read_text()
        .partition("### An ifb at boot")[2]
        .partition("\n## ")[0]
    )


# For kernels without that classifier; IPv4 alone.
LIKE_MATCHALL = ("handle 1 matchall", "handle 800::1 protocol ip u32 match u32 0 0")


def has_matchall(lab: Lab) -> bool:
    """Whether this kernel has the classifier."""
    lab.tc("qdisc add dev lo clsact")
    inside = f"ip netns exec {lab.gateway} tc filter add dev lo ingress"
    sh(f"{inside} matchall action ok", check=False)
    found = "matchall" in lab.tc("filter show dev lo ingress")
    lab.tc("qdisc del dev lo clsact")
    return found


def test_the_units_commands_lead_a_line_to_its_ifb(lab: Lab) -> None:
    """Twice, as after a redial; with the lab's device in place of ppp0."""
    commands = re.findall(r"^    ExecStartPre=(-?)/usr/sbin/(.*)$", ifb_recipe(), re.MULTILINE)
    assert len(commands) == 3
    sh(f"ip -n {lab.gateway} link add ifb0 type ifb")
    if not has_matchall(lab):
        commands = [(may, words.replace(*LIKE_MATCHALL)) for may, words in commands]
    for _ in range(2):
        for may_fail, words in commands:
            inside = f"ip netns exec {lab.gateway} {words.replace('ppp0', 'pgs')}"
            sh(inside, check=not may_fail)
        lab.tool("attach", "ifb0", "--acks", "pgs", "--rate", "20mbit")
        Load(lab, 1).finish()
        status = json.loads(lab.tool("status", "-j", "ifb0"))
        assert (status["state"], status["flows_opened"]) == ("live", 1)
        assert status["acks_rewritten"] > 0
        lab.tool("detach", "ifb0")
    assert lab.tc("filter show dev pgs ingress").count("mirred") == 1


def test_systemd_takes_the_units_recipe_for_an_ifb(package: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    subprocess.run(["dpkg-deb", "--extract", str(package), str(tmp_path)], check=True)
    unit = (tmp_path / "lib/systemd/system/penstock-gw@.service").read_text()
    block = ifb_recipe().partition("    # systemctl edit penstock-gw@ifb0\n")[2]
    lines = [line.removeprefix("    ") for line in block.splitlines() if line.startswith("    ")]
    one = tmp_path / "penstock-gw@ifb0.service"
    one.write_text("\n".join([unit.replace("/usr/sbin/penstock-gw", str(TOOL)), *lines, ""]))
    verify(one)
