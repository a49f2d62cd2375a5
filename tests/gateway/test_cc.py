# SPDX-License-Identifier: GPL-2.0-only
"""R33: senders of core/ as Linux' congestion controls: loaded, used, and taken away again."""

import fcntl
import json
import os
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gateway_lab import TOOL, Lab, sh
from loads import CHUNK, acked_bytes, connections, streaming, until
from spaces import inside

METHODS = {
    "newreno": "pst_newreno",
    "cubic": "pst_cubic",
    "reno": "pst_reno",
    "westwood_plus": "pst_westwood",
    "log_westwood_plus": "pst_logwestwood",
    "scalable": "pst_scalable",
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
    "fs_tcbi": "pst_fs_tcbi",
    "efcm": "pst_efcm",
    "linux_efcm_1": "pst_lin_efcm_1",
    "linux_efcm_3": "pst_lin_efcm_3",
}
THOUSAND = 1000
IN_TIMEOUT = 4  # TCP_CA_Loss
KILL_AFTER_S = [0.0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16]


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


@pytest.fixture
def controls(lab: Lab) -> Iterator[Controls]:
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


def test_the_list_has_every_sender(controls: Controls) -> None:
    found = json.loads(controls.tool("list", "-j"))["controls"]
    assert {control["method"]: control["linux_name"] for control in found} == METHODS
    assert all(len(name) < 16 for name in METHODS.values())


@pytest.mark.parametrize("method", METHODS)
def test_a_stream_comes_through_losses_as_it_was_sent(controls: Controls, method: str) -> None:
    lab = controls.lab
    narrow(lab)
    controls.tool("load", method)
    with connections(lab, 1) as [(near, far)]:
        choose(near, METHODS[method])
        with streaming((near, far)):
            if method == "vegas":  # it keeps the queue short, and so loses nothing
                until(lambda: acked_bytes(near) > 1_000_000)
            else:
                until(lambda: int(str(controls.status()[method]["retransmits"])) > 0)
            status = controls.status()[method]
        assert status["connections"] == 1
        assert 1 <= int(str(status["cwnd_segments"])) < 2000


@pytest.mark.parametrize("method", ["westwood_plus", "efcm"])
def test_connections_outlive_their_control(controls: Controls, method: str) -> None:
    controls.tool("load", method)
    with connections(controls.lab, 2) as pairs:
        for near, _ in pairs:
            choose(near, METHODS[method])
        with streaming(*pairs):
            controls.tool("unload", method)
            assert controls.state(method) == "unloaded, in use"
            with pytest.raises(FileNotFoundError):
                choose(pairs[0][1], METHODS[method])
            for near, _ in pairs:
                wait_for_data(near)
    until(lambda: controls.state(method) == "not loaded", 90)


