# SPDX-License-Identifier: GPL-2.0-only
"""A sender and a receiver that simulator and ns-3 both have."""

from penstock.plan.network import Receiver, Sender

SENDER = Sender(
    "newreno",
    mss_bytes=1460,
    initial_window_segments=4,
    initial_rto_ns=1_000_000_000,
    min_rto_ns=1_000_000_000,
    max_rto_ns=60_000_000_000,
    sack=True,
    timestamps=False,
    window_scale=True,
    limited_transmit=True,
    ecn=False,
    nagle=False,
    hystart=False,
    prr=False,
    pacing=False,
)
RECEIVER = Receiver(
    buffer_bytes=60_000,
    max_buffer_bytes=60_000,
    autotune=False,
    mss_bytes=1460,
    delayed_ack_segments=1,
    delayed_ack_ns=200_000_000,
    sack=True,
    timestamps=False,
    window_scale=True,
    ecn=False,
)
