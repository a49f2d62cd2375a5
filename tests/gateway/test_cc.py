# SPDX-License-Identifier: GPL-2.0-only
"""R33: senders of core/ as Linux' congestion controls: loaded, used, and taken away again."""

import json
import os
import socket
import subprocess
import time

import pytest
from controls import METHODS, Controls, choose, narrow, wait_for_data
from gateway_lab import TOOL, sh
from loads import CHUNK, acked_bytes, connections, streaming, until
from spaces import inside

THOUSAND = 1000
KILL_AFTER_S = [0.0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16]


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
