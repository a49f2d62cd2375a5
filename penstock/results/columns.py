# SPDX-License-Identifier: GPL-2.0-only
"""The columns of a run, once: name, unit, definition, counting point, aggregation.

docs/columns.md is generated from this table: python -m penstock.results.columns
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final


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


COLUMNS: Final[tuple[Column, ...]] = (
    Column("method", "", "Method at the gateway that is swept.", _CELL, "key", "str"),
    Column("mode", "", "How windows are written: safe, strict or literal.", _CELL, "key", "str"),
    Column(
        "parameters",
        "",
        "The method's parameters that the scenario or --set sets, as --set takes them.",
        _CELL,
        "key",
        "str",
    ),
    Column(
        "receivers",
        "",
        "Receive buffer in bytes, or auto: it grows as Linux' does.",
        _CELL,
        "key",
        "str",
    ),
    Column("flows", "count", "TCP connections that the sweep asks for.", _CELL, "key", "int"),
    Column("seed", "", "Number of the run's random streams.", _CELL, "key", "int"),
    Column(
        "loss_percent",
        "%",
        "Packets dropped over packets that arrived, TCP and UDP, retransmissions included.",
        _QUEUE,
        better="low",
    ),
    Column(
        "tcp_loss_percent",
        "%",
        "The same of TCP's packets alone; empty if none arrived.",
        _QUEUE,
        better="low",
    ),
    Column(
        "udp_loss_percent",
        "%",
        "The same of UDP's packets alone; empty without UDP.",
        _QUEUE,
        better="low",
    ),
    Column(
        "drops",
        "packets",
        "Packets dropped, because the queue was full or by the method.",
        _QUEUE,
        kind="int",
        better="low",
    ),
    Column(
        "tcp_efficiency_percent",
        "%",
        "Payload bytes sent that were no retransmission, over all sent; mean over TCP flows, "
        "of which a group of users is one (RFC 6349 section 4.2; ewt-2019 eq. 11).",
        _SENDER,
        better="high",
    ),
    Column(
        "transfer_s",
        "s",
        "From a flow's first SYN to the arrival of its last payload byte; mean over the TCP flows "
        "that finished, empty if none did. Users do not count, nor in the next column.",
        _RECEIVER,
        better="low",
    ),
    Column(
        "goodput_mbps",
        "Mbit/s",
        "Payload delivered in order over the flow's time (to the end of the run if it did not "
        "finish); mean over TCP flows.",
        _RECEIVER,
        better="high",
    ),
    Column(
        "goodput_mbps_total",
        "Mbit/s",
        "Payload delivered in order by all TCP flows and users, over the time from the first start "
        "to the last end.",
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
    Column(
        "queue_bytes_mean", "bytes", "Bytes that wait, averaged over time.", _QUEUE, better="low"
    ),
    Column("queue_bytes_p50", "bytes", "Median over time of the bytes that wait.", _QUEUE),
    Column("queue_bytes_p99", "bytes", "99th percentile over time of the bytes that wait.", _QUEUE),
    Column("queue_bytes_max", "bytes", "Most bytes that ever waited.", _QUEUE),
    Column(
        "queue_delay_ms_mean",
        "ms",
        "Time from arrival to start on the wire; mean over packets.",
        _QUEUE,
        better="low",
    ),
    Column("queue_delay_ms_p99", "ms", "The same, 99th percentile over packets.", _QUEUE),
    Column(
        "queue_delay_ms_sd",
        "ms",
        "The same, standard deviation over packets: the jitter that this queue causes.",
        _QUEUE,
        better="low",
    ),
    Column(
        "retransmissions",
        "segments",
        "Segments with payload sent again, all TCP flows.",
        _SENDER,
        kind="int",
        better="low",
    ),
    Column(
        "timeouts",
        "count",
        "Expiries of the retransmission timer, all TCP flows (RFC 6298).",
        _SENDER,
        kind="int",
        better="low",
    ),
    Column(
        "utilisation_percent",
        "%",
        "Time that the link was sending, over the time from the first packet's arrival to the end.",
        _QUEUE,
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
        "Receive window in the ACKs as they left the gateway for the senders; mean over ACKs. "
        "Empty if none passed.",
        "gateway, ACK direction",
    ),
    Column(
        "unfinished",
        "flows",
        "TCP flows, and users with a last transfer, that had not delivered all when the time limit "
        "came.",
        _RECEIVER,
        kind="int",
        better="low",
    ),
    Column(
        "transfers",
        "count",
        "Transfers that finished: of TCP flows, and those that users of [tcp.NAME.traffic] made.",
        _RECEIVER,
        kind="int",
    ),
    *_completion_columns(),
    Column("events", "count", "Events that the simulator handled.", "simulator", kind="int"),
    Column(
        "tcp_retrans_segs",
        "segments",
        "Linux' TcpRetransSegs, all hosts; live backend only, as the next three.",
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
        "Linux' TcpInCsumErrors, all hosts: segments whose checksum was wrong.",
        "kernels of the hosts",
        kind="int",
        better="low",
    ),
    Column(
        "shrunk_window_log_lines",
        "lines",
        "Lines in the kernel's log about a window that fell below what was sent.",
        "kernel log",
        kind="int",
        better="low",
    ),
    Column(
        "wall_s",
        "s",
        "Time that the run took on this machine; the only column that varies.",
        "simulator",
        "sum",
    ),
)

NAMES: Final = tuple(column.name for column in COLUMNS)
BY_NAME: Final = {column.name: column for column in COLUMNS}
KEYS: Final = tuple(column.name for column in COLUMNS if column.across == "key")

_HEAD: Final = """<!-- SPDX-License-Identifier: GPL-2.0-only -->
<!-- Generated by `python -m penstock.results.columns`; do not edit. -->
# Columns of a run

