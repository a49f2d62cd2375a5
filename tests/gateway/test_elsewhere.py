# SPDX-License-Identifier: GPL-2.0-only
"""An attachment that is not where data queues says so, by what it sees."""

import json
import time
from collections.abc import Iterator

import pytest
from gateway_lab import Lab, linked, sh
from loads import connections, streaming, until

LINE = ("--rate", "20mbit", "--queue", "150kB", "--delay", "20ms")


@pytest.fixture
def modem(lab: Lab) -> Iterator[None]:
    """A line of 20 Mbit/s and 40 ms of round trip, behind the gateway's device."""
    sh(f"ip -n {lab.gateway} link del {lab.device}")
    with linked(f"{lab.gateway}:{lab.device}", f"{lab.client}:c0", *LINE):
        sh(f"ip -n {lab.gateway} addr add 10.9.1.1/24 dev {lab.device}")
        sh(f"ip -n {lab.client} addr add 10.9.1.2/24 dev c0")
        sh(f"ip -n {lab.client} route add default via 10.9.1.1")
        yield


def warning(lab: Lab) -> str:
    """That of `status`."""
    return str(lab.status()["warning"])


@pytest.mark.usefixtures("modem")
def test_a_rate_above_the_lines_is_found(lab: Lab) -> None:
    """25 Mbit/s, where 20 are there: the modem's queue fills, and ours holds nothing.

    It takes long, as a queue that stood for less than three seconds is no reason to warn.
    """
    lab.tool("attach", lab.device, "--rate", "18mbit")
    with connections(lab, 2) as pairs, streaming(*pairs):
        end_s = time.monotonic() + 4
        while time.monotonic() < end_s:
            assert not warning(lab)
            time.sleep(0.5)
        lab.tool("set", lab.device, "--rate", "25mbit")
        until(lambda: "further down" in warning(lab))
        waits_ns = lab.status()["far_wait_ns"]
        assert isinstance(waits_ns, int)
        assert waits_ns > 20_000_000
        assert "so the rate of 25.0 Mbit/s is above what is there" in warning(lab)
        said = ""

        def look() -> bool:
            nonlocal said
            said = lab.tool("doctor", lab.device, expect=None)
            return "at a rate set to 25.0 Mbit/s" in said

        until(look)
        told = int(said.partition(f"penstock-gw set {lab.device} --rate ")[2].partition("kbit")[0])
        assert 15_000 < told < 20_000, "95 % of what the line carries"
        lab.tool("set", lab.device, "--rate", f"{told}kbit")
        until(lambda: not warning(lab))
        assert lab.status()["far_wait_ns"] == 0


def default_by_server(lab: Lab) -> None:
    """The provider is where the server is: the other device is the LAN's."""
    sh(f"ip -n {lab.gateway} route add default via 10.9.2.2")


def test_passive_where_the_queue_cannot_be_further_down(lab: Lab) -> None:
    passive = ("--rate", "auto", "--source", "passive")
    default_by_server(lab)
    said = lab.tool("attach", lab.device, *passive, expect=1)
    assert f"{lab.device} leads to the own network: what leaves by it has come in by pgs" in said
    assert "penstock-gw attach pgs --down holds it" in said
    assert lab.leftovers() == []
    lab.tool("attach", lab.device, *passive, "--force")
    assert "comes from another network" in warning(lab)
    assert "penstock-gw attach" not in lab.tool("attach", "pgs", *passive)


def test_a_rate_above_that_of_downloads_is_found_on_the_lan_side(lab: Lab) -> None:
    """The queue is before this machine, where what leaves does not show it."""
    default_by_server(lab)
    sh(f"ip -n {lab.gateway} link del pgs")
    with linked(f"{lab.gateway}:pgs", f"{lab.server}:s0", *LINE):
        sh(f"ip -n {lab.gateway} addr add 10.9.2.1/24 dev pgs")
        sh(f"ip -n {lab.server} addr add 10.9.2.2/24 dev s0")
        sh(f"ip -n {lab.server} route add default via 10.9.2.1")
        default_by_server(lab)
        lab.tool("attach", lab.device, "--rate", "25mbit")
        with connections(lab, 2) as pairs, streaming(*pairs):
            until(lambda: lab.status()["acks_seen"] != 0)
            found: list[str] = []

            def look() -> bool:
                said = json.loads(lab.tool("doctor", "-j", lab.device, expect=None))
                found[:] = [
                    one["what"] + one["advice"]
                    for one in said["findings"]
                    if "at the provider's side" in one["what"]
                ]
                return bool(found)

            until(look)
        assert "at a rate set to 25.0 Mbit/s" in found[0]
        assert "penstock-gw attach pgs --down holds it with no rate" in found[0]
