# SPDX-License-Identifier: GPL-2.0-only
"""R27 under load: a million SYNs, and no established flow is forgotten."""

import json
from typing import Any

from gateway_lab import Lab
from loads import connections, streaming, until
from syns import flood

THOUSANDS = 1000
CONNECTIONS = 300
HALF_OPEN_MOST = 16_384


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
