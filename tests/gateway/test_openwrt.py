# SPDX-License-Identifier: GPL-2.0-only
"""The scripts of the OpenWrt package, with stand-ins for the functions that OpenWrt has."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from gateway_lab import OPENWRT, TOOL, Lab
from loads import Load, until

# Variables section_option and section_list_N hold what config_load has read.
FUNCTIONS = r"""
config_load() { . "$ROOTFS/config.sh"; }
config_foreach() { local f="$1" type="$2" s; shift 2; for s in $SECTIONS; do "$f" "$s" "$@"; done; }
config_get() { eval "$1=\"\${$2_$3}\""; }
config_get_bool() { local v; config_get v "$2" "$3"; eval "$1=\"\${v:-$4}\""; }
config_list_foreach() {
    local f="$3" n=1 v
    while eval "v=\"\${$1_$2_$n}\""; [ -n "$v" ]; do "$f" "$v"; n=$((n + 1)); done
}
network_get_device() { local v; eval "v=\"\$net_$2\""; [ -n "$v" ] && eval "$1=$v"; }
procd_add_reload_trigger() { echo "trigger $*" >>"$ROOTFS/log"; }
procd_open_instance() { instance="$1"; }
procd_set_param() { local key="$1"; shift; echo "$instance $key: $*" >>"$ROOTFS/instances"; }
procd_close_instance() { instance=; }
logger() { shift 2; echo "$*" >>"$ROOTFS/log"; }
start() { start_service "$@"; }
reload() { start; }
stop() { stop_service "$@"; }
"""


class Router:
    """A root with the scripts in it; sections are dictionaries of UCI's options."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab, self.folder = lab, folder
        script = (OPENWRT / "penstock.init").read_text()
        lines = script.replace(". /lib/functions/network.sh", ":").splitlines()
        assert lines[0] == "#!/bin/sh /etc/rc.common"
        self.init = folder / "init"
        self.init.write_text(FUNCTIONS + "\n".join(lines[1:]) + '\n"$@"\n')

    def configure(self, *sections: dict[str, str], **devices: str) -> None:
        """Writes what config_load reads, and which device each interface has."""
        names = [f"s{n}" for n in range(len(sections))]
        lines = [f"SECTIONS='{' '.join(names)}'"]
        for name, options in zip(names, sections, strict=True):
            for key, value in options.items():
                quoted = value.replace("'", "'\\''")
                lines.append(f"{name}_{key}='{quoted}'")
        lines += [f"net_{interface}={device}" for interface, device in devices.items()]
        (self.folder / "config.sh").write_text("\n".join(lines) + "\n")

    def run(self, *words: str) -> str:
        """Runs a function of the init script on the lab's gateway; what it has logged."""
        log = self.folder / "log"
        log.write_text("")
        (self.folder / "instances").write_text("")
        own = {
            "ROOTFS": str(self.folder),
            "PENSTOCK_GW": str(TOOL),
            "PENSTOCK_CONFIGS": str(self.folder / "configs"),
            "PENSTOCK_LOGS": str(self.folder / "logs"),
        }
        inside = ["nsenter", f"--net=/run/netns/{self.lab.gateway}", "--"]
        settings = [f"{key}={value}" for key, value in own.items()]
        command = [*inside, "env", *settings, "sh", str(self.init), *words]
        subprocess.run(command, check=True)
        return log.read_text()

    def processes(self) -> list[list[str]]:
        """The commands that procd was told to keep."""
        lines = (self.folder / "instances").read_text().splitlines()
        return [line.partition(" command: ")[2].split() for line in lines if " command: " in line]


@pytest.fixture
def router(lab: Lab, tmp_path: Path) -> Router:
    return Router(lab, tmp_path)


def test_a_section_is_attached_with_its_settings(lab: Lab, router: Router) -> None:
    options = {
        "enabled": "1",
        "interface": "wan",
        "rate": "20mbit",
        "buffer": "90kB",
        "method": "ewt",
        "exempt_1": "port 22",
        "exempt_2": "192.0.2.0/24",
        "param_1": "start_bytes=20000",
    }
    router.configure(options, wan=lab.device)
    assert router.run("start") == ""
    status = lab.status()
    assert (status["state"], status["method"], status["buffer_bytes"]) == ("live", "ewt", 90_000)
    shown = json.loads(lab.tool("show", "-j", lab.device))
    assert shown["exempt"] == ["port 22", "192.0.2.0/24"]
    assert shown["params"]["start_bytes"] == "20kB"
    assert router.run("reload") == ""
    assert lab.status()["state"] == "live"
    router.run("stop")
    assert lab.leftovers() == []