One row is one run: one method, mode, receiver, number of flows and seed. The same columns are in
`penstock run -j`, in `results.parquet` and in the report. An empty cell (JSON `null`) means that
the quantity does not exist in that run.

The *measured queue* is the one in front of the link that `[measure]` names, by default the first
gateway's: a packet is counted when it arrives at the queue, and counting begins with the first
packet, slow start included, or at `time.warm_up`, and ends with the run. Over several seeds,
*mean* stands with its 95 % interval (Student's t, one value per seed); *key* tells runs apart.

| column | unit | definition | counted at | over seeds | better |
|---|---|---|---|---|---|
"""


# The columns of flows.parquet and series.parquet after those that tell runs apart.
FLOW_COLUMNS: Final = (
    ("group", "", "Group of traffic that the flow belongs to."),
    ("flow", "", "Number of the flow in its run, from 1."),
    ("start_s", "s", "First SYN."),
    ("transfer_s", "s", "From the first SYN to the last payload byte; empty if unfinished."),
    ("size_bytes", "bytes", "Payload that the flow was to carry."),
    ("delivered_bytes", "bytes", "Payload delivered in order."),
    ("goodput_mbps", "Mbit/s", "The same over the flow's time, or to the end of the run."),
    ("retransmissions", "segments", "Segments with payload sent again."),
    ("timeouts", "count", "Expiries of the retransmission timer."),
)
SERIES_COLUMNS: Final = (
    ("time_s", "s", "Time of the sample, from the start of the run."),
    ("queue_bytes", "bytes", "Bytes that wait in the measured queue."),
    ("window_bytes", "bytes", "Receive window in the last ACK that left the gateway."),
    ("cwnd_bytes", "bytes", "Congestion windows of the sampled flows: a list."),
    ("send_window_bytes", "bytes", "Receive windows as these flows' senders know them: a list."),
)

_MORE: Final = """
## Further tables of a directory

Each table has the columns that tell runs apart (*key* above, and a text column for each key that
was swept or set), then its own.

- `groups.parquet`: one row for each `[tcp.NAME]` of a run, where there are several: `group`, and
  the columns above that senders and receivers count.
- `flows.parquet`: one row for each single TCP flow; the first 10,000 of a run. Users have none.
- `series.parquet`: one row for each sample of the runs that are sampled, those of the first seed.

| `flows.parquet` | unit | definition |
|---|---|---|
{flows}

| `series.parquet` | unit | definition |
|---|---|---|
{series}
"""


def _lines(columns: Iterable[tuple[str, str, str]]) -> str:
    return "\n".join(f"| `{name}` | {unit} | {text} |" for name, unit, text in columns)


def document() -> str:
    """The text of docs/columns.md."""
    more = _MORE.format(flows=_lines(FLOW_COLUMNS), series=_lines(SERIES_COLUMNS))
    rows = [
        f"| `{c.name}` | {c.unit} | {c.definition} | {c.point} | {c.across} | {c.better} |"
        for c in COLUMNS
    ]
    return _HEAD + "\n".join(rows) + "\n" + more


if __name__ == "__main__":
    print(document(), end="")
