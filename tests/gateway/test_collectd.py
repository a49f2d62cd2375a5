# SPDX-License-Identifier: GPL-2.0-only
"""The metrics in collectd, by OpenWrt's plugin."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_lab import OPENWRT, TOOL, Lab
from loads import until


@contextlib.contextmanager
def metrics_served(lab: Lab, port: int) -> Iterator[None]:
    """`penstock-gw metrics` on the gateway, as procd keeps it."""
    command = [str(TOOL), "metrics", lab.device, "--port", str(port)]
    with subprocess.Popen(["ip", "netns", "exec", lab.gateway, *command]) as running:
        try:
            yield
        finally:
            running.terminate()


def plugin(lab: Lab, *ports: str) -> list[str]:
    """The collectd plugin on the gateway."""
    return ["ip", "netns", "exec", lab.gateway, "sh", str(OPENWRT / "penstock.collectd"), *ports]


def test_the_collectd_plugin_prints_each_metric_and_ends_with_collectd(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    own = {"COLLECTD_HOSTNAME": "router", "COLLECTD_INTERVAL": "1.000"}
    with (
        metrics_served(lab, 9477),
        subprocess.Popen(
            plugin(lab, "9477"), stdout=subprocess.PIPE, text=True, env={**os.environ, **own}
        ) as running,
    ):
        assert running.stdout is not None
        lines = [running.stdout.readline()]
        while (line := running.stdout.readline()) != lines[0]:
            lines.append(line)
        running.stdout.close()
        assert running.wait(timeout=60) in {0, -signal.SIGPIPE}
    form = (
        rf'PUTVAL "router/penstock-{lab.device}/(gauge|derive)-[a-z_-]+" interval=1 N:[0-9.e+]+\n'
    )
    assert [line for line in lines if not re.fullmatch(form, line)] == []
    text = lab.tool("metrics", lab.device)
    shown = [line for line in text.splitlines() if not line.startswith(("#", "penstock_info"))]
    assert len(lines) == len(shown)
    assert len({line.split()[1] for line in lines}) == len(lines), "each has a name of its own"
    done = subprocess.run(
        ["sh", str(OPENWRT / "penstock.collectd")], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, b"usage: penstock.sh PORT...\n")


@pytest.mark.skipif(not shutil.which("collectd"), reason="collectd is not installed")
def test_collectd_itself_takes_what_the_plugin_prints(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "97kB")
    tmp_path.chmod(0o755)
    script = tmp_path / "penstock.sh"
    shutil.copy(OPENWRT / "penstock.collectd", script)
    (tmp_path / "collectd.conf").write_text(
        f"""Hostname router
        Interval 1
        BaseDir "{tmp_path}"
        PIDFile "{tmp_path}/pid"
        LoadPlugin exec
        LoadPlugin csv
        <Plugin exec>
          Exec "nobody:nogroup" "{script}" "9477"
        </Plugin>
        <Plugin csv>
          DataDir "{tmp_path}"
        </Plugin>
        """
    )
    for folder in tmp_path.parents:  # for nobody, who runs the plugin
        if "pytest" in str(folder):
            folder.chmod(folder.stat().st_mode | 0o055)
    command = ["ip", "netns", "exec", lab.gateway, "collectd", "-f"]
    written = tmp_path / "router" / f"penstock-{lab.device}"
    with (
        metrics_served(lab, 9477),
        subprocess.Popen([*command, "-C", str(tmp_path / "collectd.conf")]) as running,
    ):
        try:
            until(lambda: len(list(written.glob("gauge-queue_limit_bytes-*"))) == 1)
            until(lambda: len(list(written.glob("derive-forward_bytes-*"))) == 1)
        finally:
            running.terminate()
    (file,) = written.glob("gauge-queue_limit_bytes-*")
    assert file.read_text().splitlines()[1].partition(",")[2].startswith("97000")
