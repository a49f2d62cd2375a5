# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw cc in the lab, and what its connections say of themselves."""

import fcntl
import json
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gateway_lab import TOOL, Lab
from loads import acked_bytes, until

METHODS = {
    "newreno": "pst_newreno",
    "cubic": "pst_cubic",
    "reno": "pst_reno",
    "westwood_plus": "pst_westwood",
    "log_westwood_plus": "pst_logwestwood",
    "scalable": "pst_scalable",
    "scalable_westwood": "pst_scwestwood",
    "highspeed": "pst_highspeed",
    "bic": "pst_bic",
    "vegas": "pst_vegas",
    "xcp_sender": "pst_xcp_sender",
    "quick_start_sender": "pst_quick_start",
    "antiecn_sender": "pst_antiecn",
    "fba_sender": "pst_fba_sender",
    "etcp_1": "pst_etcp_1",
    "etcp_2": "pst_etcp_2",
    "etcp_3": "pst_etcp_3",
    "etcp_3b": "pst_etcp_3b",
    "tcbi_temporal": "pst_tcbi_temp",
    "tcbi_ensemble": "pst_tcbi_ens",
    "fs_tcbi": "pst_fs_tcbi",
    "efcm": "pst_efcm",
    "linux_efcm_1": "pst_lin_efcm_1",
    "linux_efcm_3": "pst_lin_efcm_3",
    "ensemble_tcp": "pst_ens_tcp",
    "congestion_manager": "pst_cm",
}


class Controls:
    """penstock-gw cc in the sending host's namespace."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def tool(self, *arguments: str, expect: int = 0) -> str:
        command = [str(TOOL), "--netns", self.lab.server, "cc", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == expect, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def state(self, method: str) -> str:
        found = json.loads(self.tool("list", "-j"))["controls"]
        (one,) = (control["state"] for control in found if control["method"] == method)
        return str(one)

    def status(self) -> dict[str, dict[str, object]]:
        """What each control that is loaded says of itself."""
        done = json.loads(self.tool("status", "-j"))
        return {control["method"]: control for control in done["controls"]}


@contextmanager
def controls_of(lab: Lab) -> Iterator[Controls]:
    """None is loaded before, none after. They are the whole kernel's, so one test at a time."""
    one = Controls(lab)
    with open(Path(tempfile.gettempdir()) / "penstock-cc-tests.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        probe = subprocess.run(
            [str(TOOL), "cc", "load", "newreno"], capture_output=True, text=True, check=False
        )
        if probe.returncode == 69:
            pytest.skip(probe.stderr.strip())
        one.tool("unload", "--all")
        yield one
        one.tool("unload", "--all")
        assert set(METHODS) == {m for m in METHODS if "loaded" not in one.state(m).split()[:1]}


def choose(connection: socket.socket, name: str) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def narrow(lab: Lab) -> None:
    """A bottleneck that loses packets."""
    lab.tc(f"qdisc add dev {lab.device} root tbf rate 50mbit burst 20k limit 60k")


def tcp_info(connection: socket.socket) -> tuple[int, int]:
    """Its state of recovery, 0 for none, and its window in segments (struct tcp_info)."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    fields = struct.unpack("8B24I", info)
    return int(fields[1]), int(fields[8 + 18])


def described(connection: socket.socket) -> str:
    """What tells why it makes no progress."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    fields = struct.unpack("8B24I", info)
    return (
        f"state {fields[1]}, {fields[2]} timeouts, {fields[3]} probes, rto {fields[8]} us, "
        f"unacked {fields[12]}, sacked {fields[13]}, lost {fields[14]}, resent {fields[15]}, "
        f"last sent {fields[17]} ms and acked {fields[20]} ms ago, window {fields[26]}"
    )


def window(connection: socket.socket) -> int:
    return tcp_info(connection)[1]


def wait_for_data(sender: socket.socket) -> None:
    """Returns once more of its data has arrived."""
    before = acked_bytes(sender)
    until(lambda: acked_bytes(sender) > before)
