# SPDX-License-Identifier: GPL-2.0-only
"""The columns that papers speak of, in words."""

from typing import Final

_WORDS: Final = {
    "drops": "packets dropped",
    "goodput_mbps": "goodput of a flow",
    "goodput_mbps_total": "throughput",
    "jain": "fairness",
    "loss_percent": "loss",
    "queue_bytes_max": "largest queue",
    "queue_bytes_mean": "mean queue",
    "queue_delay_ms_mean": "mean queueing delay",
    "queue_delay_ms_p99": "99th percentile of the queueing delay",
    "queue_delay_ms_sd": "deviation of the queueing delay",
    "tcp_efficiency_percent": "TCP efficiency",
    "tcp_loss_percent": "loss of TCP",
    "timeouts": "timeouts",
    "transfer_s": "transfer time",
    "udp_loss_percent": "loss of UDP",
    "utilisation_percent": "link in use",
    **{
        f"fct_to_{size}_ms_{which}": f"{words} of transfers to {size}"
        for size in ("10k", "100k", "1m")
        for which, words in (("p50", "median time"), ("p99", "99th percentile of the time"))
    },
}


def words(column: str) -> str:
    """A column as a label."""
    return _WORDS.get(column) or column.replace("_", " ")
