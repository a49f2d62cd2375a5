# SPDX-License-Identifier: GPL-2.0-only
"""Ways of sharing of core/ as Linux' congestion controls: the connections to one host."""

import json
import shutil
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from controls import METHODS, Controls, choose, described, narrow, tcp_info, wait_for_data, window
from gateway_lab import Lab, sh
from loads import CHUNK, acked_bytes, connections, streaming, until
from spaces import inside

THOUSAND = 1000
IN_TIMEOUT = 4  # TCP_CA_Loss


@pytest.mark.parametrize(
    "method",
    ["tcbi_ensemble", "fs_tcbi", "efcm", "linux_efcm_1", "linux_efcm_3", "ensemble_tcp"],
)
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


@pytest.mark.parametrize(
    ("method", "remembers"),
    [("tcbi_temporal", True), ("ensemble_tcp", True), ("tcbi_ensemble", False)],
)
def test_who_comes_later_gets_what_was_learnt(
    controls: Controls, method: str, remembers: bool
) -> None:
    controls.tool("load", method)
    with connections(controls.lab, 2) as [(first, far), (second, _)]:
        choose(first, METHODS[method])
        with streaming((first, far)):
            until(lambda: window(first) >= 40)
            choose(first, "reno")  # it leaves, the last of its ensemble
        choose(second, METHODS[method])
        assert (window(second) >= 38) is remembers
        assert remembers or window(second) == 10


@pytest.mark.parametrize("sharing", ["ensemble_tcp", "congestion_manager"])
def test_an_ensemble_that_grows_as_one_connection_loses_less(
    controls: Controls, sharing: str
) -> None:
    """Each of four members grows a quarter as fast as NewReno's."""
    lab = controls.lab
    narrow(lab)
    retransmits = {}
    for method in (sharing, "newreno"):
        controls.tool("load", method)
        with connections(lab, 4) as pairs:
            for near, _ in pairs:
                choose(near, METHODS[method])
            with streaming(*pairs):
                until(lambda: sum(acked_bytes(near) for near, _ in pairs) > 60_000_000)
                retransmits[method] = int(str(controls.status()[method]["retransmits"]))
    assert 0 < retransmits[sharing] < retransmits["newreno"] / 3


def busiest(connection: socket.socket) -> int:
    """Its largest window of some looks: it has a segment whenever it has nothing to send."""
    return max(window(connection) for _ in range(200))


def test_a_macroflow_belongs_to_those_of_its_members_that_send(controls: Controls) -> None:
    controls.tool("load", "congestion_manager")
    with connections(controls.lab, 2) as [(first, far), (second, second_far)]:
        choose(first, METHODS["congestion_manager"])
        with streaming((first, far)):
            until(lambda: window(first) >= 40)
            choose(second, METHODS["congestion_manager"])
            wait_for_data(first)
            assert window(second) == 1
            until(lambda: busiest(first) >= 40)
            with streaming((second, second_far)):
                until(lambda: window(second) >= 18)
                until(lambda: abs(window(second) - window(first)) <= 3)
            wait_for_data(first)
            assert window(second) == 1
            until(lambda: busiest(first) >= 40)


def until_one(members: Sequence[socket.socket]) -> None:
    """In most of thirty looks in a row the windows differ by three segments at most.

    A member takes its part at its own next event, which a busy machine delays.
    """
    spreads: list[int] = []
    deadline = time.monotonic() + 60
    while len(spreads) < 30 or sorted(spreads[-30:])[15] > 3:
        late = time.monotonic() > deadline
        assert not late, "\n".join((f"spreads {spreads[-30:]}", *map(described, members)))
        time.sleep(0.01)
        states, windows = zip(*(tcp_info(near) for near in members), strict=True)
        if not any(states):  # in a recovery a window is the kernel's own
            spreads.append(max(windows) - min(windows))


def delete_ensembles() -> None:
    """All that are in the kernel, as if their last members had left."""
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")
    for one in json.loads(sh(f"{bpftool} -j map show")):
        if one.get("name") != "cc_ensembles":
            continue
        for entry in json.loads(sh(f"{bpftool} -j map dump id {one['id']}")):
            key = " ".join(entry["key"])
            sh(f"{bpftool} map delete id {one['id']} key {key}")


def test_a_member_whose_ensemble_is_deleted_joins_the_next_one(controls: Controls) -> None:
    """Who joins between the last member's departure and the deletion is such a member."""
    controls.tool("load", "efcm")
    with connections(controls.lab, 2) as [(first, far), (second, second_far)]:
        choose(first, "pst_efcm")
        with streaming((first, far)):
            until(lambda: window(first) >= 40)
            delete_ensembles()
            wait_for_data(first)
            until(lambda: window(first) >= 40)  # again, if it has lost a packet meanwhile
            choose(second, "pst_efcm")
            assert window(second) >= 18, "it has the first member's share"
            with streaming((second, second_far)):
                until_one([first, second])


def forward(lab: Lab, *, on: bool) -> None:
    sh(f"ip netns exec {lab.gateway} sysctl -qw net.ipv4.ip_forward={int(on)}")


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
        with streaming(*pairs):
            until(lambda: int(str(controls.status()["efcm"]["retransmits"])) > 0)
            until_one([near for near, _ in pairs])


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
