# SPDX-License-Identifier: GPL-2.0-only
"""The columns of a run, once: name, unit, definition, counting point, aggregation.

Those that are a counter or a figure of core/tables/counters.h come from its rows.
tools/gen_column_docs.py writes docs/columns.md from this table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from penstock import _native


@dataclass(frozen=True)
class Column:
    """One column. `across` says how the runs of several seeds become one number."""

    name: str
    unit: str
    definition: str
    point: str
    across: str = "mean"
    kind: str = "float"  # str, int or float; all but keys may be empty
    better: str = ""  # low or high, where one is better


_CELL: Final = "scenario and command line"
_QUEUE: Final = "measured queue"
_PATHS: Final = "ways over the measured queue"
_SENDER: Final = "senders"
_RECEIVER: Final = "receivers"

# Classes of transfers by size: name, and the largest size in bytes (None: no limit).
SIZE_CLASSES: Final = (
    ("to_10k", 10_000),
    ("to_100k", 100_000),
    ("to_1m", 1_000_000),
    ("over_1m", None),
)


def _completion_columns() -> Iterator[Column]:
    classes = {"fct": "of all transfers that finished"}
    below = 0
    for name, limit in SIZE_CLASSES:
        to = f" to {limit:,} bytes" if limit else " bytes"
        classes[f"fct_{name}"] = f"of transfers of more than {below:,}{to}"
        below = limit or 0
    for name, which in classes.items():
        yield Column(
            f"{name}_ms_mean",
            "ms",
            f"From the first SYN, or the write to an open connection, to the arrival of the last "
            f"payload byte; mean {which}."
            if name == "fct"
            else f"The same, mean {which}.",
            _RECEIVER,
            better="low",
        )
        for short, text in (("p50", "median"), ("p99", "99th percentile")):
            yield Column(
                f"{name}_ms_{short}",
                "ms",
                f"The same, {text} {which}; to 0.4 % for users.",
                _RECEIVER,
                better="low",
            )


SENDER_COUNTERS: Final = tuple(c for c in _native.sender_counters() if c.column)
RECEIVER_COUNTERS: Final = tuple(c for c in _native.receiver_counters() if c.column)
QUEUE_COUNTERS: Final = tuple(c for c in _native.queue_counters() if c.column)
QUEUE_FIGURES: Final = (*_native.queue_figures(), *_native.link_figures())


def _counted(counters: Sequence[_native.Counter], point: str, whose: str = "") -> Iterator[Column]:
    for each in counters:
        source = f" ({each.source})" if each.source else ""
        definition = f"{each.help}{whose}{source}."
        yield Column(each.name, each.unit, definition, point, kind="int", better=each.better)


def _figures(figures: Sequence[_native.Figure]) -> Iterator[Column]:
    for each in figures:
        yield Column(each.column, each.unit, each.help, _QUEUE, better=each.better)


COLUMNS: Final[tuple[Column, ...]] = (
    Column("method", "", "Method at the swept gateway.", _CELL, "key", "str"),
    Column("mode", "", "How windows are written: safe, strict or literal.", _CELL, "key", "str"),
    Column(
        "parameters",
        "",
        "Method parameters set by the scenario or by --set, in the form that --set takes.",
        _CELL,
        "key",
        "str",
    ),
    Column(
        "receivers",
        "",
        "Receive buffer in bytes, or auto: autotuned as in Linux.",
        _CELL,
        "key",
        "str",
    ),
    Column("flows", "count", "Number of TCP connections in the sweep.", _CELL, "key", "int"),
    Column("seed", "", "Seed of the run's random streams.", _CELL, "key", "int"),
    Column(
        "loss_percent",
        "%",
        "Dropped packets over arrived packets, TCP and UDP, including retransmissions.",
        _QUEUE,
        better="low",
    ),
    Column(
        "tcp_loss_percent",
        "%",
        "The same for TCP packets only; empty if none arrived.",
        _QUEUE,
        better="low",
    ),
    Column(
        "udp_loss_percent",
        "%",
        "The same for UDP packets only, which those of QUIC are; empty without UDP.",
        _QUEUE,
        better="low",
    ),
    Column(
        "drops",
        "packets",
        "Packets dropped, by the method or because the queue was full.",
        _QUEUE,
        kind="int",
        better="low",
    ),
    Column(
        "tcp_efficiency_percent",
        "%",
        "Payload bytes sent, without retransmissions, over all sent; mean over TCP flows, "
        "where a group of users counts as one (RFC 6349 section 4.2; ewt-2019 eq. 11).",
        _SENDER,
        better="high",
    ),
    Column(
        "transfer_s",
        "s",
        "From a flow's first SYN to the arrival of its last payload byte; mean over the TCP flows "
        "that finished; empty if none did. Users are excluded here and in the next two columns.",
        _RECEIVER,
        better="low",
    ),
    Column(
        "transfer_s_max",
        "s",
        "The longest of these transfers.",
        _RECEIVER,
        better="low",
    ),
    Column(
        "goodput_mbps",
        "Mbit/s",
        "Payload that arrived for the first time, in order or not, over the flow's time (to the "
        "end of the run if it did not finish); mean over TCP flows. With `live` and `ns3` what the "
        "application has read.",
        _RECEIVER,
        better="high",
    ),
    Column(
        "goodput_mbps_total",
        "Mbit/s",
        "The same of all TCP flows and users, over the time from the first start to the last end.",
        _RECEIVER,
        better="high",
    ),
    Column(
        "jain",
        "1",
        "Jain's fairness index of the flows' goodputs: 1 if all are equal, 1/n if one has all "
        "(ewt-2019 eq. 12).",
        _RECEIVER,
        better="high",
    ),
    *_figures(_native.queue_figures()),
    *_counted(QUEUE_COUNTERS, _QUEUE),
    *_counted(SENDER_COUNTERS, _SENDER, ", all TCP flows"),
    *_counted(RECEIVER_COUNTERS, _RECEIVER, ", all TCP flows"),
    *_figures(_native.link_figures()),
    Column(
        "rpm",
        "1/min",
        "Responsiveness: 60,000 over a round trip in ms, which is that of a TCP flow's smallest "
        "packet without queues, and the mean of the delay here without its longest 5 %; mean over "
        "TCP flows (Loaded_Responsiveness, draft-ietf-ippm-responsiveness-09; packets of the load "
        "are the probes; with `live` the backlogs that were read). Empty with a radio and moving "
        "hosts, as the next.",
        _PATHS,
        better="high",
    ),
    Column(
        "qoo_percent",
        "%",
        "Quality of outcome (draft-ietf-ippm-qoo) of an application that is at its best with 99 % "
        "of its round trips within 100 ms and 0.1 % loss, and useless beyond 200 ms or 2 %: the "
        "lesser of both scores, with the 99th percentile of the delay here; mean over TCP flows.",
        _PATHS,
        better="high",
    ),
    Column(
        "rewritten_acks",
        "packets",
        "ACKs whose window field the gateway changed.",
        "gateway, ACK direction",
        kind="int",
    ),
    Column(
        "receive_window_bytes",
        "bytes",
        "Receive window in ACKs that left the gateway towards the senders; mean over ACKs. "
        "Empty if none passed.",
        "gateway, ACK direction",
    ),
    Column(
        "unfinished",
        "flows",
        "TCP flows, and users with a limited number of transfers, that had not finished at the "
        "time limit.",
        _RECEIVER,
        kind="int",
        better="low",
    ),
    Column(
        "transfers",
        "count",
        "Completed transfers of TCP flows and of users ([tcp.NAME.traffic]).",
        _RECEIVER,
        kind="int",
    ),
    *_completion_columns(),
    Column("events", "count", "Events processed by the simulator.", "simulator", kind="int"),
    Column(
        "tcp_retrans_segs",
        "segments",
        "Linux' TcpRetransSegs, all hosts; live backend only, like the next three.",
        "kernels of the hosts",
        kind="int",
        better="low",
    ),
    Column(
        "tcp_timeouts",
        "count",
        "Linux' TcpExtTCPTimeouts, all hosts.",
        "kernels of the hosts",
        kind="int",
        better="low",
    ),
    Column(
        "tcp_in_csum_errors",
        "segments",
        "Linux' TcpInCsumErrors, all hosts: segments with a wrong checksum.",
        "kernels of the hosts",
        kind="int",
        better="low",
    ),
    Column(
        "shrunk_window_log_lines",
        "lines",
        "Lines in the kernel log about a window that shrank below the data sent.",
        "kernel log",
        kind="int",
        better="low",
    ),
    Column(
        "wall_s",
        "s",
        "Duration of the run on this machine; the only column that varies.",
        "simulator",
        "sum",
    ),
)

# What holds between the quantities of a run: results/arithmetic.py checks it in every row. Names
# are those of the columns, and of a queue those of core/tables/counters.h. A reported quantile is
# at most 1/128 above the value itself.
RELATIONS: Final = (
    "0 <= bytes_p50 <= bytes_p99 <= bytes_max",
    "0.49 * bytes_p50 + 0.01 * bytes_p99 <= 1.008 * bytes_mean",
    "bytes_mean <= 0.5 * bytes_p50 + 0.49 * bytes_p99 + 0.01 * bytes_max",
    "bytes_max <= limit_bytes",
    "bytes_max <= limit_packets * most_bytes",
    "0 <= packets_mean",
    "packets_mean <= limit_packets",
    "packets_mean * least_bytes <= bytes_mean <= packets_mean * most_bytes",
    "arrivals * least_bytes <= arrived_bytes <= arrivals * most_bytes",
    "sent_packets * least_bytes <= sent_bytes <= sent_packets * most_bytes",
    "0 <= delay_ns_p99 <= delay_ns_max",
    "0.01 * delay_ns_p99 <= 1.008 * delay_ns_mean",
    "delay_ns_mean <= 0.99 * delay_ns_p99 + 0.01 * delay_ns_max",
    "0.01 * max(delay_ns_p99 / 1.008 - delay_ns_mean, 0) ** 2 <= delay_ns_sd ** 2",
    "delay_ns_sd ** 2 <= delay_ns_mean * (delay_ns_max - delay_ns_mean)",
    "0.01 * low_delay_ns_p99 <= 1.008 * low_delay_ns_mean",
    "0 <= utilisation <= 1",
    "goodput_bytes + header_bytes <= sent_bytes + under_way_bytes",
    "arrivals <= tcp_arrivals + udp_arrivals <= arrivals",
    "drops <= tcp_drops + udp_drops <= drops",
    "drops <= drops_overflow + drops_method <= drops",
    "acks_rewritten <= acks_seen",
    "100 * drops / max(arrivals, 1) <= loss_percent <= 100 * drops / max(arrivals, 1)",
    "0 <= rpm",
    "0 <= qoo_percent <= 100",
    "0 <= tcp_efficiency_percent <= 100",
    "0 <= transfer_s <= transfer_s_max",
    "0 <= goodput_mbps",
    "0 <= goodput_mbps_total",
    "1 <= jain * counted_flows",
    "jain <= 1",
    *(
        relation.format(name)
        for name in ("fct", *(f"fct_{size}" for size, _ in SIZE_CLASSES))
        for relation in (
            "0 <= {0}_ms_p50 <= {0}_ms_p99",
            "0.49 * {0}_ms_p50 + 0.01 * {0}_ms_p99 <= 1.008 * {0}_ms_mean",
        )
    ),
)
# Where all is counted from the first packet on: nothing was under way then.
RELATIONS_FROM_START: Final = (
    "drops <= arrivals",
    "tcp_drops <= tcp_arrivals",
    "udp_drops <= udp_arrivals",
    "sent_packets + drops <= arrivals",
    "delivered_bytes <= received_bytes",
    "received_bytes <= bytes_sent",
    "delivered_bytes <= bytes_sent",
)

NAMES: Final = tuple(column.name for column in COLUMNS)
BY_NAME: Final = {column.name: column for column in COLUMNS}
KEYS: Final = tuple(column.name for column in COLUMNS if column.across == "key")

# Of the columns above, those that are counted at a queue, in queues.parquet for each.
QUEUE_COLUMNS: Final = tuple(
    column.name
    for column in COLUMNS
    if column.point in ("measured queue", "gateway, ACK direction")
)
