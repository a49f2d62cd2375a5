# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw attach wan0 --down: the queue at the provider's side, held from behind the line."""

import json
import subprocess
import sys
import time

import pytest
from downloads import DOWN_MBPS, PATH_MS, SERVER, TRAFFIC, home, measured
from live_support import call, inside, program
from patience import timed

pytestmark = pytest.mark.usefixtures("gateway")

FULL_UPLINK_MS = 96  # 60 kB at 5 Mbit/s
FULL_MS = 80  # 200 kB at 20 Mbit/s: what a ping waits behind downloads that nothing holds


def test_downloads_do_not_queue_at_the_provider() -> None:
    with home() as one, timed():
        one.tool("attach", "wan0", "--down")
        found = measured(one, 4, warm_s=3, seconds=4)
        status = one.status("wan0.down")
        assert found.p99_ms() < PATH_MS + FULL_MS / 2
        assert found.down_mbps() > 0.85 * DOWN_MBPS
        upstream = status["upstream"]
        assert isinstance(upstream, dict)
        assert upstream["known"] is True
        assert 0.9e6 * DOWN_MBPS < upstream["rate_bps"] < 1.1e6 * DOWN_MBPS
        assert status["rate_bps"] == upstream["rate_bps"]
        assert (status["warning"], status["unstamped_bytes"]) == ("", 0)


def test_a_full_uplink_counts_as_path_of_the_downloads() -> None:
    """Linux without GSO, held, sends pairs that end with PSH: its ACKs are timed all the same."""
    with home() as one, timed():
        one.tool("attach", "wan0", "--down")
        with program(*inside(one.server, sys.executable, TRAFFIC, "serve", SERVER)):
            words = ["4", "2", "4", "6"]
            used = inside(one.client, sys.executable, TRAFFIC, "use", SERVER, *words)
            with subprocess.Popen(used, stdout=subprocess.PIPE, text=True) as using:
                time.sleep(9)
                flows = json.loads(one.tool("flows", "-j", "wan0.down"))["flows"]
                found = json.loads(using.communicate(timeout=30)[0])
        trips_ms = sorted(flow["rtt_ns"] / 1e6 for flow in flows if flow["rtt_ns"])[-4:]
        assert trips_ms[0] > PATH_MS + FULL_UPLINK_MS / 2, "the four downloads"
        assert sum(found["down_bps"]) > 0.6e6 * DOWN_MBPS


def test_a_rate_that_is_told_holds_without_a_queue() -> None:
    """Arrivals stay below it, so that none waits at the provider either."""
    with home() as one, timed():
        one.tool("attach", "wan0", "--down", "--rate", "10mbit")
        found = measured(one, 4, warm_s=3, seconds=3)
        assert 7.5 < found.down_mbps() < 10
        assert found.p99_ms() < PATH_MS + FULL_MS / 4
        one.tool("set", "wan0.down", "--rate", "50mbit")
        found = measured(one, 4, warm_s=3, seconds=2)
        assert found.p99_ms() > PATH_MS + FULL_MS / 2, "above the line's it holds nothing"
        said = one.tool("status", "wan0.down")
        assert "the rate of 50.0 Mbit/s is above the line's, of which " in said


@pytest.mark.parametrize("gro", ["on", "off"])
def test_a_single_host_holds_its_own_downloads(gro: str) -> None:
    """Its ACKs leave by the same device; GRO joins what came in before the programs see it."""
    with home() as one, timed():
        call(*inside(one.client, sys.executable, TRAFFIC, "gro", "c0", gro))
        one.tool("attach", "c0", "--down", space=one.client)
        found = measured(one, 4, warm_s=3, seconds=3)
        status = json.loads(one.tool("status", "-j", "c0.down", space=one.client))
        assert found.p99_ms() < PATH_MS + FULL_MS / 2
        assert found.down_mbps() > 0.85 * DOWN_MBPS
        assert status["upstream"]["known"] is True
        assert (status["write_errors"], status["unstamped_bytes"]) == (0, 0)
