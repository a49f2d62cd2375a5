# SPDX-License-Identifier: GPL-2.0-only
"""The columns of a directory's further tables, after those that identify a run.

Each has a name, a unit, a definition and where it is counted, as those of columns.py have.
tools/gen_column_docs.py writes them into docs/columns.md.
"""

from typing import Final, NamedTuple

from penstock.columns import RECEIVER_COUNTERS, SENDER_COUNTERS

_SCENARIO: Final = "scenario"
_SENDERS: Final = "senders"
_RECEIVERS: Final = "receivers"
_QUEUE: Final = "the queue"
_ENDS: Final = "both ends"


class Defined(NamedTuple):
    """A column of a table; its unit is empty where it is no quantity."""

    name: str
    unit: str
    definition: str
    point: str


# groups.parquet has the columns of a run that are counted at the ends too.
GROUP: Final = (Defined("group", "", "Group of traffic, as in [tcp.NAME].", _SCENARIO),)
GROUP_OF_USERS: Final = (
    Defined("users", "count", "Users of the group.", _SCENARIO),
    Defined("connections", "count", "Connections that its users opened.", _SENDERS),
    Defined("slots", "count", "Connections that existed at a time, at most.", _SENDERS),
    Defined("transfer_bytes", "bytes", "Payload of the transfers that began.", _SENDERS),
    Defined("packets_dropped_queue", "packets", "Packets dropped in queues, ACKs too.", "queues"),
    Defined(
        "tpo_segments_per_s",
        "1/s",
        "Segments of completed transfers over the time of these transfers (nis-2004 eq. 2.17).",
        _RECEIVERS,
    ),
    Defined(
        "tpc_segments_per_s",
        "1/s",
        "Segments over time of each completed transfer, mean over transfers (nis-2004 eq. 2.18).",
        _RECEIVERS,
    ),
)
# Of connections beside others between the same hosts, for a group with `company`.
GROUP_COMPANY: Final = (
    Defined("newcomers", "count", "Connections that joined others.", _SENDERS),
    Defined("newcomer_tpo_segments_per_s", "1/s", "tpo_segments_per_s of these.", _RECEIVERS),
    Defined("newcomer_tpc_segments_per_s", "1/s", "tpc_segments_per_s of these.", _RECEIVERS),
    Defined("newcomer_cwnd_segments", "segments", "Window they began with; mean.", _SENDERS),
    Defined(
        "newcomer_ssthresh_segments",
        "segments",
        "Threshold of slow start they began with, of finite ones; mean.",
        _SENDERS,
    ),
    Defined("newcomer_srtt_ms", "ms", "Smoothed round trip they began with; mean.", _SENDERS),
    Defined("newcomer_rttvar_ms", "ms", "Its variation they began with; mean.", _SENDERS),
    Defined(
        "concurrent",
        "count",
        "Connections in periods of the same open connections, in which two or more got data.",
        _RECEIVERS,
    ),
    Defined("concurrent_segments", "segments", "What they got in these periods.", _RECEIVERS),
    Defined("concurrent_s", "s", "Sum of these periods over these connections.", _RECEIVERS),
    Defined(
        "concurrent_rates_segments_per_s",
        "1/s",
        "Sum of each one's segments over the time of its period.",
        _RECEIVERS,
    ),
    Defined(
        "concurrent_fairness", "1", "Jain's index within a period; mean of periods.", _RECEIVERS
    ),
    Defined(
        "concurrent_periods",
        "count",
        "These periods; one of several groups counts in each by its part of the connections.",
        _RECEIVERS,
    ),
)
FLOW: Final = (
    Defined("group", "", "Group of traffic that the flow belongs to.", _SCENARIO),
    Defined("flow", "", "Number of the flow in its run, from 1.", _SCENARIO),
    Defined("start_s", "s", "First SYN, or the end of the warm-up if that is later.", _SENDERS),
    Defined(
        "transfer_s",
        "s",
        "From then to the last payload byte; empty if unfinished, or finished during the warm-up.",
        _RECEIVERS,
    ),
    Defined("size_bytes", "bytes", "Payload to transfer.", _SCENARIO),
    Defined("delivered_bytes", "bytes", "Payload delivered in order.", _RECEIVERS),
    Defined(
        "goodput_mbps",
        "Mbit/s",
        "Payload that arrived, in order or not, over the flow's time or to the end of the run.",
        _RECEIVERS,
    ),
    *(Defined(each.name, each.unit, f"{each.help}.", _SENDERS) for each in SENDER_COUNTERS),
    *(Defined(each.name, each.unit, f"{each.help}.", _RECEIVERS) for each in RECEIVER_COUNTERS),
)
QUEUE_PLACE: Final = (
    Defined(
        "link", "", "Name of the link that the queue is in front of, as in [link.NAME].", _SCENARIO
    ),
    Defined("direction", "", "forward or back.", _SCENARIO),
    Defined(
        "number", "", "Number of the link, from 1, where a name stands for several.", _SCENARIO
    ),
    Defined(
        "gateway",
        "",
        "Gateway at the queue, as in [gateway.NAME]; empty if there is none.",
        _SCENARIO,
    ),
)
# Of the low-latency one of the two queues of DualPI2, where there is one.
LOW_LATENCY: Final = (
    Defined(
        "low_latency_delay_ms_mean",
        "ms",
        "Delay in the low-latency queue alone; mean over packets.",
        _QUEUE,
    ),
    Defined("low_latency_delay_ms_p99", "ms", "The same, 99th percentile over packets.", _QUEUE),
)
COMPLETION: Final = (
    Defined("group", "", "Group of traffic, as in [tcp.NAME].", _SCENARIO),
    Defined("transfer_s", "s", "A time from the beginning of a transfer to its arrival.", _ENDS),
    Defined("transfers", "count", "Transfers that took this long; to 0.4 % for users.", _RECEIVERS),
    Defined(
        "share",
        "1",
        "Share of the group's transfers that took at most this long: the CDF.",
        _RECEIVERS,
    ),
)
DELAY: Final = (
    Defined(
        "group",
        "",
        "Group of traffic, as in [tcp.NAME] or [udp.NAME]; empty for all.",
        _SCENARIO,
    ),
    Defined("share", "1", "Share of the packets, in steps of 0.01 from 0 to 1.", _QUEUE),
    Defined(
        "delay_ms",
        "ms",
        "Time from arrival to the start of transmission that this share does not exceed: the CDF. "
        "At most 0.8 % above the value; the last is the largest delay.",
        _QUEUE,
    ),
)
GROUP_DELAY: Final = (
    Defined("group", "", "Group of traffic, as in [tcp.NAME] or [udp.NAME].", _SCENARIO),
    Defined("packets", "packets", "Packets of its flows that left, ACKs too.", _QUEUE),
    Defined("queue_delay_ms_mean", "ms", "Delay of these packets; mean.", _QUEUE),
    Defined("queue_delay_ms_p99", "ms", "The same, 99th percentile.", _QUEUE),
    Defined("queue_delay_ms_sd", "ms", "The same, standard deviation.", _QUEUE),
    Defined("queue_delay_ms_max", "ms", "The same, the largest.", _QUEUE),
)
SERIES: Final = (
    Defined("time_s", "s", "Time of the sample, from the start of the run.", "simulator"),
    Defined("queue_bytes", "bytes", "Length of the measured queue.", "measured queue"),
    Defined("queue_packets", "packets", "Packets in it.", "measured queue"),
    Defined(
        "window_bytes",
        "bytes",
        "Receive window in the last ACK that left the gateway.",
        "gateway, ACK direction",
    ),
    Defined("cwnd_bytes", "bytes", "Congestion windows of the sampled flows: a list.", _SENDERS),
    Defined(
        "send_window_bytes",
        "bytes",
        "Receive windows last seen by these flows' senders: a list.",
        _SENDERS,
    ),
)
