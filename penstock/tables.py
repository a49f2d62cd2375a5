# SPDX-License-Identifier: GPL-2.0-only
"""From rows to the summary: one line for each receivers, flows and method."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock import stats
from penstock.columns import BY_NAME
from penstock.metrics import Value

Columns = Mapping[str, Value]


@dataclass(frozen=True)
class Line:
    """The runs of one combination, as means over seeds by column name."""

    receivers: str
    flows: int
    method: str
    mode: str
    means: Mapping[str, stats.Mean | None]


@dataclass(frozen=True)
class Shown:
    """A column of the summary as people see it: title, digits, and a factor to its unit.

    Where all do not fit, those of the highest rank are left out first.
    """

    column: str
    title: str
    digits: int = 1
    factor: float = 1.0
    rank: int = 0


SUMMARY: Final = (
    Shown("loss_percent", "loss %", 2, rank=1),
    Shown("transfer_s", "transfer s", 1, rank=4),
    Shown("goodput_mbps", "goodput Mbit/s", 3, rank=2),
    Shown("jain", "fairness", 3, rank=5),
    Shown("queue_delay_ms_mean", "delay ms", 0, rank=3),
    Shown("queue_delay_ms_p99", "p99 ms", 0, rank=8),
    Shown("timeouts", "timeouts", 1, rank=7),
    Shown("utilisation_percent", "in use %", 1, rank=6),
)
# In place of transfer, goodput and fairness where all transfers are those of users.
USERS: Final = (
    Shown("fct_ms_mean", "transfer ms", 0),
    Shown("fct_ms_p50", "median ms", 0),
    Shown("fct_ms_p99", "p99 ms", 0),
    Shown("goodput_mbps_total", "Mbit/s in all", 2),
)
UDP_LOSS: Final = Shown("udp_loss_percent", "UDP loss %", 2)
UNFINISHED: Final = Shown("unfinished", "unfinished", 1)


def summarise(rows: Iterable[Columns]) -> list[Line]:
    """Means over seeds, in the order in which combinations first appear."""
    groups: dict[tuple[str, int, str, str], list[Columns]] = {}
    for row in rows:
        key = (
            str(row["receivers"]),
            int(row["flows"] or 0),
            str(row["method"]),
            str(row["mode"]),
        )
        groups.setdefault(key, []).append(row)
    return [Line(*key, _means(members)) for key, members in groups.items()]


def _means(rows: Sequence[Columns]) -> dict[str, stats.Mean | None]:
    means = {}
    for name, column in BY_NAME.items():
        if column.across == "mean":
            values = [row[name] for row in rows]
            means[name] = stats.mean([float(v) for v in values if isinstance(v, int | float)])
    return means


def shown_columns(lines: Sequence[Line]) -> list[Shown]:
    """The summary's columns; UDP loss and unfinished flows where there are any."""
    columns = list(SUMMARY)
    if all(line.means.get("goodput_mbps") is None for line in lines):
        columns[1:4] = USERS
    if any(line.means.get("udp_loss_percent") for line in lines):
        columns.insert(1, UDP_LOSS)
    unfinished = (line.means.get("unfinished") for line in lines)
    if any(mean and mean.mean for mean in unfinished):
        columns.append(UNFINISHED)
    return columns


def text(shown: Shown, mean: stats.Mean | None) -> str:
    """'1.23 ± 0.04', '1.23' for a single run, '-' where nothing exists."""
    if mean is None:
        return "-"
    value = f"{mean.mean * shown.factor:.{shown.digits}f}"
    if mean.half is None:
        return value
    return f"{value} ± {mean.half * shown.factor:.{shown.digits}f}"


def receivers_text(receivers: str) -> str:
    """What receivers are, in words: '65,535 bytes' or 'autotuned'."""
    return "autotuned" if receivers == "auto" else f"{int(receivers):,} bytes"
