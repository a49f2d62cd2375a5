# SPDX-License-Identifier: GPL-2.0-only
"""`penstock-gw metrics`: to a file, and served."""

import contextlib
import json
import socket
import subprocess
from pathlib import Path

import pytest
from gateway_lab import TOOL, Lab
from loads import connections, streaming, until


def test_metrics_follow_no_link(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    other = tmp_path / "other"
    other.write_text("precious\n")
    path = tmp_path / "penstock.prom"
    Path(f"{path}.new").symlink_to(other)
    lab.tool("metrics", lab.device, "--output", str(path))
    assert other.read_text() == "precious\n"
    assert "penstock_up" in path.read_text()
    assert not path.is_symlink()


def test_metrics_that_cannot_be_written_leave_nothing(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    lab.tool("attach", lab.device, "--rate", "20mbit")
    assert f"cannot write {path}" in lab.tool("metrics", lab.device, "-o", str(path), expect=1)
    assert list(tmp_path.iterdir()) == [path]


def test_metrics_are_prometheus_text(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    text = lab.tool("metrics", lab.device)
    assert f'penstock_up{{iface="{lab.device}"}} 1' in text
    assert 'reason="unknown_flow"' in text
    families = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    for line in text.splitlines():
        assert line.startswith("#") or float(line.rsplit(" ", 1)[1]) >= 0
    lab.tool("metrics", lab.device, "-o", str(tmp_path / "p.prom"))
    assert (tmp_path / "p.prom").read_text().startswith("# HELP")


def gauge(text: str, name: str) -> float:
    """Its one value."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"penstock_{name}{{")]
    return float(line.rsplit(" ", 1)[1])


def test_what_users_notice_is_measured_on_traffic(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "30kB")
    assert "penstock_rpm" not in lab.tool("metrics", lab.device), "there is no traffic"
    with connections(lab, 3) as pairs, streaming(*pairs):
        until(lambda: lab.status()["flows_active"] == 3)
        text = lab.tool("metrics", lab.device)
        flows = json.loads(lab.tool("flows", lab.device, "-j"))["flows"]
    # A wait of 30 kB at 20 Mbit/s is 12 ms, and the path is the one that the flows have.
    longest_ms = 12 + 1e-6 * max(flow["rtt_ns"] for flow in flows)
    assert 60_000 / longest_ms < gauge(text, "rpm") < 60_000 / 0.1
    assert 0 <= gauge(text, "qoo_percent") <= 100


def asked(port: int) -> str:
    """The first answer of a server."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as one:
        one.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        return one.recv(100).decode()


def listens(port: int) -> bool:
    """Whether a server answers there."""
    with contextlib.suppress(OSError):
        return asked(port) != ""
    return False


def test_an_idle_connection_delays_no_metrics(lab: Lab) -> None:
    """As many as may wait, and more: whoever asks is answered, in this order and no other."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    served = subprocess.Popen([str(TOOL), "metrics", "lo", "--port", str(port)])
    idle: list[socket.socket] = []
    try:
        until(lambda: listens(port))
        for count in (2, 100):
            idle += [
                socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(count)
            ]
            assert asked(port).startswith("HTTP/1.1 200 OK")
        # The last of those that wait has been asked nothing and answered nothing.
        idle[-1].setblocking(False)
        with pytest.raises(BlockingIOError):
            idle[-1].recv(1)
    finally:
        served.kill()
        served.wait()
        for one in idle:
            one.close()
