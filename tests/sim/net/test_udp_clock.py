# SPDX-License-Identifier: GPL-2.0-only
"""UDP keeps its rate however long a run is."""

from penstock import _native

SECOND = 10**9


def test_packets_are_on_time_after_hours() -> None:
    """A clock in 2^-20 ns wraps after 17,592 s."""
    network = _native.Network(1)
    source, sink = network.node("source"), network.node("sink")
    for a, b in ((source, sink), (sink, source)):
        network.link(a, b, rate_bps=1_000_000, delay_ns=0)
    seconds = 30_000
    network.udp(source, sink, start_ns=0, stop_ns=0, rate_bps=8_000, payload_bytes=1000)
    result = network.run(seconds * SECOND)
    assert result.end_ns == seconds * SECOND
    assert abs(int(result.flows["packets_sent"][0]) - seconds) <= 1