def tcp_info(connection: socket.socket) -> tuple[int, int]:
    """Its state of recovery, 0 for none, and its window in segments (struct tcp_info)."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    fields = struct.unpack("8B24I", info)
    return int(fields[1]), int(fields[8 + 18])


def window(connection: socket.socket) -> int:
    return tcp_info(connection)[1]


@pytest.mark.parametrize("method", ["fs_tcbi", "efcm", "linux_efcm_1", "linux_efcm_3"])
def test_who_joins_gets_a_share_of_what_is_there(controls: Controls, method: str) -> None:
    controls.tool("load", method)
    with connections(controls.lab, 3) as [(first, far), (second, _), (alone, _)]:
        choose(first, METHODS[method])
        with streaming((first, far)):
            until(lambda: window(first) >= 40)
            choose(second, METHODS[method])
            joined = window(second)
        assert window(alone) == 10
        assert joined >= 18  # of 40 and 10, half and less a segment, or more


def forward(lab: Lab, *, on: bool) -> None:
    sh(f"ip netns exec {lab.gateway} sysctl -qw net.ipv4.ip_forward={int(on)}")


def wait_for_data(sender: socket.socket) -> None:
    """Returns once more of its data has arrived."""
    before = acked_bytes(sender)
    until(lambda: acked_bytes(sender) > before)


def wait_for_timeout(lab: Lab, sender: socket.socket) -> None:
    """Stops forwarding until the sender is in a timeout.

    A full receiver may leave nothing in flight to be lost; then it is tried again, once
    data flows: a lost update of the window is repeated only by the next probe.
    """
    for _ in range(20):
        forward(lab, on=False)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            if tcp_info(sender)[0] == IN_TIMEOUT:
                return
            time.sleep(0.02)
        forward(lab, on=True)
        wait_for_data(sender)
    pytest.fail("no timeout in 20 interruptions")


@contextmanager
def cut_off(lab: Lab, sender: socket.socket) -> Iterator[None]:
    """The sender is in a timeout meanwhile, and nothing is forwarded."""
    try:
        wait_for_timeout(lab, sender)
        yield
    finally:
        forward(lab, on=True)


def test_a_member_in_a_timeout_rejoins_though_the_others_have_left(controls: Controls) -> None:
    lab, name = controls.lab, METHODS["linux_efcm_3"]
    controls.tool("load", "linux_efcm_3")
    with connections(lab, 3) as [(slow, far), (short, _), (late, _)]:
        choose(slow, name)
        choose(short, name)
        with streaming((slow, far)):
            until(lambda: window(slow) >= 20)
            with cut_off(lab, slow):
                short.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                short.close()  # the last member: its ensemble is deleted
            until(lambda: tcp_info(slow)[0] == 0 and window(slow) >= 40)
            choose(late, name)
            joined = window(late)
        assert joined >= 18


def test_an_ensemble_has_one_window(controls: Controls) -> None:
    lab = controls.lab
    narrow(lab)
    controls.tool("load", "efcm")
    with connections(lab, 4) as pairs:
        for near, _ in pairs:
            choose(near, "pst_efcm")
        spreads: list[int] = []
        with streaming(*pairs):
            until(lambda: int(str(controls.status()["efcm"]["retransmits"])) > 0)
            deadline = time.monotonic() + 60
            while len(spreads) < 30 and time.monotonic() < deadline:
                time.sleep(0.01)
                states, windows = zip(*(tcp_info(near) for near, _ in pairs), strict=True)
                if not any(states):  # in a recovery a window is the kernel's own
                    spreads.append(max(windows) - min(windows))
    assert len(spreads) == 30, "in a recovery at nearly every look"
    assert sorted(spreads)[len(spreads) // 2] <= 3, spreads


def test_a_namespace_and_an_address_have_an_ensemble_each(controls: Controls) -> None:
    lab = controls.lab
    controls.tool("load", "efcm")
    with connections(lab, 1) as [(first, far)]:
        choose(first, "pst_efcm")
        with streaming((first, far)):
            until(lambda: window(first) >= 40)
            with (
                inside(lab.client),
                socket.create_server(("127.0.0.1", 6100)) as listener,
                socket.create_connection(("127.0.0.1", 6100), 10) as other,
                listener.accept()[0],
            ):
                choose(other, "pst_efcm")
                assert window(other) == 10


@pytest.mark.parametrize("method", ["fs_tcbi", "efcm"])
def test_a_thousand_members_come_and_go(controls: Controls, method: str) -> None:
    controls.tool("load", method)
    with connections(controls.lab, THOUSAND) as pairs:
        for near, far in pairs:
            choose(near, METHODS[method])
            near.send(CHUNK[:1000])
            assert len(far.recv(1000, socket.MSG_WAITALL)) == 1000
        controls.tool("unload", method)
        for near, far in pairs:
            near.send(CHUNK[:1000])
            assert len(far.recv(1000, socket.MSG_WAITALL)) == 1000
        assert min(window(near) for near, _ in pairs) >= 1


def test_it_can_be_loaded_again_while_old_connections_use_it(controls: Controls) -> None:
    controls.tool("load", "log_westwood_plus", "-p", "alpha=4")
    with connections(controls.lab, 2) as [(old, _), (new, far)]:
        choose(old, "pst_logwestwood")
        controls.tool("unload", "log_westwood_plus")
        controls.tool("load", "log_westwood_plus", "-p", "alpha=8")
        assert controls.state("log_westwood_plus") == "loaded"
        choose(new, "pst_logwestwood")
        for near in (old, new):
            near.sendall(CHUNK)
        assert far.recv(len(CHUNK), socket.MSG_WAITALL) == CHUNK


def test_a_thousand_connections_of_a_default_that_goes(controls: Controls) -> None:
    lab = controls.lab
    before = sh(f"ip netns exec {lab.server} sysctl -n net.ipv4.tcp_congestion_control")
    controls.tool("load", "westwood_plus", "--default")
    with connections(lab, THOUSAND) as pairs:
        assert controls.status()["westwood_plus"]["connections"] == THOUSAND
        assert controls.status()["westwood_plus"]["default"] is True
        for near, _ in pairs:
            near.send(CHUNK[:1000])
        controls.tool("unload", "westwood_plus")
        after = sh(f"ip netns exec {lab.server} sysctl -n net.ipv4.tcp_congestion_control")
        assert not after.startswith("pst_")
        for near, far in pairs:
            near.send(CHUNK[:1000])
            assert len(far.recv(2000, socket.MSG_WAITALL)) == 2000
    assert before == sh(f"ip netns exec {lab.client} sysctl -n net.ipv4.tcp_congestion_control")


@pytest.mark.parametrize("after_s", KILL_AFTER_S)
def test_sigkill_leaves_it_loaded_or_not(controls: Controls, after_s: float) -> None:
    one = subprocess.Popen(
        [str(TOOL), "cc", "load", "scalable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(after_s)
    one.kill()
    one.wait()
    if controls.state("scalable") == "loaded":
        with inside(controls.lab.server), socket.socket() as connection:
            choose(connection, "pst_scalable")
    else:
        controls.tool("load", "scalable")


@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.02])
@pytest.mark.parametrize(("command", "method"), [("unload", "efcm"), ("load", "linux_efcm_1")])
def test_sigkill_while_a_thousand_members_are_connected(
    controls: Controls, command: str, method: str, after_s: float
) -> None:
    lab = controls.lab
    controls.tool("load", "efcm")
    with connections(lab, THOUSAND) as pairs:
        for near, _ in pairs:
            choose(near, METHODS["efcm"])
        with streaming(*pairs[:2]):
            for near, _ in pairs[2:]:
                near.send(CHUNK[:1000])
            one = subprocess.Popen(
                [str(TOOL), "--netns", lab.server, "cc", command, method],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(after_s)
            one.kill()
            one.wait()
        for near, far in pairs[2:]:
            near.send(CHUNK[:1000])
            assert len(far.recv(2000, socket.MSG_WAITALL)) == 2000
    if controls.state(method).startswith("loaded"):
        controls.tool("unload", method)
    elif command == "load":
        controls.tool("load", method)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["load", "westwood"], 2, "called 'westwood'; there are newreno, cubic"),
        (["load", "vegas", "-p", "x=1"], 2, "param x: vegas has only abc_limit, alpha_pkts"),
        (["load", "vegas", "-p", "alpha_pkts=many"], 2, "'many' is not a number"),
        (["unload", "vegas"], 3, "vegas is not loaded"),
        (["unload"], 2, "name one METHOD, or --all"),
        (["status"], 3, "no congestion control is loaded"),
    ],
)
def test_what_is_wrong_is_named(
    controls: Controls, arguments: list[str], code: int, says: str
) -> None:
    assert says in controls.tool(*arguments, expect=code)


def test_a_second_load_is_refused(controls: Controls) -> None:
    controls.tool("load", "bic")
    assert "is loaded already" in controls.tool("load", "bic", expect=1)


def test_rights_that_are_missing_are_named() -> None:
    if os.geteuid() or not TOOL.exists():
        pytest.skip("gives up root's rights, so it needs them")
    done = subprocess.run(
        ["setpriv", "--bounding-set=-all", "--inh-caps=-all", str(TOOL), "cc", "load", "bic"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 77
    assert "CAP_BPF" in done.stderr
