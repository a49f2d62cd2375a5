# SPDX-License-Identifier: GPL-2.0-only
"""R27 under load: a million SYNs, and no established flow is forgotten."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gateway_lab import Lab
from loads import acked_bytes, connections, goodput_mbps, streaming, until
from patience import timed
from syns import flood

from penstock.runs.live.busy import BusyError

THOUSANDS = 1000
CONNECTIONS = 300
HALF_OPEN_MOST = 16_384
RATE_MBPS = 20
MUCH_BYTES = 5_000_000
HANDSHAKES_EACH_S = 2100
HANDSHAKES = str(Path(__file__).with_name("handshakes.py"))


def flows(lab: Lab) -> dict[str, Any]:
    """`flows -j` of the device."""
    found = json.loads(lab.tool("flows", "-j", lab.device))
    assert isinstance(found, dict)
    return found


def acks_seen(lab: Lab) -> int:
    """So far."""
    return int(str(lab.status()["acks_seen"]))


def test_a_million_syns_cost_no_flow(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "50mbit", "--buffer", "400k")
    with connections(lab, CONNECTIONS) as [busy, *idle]:
        with streaming(busy):
            until(lambda: int(str(lab.status()["acks_rewritten"])) > 100)
            acks_seen_before = acks_seen(lab)
            flood(lab.client, "c0", THOUSANDS)
            status, known = lab.status(), flows(lab)
            until(lambda: acks_seen(lab) > acks_seen_before + 1000)

        by = status["acks_by"]
        assert isinstance(by, dict)
        assert by["syn"] > THOUSANDS * 900, "the flood did not reach the gateway"
        assert len(known["flows"]) == status["flows_opened"] == CONNECTIONS
        assert 0 < known["half_open"] <= HALF_OPEN_MOST
        for near, far in idle:
            near.sendall(b"still there")
            assert far.recv(100) == b"still there"
        bypassed = lab.status()["bypassed"]
        assert isinstance(bypassed, dict)
        assert bypassed["unknown_flow"] == 0


@timed()
def test_empty_handshakes_leave_a_running_flow_most_of_the_link(
    lab: Lab, record: Callable[..., None]
) -> None:
    """Of a LAN host, until they are found out and afterwards."""
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with lab.far_server("20ms"), connections(lab, 1) as [pair], streaming(pair):
        until(lambda: acked_bytes(pair[0]) > MUCH_BYTES)
        alone = goodput_mbps(2, pair[0])
        words = [lab.client, lab.server, str(HANDSHAKES_EACH_S), "3.5"]
        with subprocess.Popen(
            [sys.executable, HANDSHAKES, *words], stdout=subprocess.PIPE, text=True
        ) as flooding:
            assert flooding.stdout is not None
            flooding.stdout.readline()
            beside = goodput_mbps(2, pair[0])
            completed = int(flooding.communicate()[0])
    if completed <= HANDSHAKES_EACH_S // 2:
        raise BusyError("the flood was slow")
    record(alone_mbps=alone, mbps=beside)
    # Of the link, the SYN-ACKs have a twentieth.
    assert beside > 0.75 * alone