def test_every_key_of_the_file_is_an_option(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text('[wan0]\nnonsense = "x"\n')
    listed = lab.tool("check", "-c", str(file), expect=78).partition("there are ")[2]
    script = (OPENWRT / "penstock.init").read_text()
    names = re.findall(r"^(?:TEXT|FLAG|LIST)S='(.*)'$", script, re.MULTILINE)
    # `auto` is what a unit runs, and no option of attach.
    assert {*" ".join(names).split(), "params", "auto"} == set(listed.strip().split(", "))


def opened(lab: Lab) -> int:
    """The handshakes seen since the attach."""
    count = lab.status()["flows_opened"]
    assert isinstance(count, int)
    return count


def test_a_reload_keeps_the_flows_and_takes_every_setting(lab: Lab, router: Router) -> None:
    """The README's way to go live: observe goes, and what runs is controlled from then on."""
    section = {"enabled": "1", "interface": "wan", "rate": "20mbit"}
    observing = {
        **section,
        "observe": "1",
        "police": "1",
        "exempt_1": "port 22",
        "queue": "install",
    }
    router.configure(observing, wan=lab.device)
    router.run("start")
    Load(lab, 1).finish()
    assert (lab.status()["state"], opened(lab)) == ("observe", 1)
    router.configure({**section, "queue": "install"}, wan=lab.device)
    assert router.run("reload") == ""
    assert (lab.status()["state"], opened(lab)) == ("live", 1)
    shown = lab.tool("show", lab.device)
    assert "police = true" not in shown
    assert "exempt = []" in shown
    router.configure({**section, "rate": "fast"}, wan=lab.device)
    assert "'fast' is not a rate" in router.run("reload")
    assert (lab.status()["state"], opened(lab)) == ("live", 1), "an error changes nothing"
    router.configure({**section, "flows": "4096"}, wan=lab.device)
    assert "flows cannot change while attached" in router.run("reload")
    assert (lab.status()["state"], opened(lab)) == ("live", 0), "a table of another size is new"
    router.run("stop")


def test_r34_the_section_that_is_installed_rewrites_nothing(lab: Lab, router: Router) -> None:
    """R34: it is off, and once on, it observes."""
    text = (OPENWRT / "penstock.config").read_text()
    options = dict(re.findall(r"^\toption (\w+) '(.*)'$", text, re.MULTILINE))
    router.configure(options, wan=lab.device)
    router.run("start")
    assert lab.leftovers() == []
    router.configure({**options, "enabled": "1"}, wan=lab.device)
    router.run("start")
    assert lab.status()["state"] == "observe"
    router.run("stop")


def test_what_is_off_stays_off_and_what_is_wrong_is_logged(lab: Lab, router: Router) -> None:
    off = {"enabled": "0", "interface": "wan", "rate": "20mbit"}
    router.configure(off, wan=lab.device)
    router.run("start")
    assert lab.leftovers() == []
    router.configure({**off, "enabled": "1", "rate": "fa'st; exit"}, wan=lab.device)
    assert "'fa'st; exit' is not a rate" in router.run("start")
    assert lab.leftovers() == []
    router.configure({**off, "enabled": "1"})
    assert "wan is not up" in router.run("start")


def test_a_redial_attaches_the_interface_again(lab: Lab, router: Router) -> None:
    section = {"enabled": "1", "interface": "wan", "rate": "20mbit", "observe": "1"}
    other = {**section, "interface": "guest"}
    make = ["ip", "-n", lab.gateway, "link", "add", "ppp9", "type", "veth", "peer", "name", "p9"]
    subprocess.run(make, check=True)
    router.configure(section, other, wan="ppp9", guest=lab.device)
    router.run("start", "wan")
    assert lab.status(expect=3)["state"] == "off", "another interface's"
    assert "ppp9: observe" in lab.tool("status", "ppp9")
    subprocess.run(["ip", "-n", lab.gateway, "link", "del", "ppp9"], check=True)
    subprocess.run(make, check=True)
    router.run("start", "wan")
    assert "ppp9: observe" in lab.tool("status", "ppp9")
    router.run("stop")


def test_a_section_that_goes_off_is_detached(lab: Lab, router: Router) -> None:
    section = {"enabled": "1", "interface": "wan", "rate": "20mbit", "observe": "1"}
    router.configure(section, wan=lab.device)
    router.run("start")
    router.configure({**section, "enabled": "0"}, wan=lab.device)
    router.run("start", "guest")
    assert lab.status()["state"] == "observe", "another interface's redial"
    assert router.run("reload") == ""
    assert lab.leftovers() == []


def test_procd_keeps_the_processes_that_are_asked_for(lab: Lab, router: Router) -> None:
    section = {"enabled": "1", "interface": "wan", "rate": "20mbit", "observe": "1"}
    router.configure(section, wan=lab.device)
    router.run("start")
    assert router.processes() == []
    router.configure({**section, "metrics_port": "9477", "log": "1"}, wan=lab.device)
    router.run("reload")
    metrics, log = router.processes()
    assert metrics == [str(TOOL), "metrics", lab.device, "--port", "9477"]
    inside = ["nsenter", f"--net=/run/netns/{lab.gateway}", "--"]
    with subprocess.Popen([*inside, *log]) as running:
        file = Path(log[log.index("--output") + 1])
        until(lambda: file.exists() and '"kind":"head"' in file.read_text())
        running.terminate()
    assert running.returncode == 0
    router.run("stop")


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_the_scripts_pass_shellcheck() -> None:
    left_out = ["-e", "SC2034,SC1091"]  # what rc.common reads, and OpenWrt's own files
    scripts = [str(OPENWRT / f"penstock.{name}") for name in ("init", "hotplug", "collectd")]
    command = ["shellcheck", "-s", "dash", *left_out, *scripts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("action", "starts"), [("ifup", True), ("ifdown", False)])
def test_the_hotplug_script_starts_it_at_ifup(tmp_path: Path, action: str, starts: bool) -> None:
    called = tmp_path / "called"
    init = tmp_path / "penstock"
    init.write_text(f'#!/bin/sh\n[ "$1" = enabled ] || echo "$*" >>{called}\n')
    init.chmod(0o755)
    script = (OPENWRT / "penstock.hotplug").read_text().replace("/etc/init.d/penstock", str(init))
    command = ["env", f"ACTION={action}", "INTERFACE=wan", "sh", "-c", script]
    subprocess.run(command, check=False)
    assert called.exists() == starts
    if starts:
        assert called.read_text() == "start wan\n"
