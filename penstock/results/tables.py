# SPDX-License-Identifier: GPL-2.0-only
"""From rows to the summary: one line per receivers, flows and method."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from penstock.columns import BY_NAME
from penstock.errors import OptionError, near
from penstock.results import settings, stats
from penstock.results.metrics import Value
from penstock.scenario import axes

Columns = Mapping[str, Value]
Variant = tuple[str, str, str]  # method, mode, parameters
Combination = tuple[str, int, str, str, str, str]  # receivers, flows, variant, settings

# Columns that say nothing about what happened in a run; the first seed has events of its own,
# its samples.
_OWN: Final = ("seed", "events", "wall_s")


@dataclass(frozen=True)
class Line:
    """The runs of one combination: values by column name and seed, and means over seeds.

    `label` is the method, and what tells it from the same method with other settings.
    """

    receivers: str
    flows: int
    method: str
    mode: str
    parameters: str
    label: str
    values: Mapping[str, Mapping[int, float]]
    means: Mapping[str, stats.Mean | None]
    settings: str = ""  # of the scenario, that were swept or set
    given: Mapping[str, str] = field(default_factory=dict)  # these and the method's, by key

    @property
    def is_finished(self) -> bool:
        """Whether all flows of all runs were done before the end; else transfer times lack some."""
        unfinished = self.means.get("unfinished")
        return unfinished is None or not unfinished.mean

    @property
    def load(self) -> str:
        """What the link has to carry, in words, with the settings."""
        return load_text(self.flows, self.settings)


@dataclass(frozen=True)
class Shown:
    """A column of the summary as people see it: title, decimals, and a factor to its unit.

    Times of a LAN and of a satellite link fit no common number of decimals: with None a value has
    three significant digits.

    Where all do not fit, those of the highest rank are left out first.
    """

    column: str
    title: str
    digits: int | None = 1
    factor: float = 1.0
    rank: int = 0


SUMMARY: Final = (
    Shown("loss_percent", "loss %", 2, rank=1),
    Shown("goodput_mbps_total", "total Mbit/s", 2, rank=2),
    Shown("transfer_s", "transfer s", None, rank=5),
    Shown("transfer_s_max", "slowest s", None, rank=4),
    Shown("jain", "fairness", 3, rank=6),
    Shown("queue_delay_ms_mean", "delay ms", None, rank=3),
    Shown("queue_delay_ms_p99", "p99 ms", None, rank=9),
    Shown("timeouts", "timeouts", 1, rank=8),
    Shown("utilisation_percent", "in use %", 1, rank=7),
)
# In place of transfers and fairness where all transfers are those of users.
USERS: Final = (
    Shown("fct_ms_mean", "transfer ms", None),
    Shown("fct_ms_p50", "median ms", None),
    Shown("fct_ms_p99", "99 % in ms", None),
)
_NAMED_DIGITS: Final = 3  # of a column that the summary has not
_TIMES: Final = ("s", "ms")  # units
_SIGNIFICANT: Final = 3
UDP_LOSS: Final = Shown("udp_loss_percent", "UDP loss %", 2)
UNFINISHED: Final = Shown("unfinished", "unfinished", 1)


def summarise(rows: Iterable[Columns]) -> list[Line]:
    """Means over seeds, sorted; methods are in the order in which they first appear."""
    groups = _combinations(rows)
    label = labels(key[2:5] for key in groups)
    lines = []
    for key, members in groups.items():
        values = _values(members)
        means = {name: stats.mean(list(found.values())) for name, found in values.items()}
        given = settings.given(members[0])
        lines.append(Line(*key[:5], label[key[2:5]], values, means, key[5], given))
    return _sorted(lines)


def _sorted(lines: Sequence[Line]) -> list[Line]:
    """By settings of the scenario, receivers and flows: numbers as numbers, others as they came."""
    keys = dict.fromkeys(key for line in lines for key in line.given if axes.of_scenario(key))
    ranks = {
        key: settings.ordered([line.given[key] for line in lines if key in line.given])
        for key in keys
    }
    receivers = list(dict.fromkeys(line.receivers for line in lines))

    def place(line: Line) -> tuple[list[int], int, int]:
        at = [ranks[key].index(line.given[key]) if key in line.given else -1 for key in keys]
        return at, receivers.index(line.receivers), line.flows

    return sorted(lines, key=place)


def records(lines: Sequence[Line], shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """A row for each line: what was run, settings as text and in SI units, means and halves."""
    columns = settings.as_numbers([line.given for line in lines])
    keys = settings.columns([line.given for line in lines], columns)
    found = []
    for line in lines:
        given = settings.with_numbers(line.given, columns)
        row: dict[str, Any] = {"method": line.label, "receivers": line.receivers}
        row |= {"flows": line.flows} | {key: given.get(key) for key in keys}
        row["runs"] = max((mean.count for mean in line.means.values() if mean), default=0)
        for each in shown:
            mean = line.means.get(each.column)
            row[each.column] = mean.mean if mean else None
            row[f"{each.column}_half"] = mean.half if mean else None
        found.append(row)
    return found


def is_of(row: Columns, line: Line) -> bool:
    """Whether a run is of a line's combination."""
    ours = (line.receivers, line.flows, line.method, line.mode, line.parameters, line.settings)
    return _combination(row) == ours


def load_text(flows: int, of_scenario: str = "") -> str:
    """'8 flows', or '8 flows, link.bottleneck.delay=20ms'."""
    return ", ".join([f"{flows} flows", *([of_scenario] if of_scenario else [])])


def _combination(row: Columns) -> Combination:
    place = (str(row["receivers"]), int(row["flows"] or 0))
    return (*place, *variant(row), settings.of_scenario(row))


def _combinations(rows: Iterable[Columns]) -> dict[Combination, list[Columns]]:
    groups: dict[Combination, list[Columns]] = {}
    for row in rows:
        groups.setdefault(_combination(row), []).append(row)
    return groups


def variant(record: Mapping[str, Any]) -> Variant:
    """What a run's columns, or an answer about runs, say of the method."""
    return str(record["method"]), str(record["mode"]), str(record["parameters"])


def labels(variants: Iterable[Variant]) -> dict[Variant, str]:
    """Names for (method, mode, parameters): the method, with the mode and parameters that differ.

    A variant whose parameters are the defaults is called as the method alone.
    """
    known = list(dict.fromkeys(variants))
    found = {}
    for method, mode, parameters in known:
        modes = {other[1] for other in known if other[0] == method}
        settings = {other[2] for other in known if other[0] == method}
        parts = [method, mode if len(modes) > 1 else "", parameters if len(settings) > 1 else ""]
        found[method, mode, parameters] = " ".join(part for part in parts if part)
    return found


def called(label: str, own: Mapping[str, str]) -> str:
    """A label whose method a scenario may call otherwise, by its name."""
    method, space, settings = label.partition(" ")
    return own.get(method, method) + space + settings


def relabelled(lines: Sequence[Line], own: Mapping[str, str]) -> list[Line]:
    """The lines with the labels that a scenario gives its variants, for people to read."""
    return [replace(line, label=called(line.label, own)) for line in lines]


def _values(rows: Sequence[Columns]) -> dict[str, dict[int, float]]:
    means = [name for name, column in BY_NAME.items() if column.across == "mean"]
    return {
        name: {
            int(row["seed"] or 0): float(value)
            for row in rows
            if isinstance(value := row.get(name), int | float)
        }
        for name in means
    }


def same_for_all_seeds(rows: Iterable[Columns]) -> list[str]:
    """The methods of which all combinations with several seeds have the same run for each."""
    varies: dict[str, bool] = {}
    for key, members in _combinations(rows).items():
        if len(members) > 1:
            runs = [{name: row[name] for name in row if name not in _OWN} for row in members]
            differ = any(run != runs[0] for run in runs)
            varies[key[2]] = varies.get(key[2], False) or differ
    return [method for method, differ in varies.items() if not differ]


def shown_columns(lines: Sequence[Line]) -> list[Shown]:
    """The summary's columns; UDP loss and unfinished flows where there are any."""
    columns = list(SUMMARY)
    if all(line.means.get("goodput_mbps") is None for line in lines):
        columns[2:5] = USERS
    if any(line.means.get("udp_loss_percent") for line in lines):
        columns.insert(1, UDP_LOSS)
    unfinished = (line.means.get("unfinished") for line in lines)
    if any(mean and mean.mean for mean in unfinished):
        columns.append(UNFINISHED)
    return columns


def named(names: Sequence[str], lines: Sequence[Line]) -> list[Shown]:
    """The columns of these names, or the summary's if there are none; an error for an unknown."""
    usual = {shown.column: shown for shown in (*SUMMARY, *USERS, UDP_LOSS)}
    known = [name for name, column in BY_NAME.items() if column.across == "mean"]
    found = []
    for name in names:
        if name not in known:
            cure = near(name, known, otherwise="docs/columns.md lists those with a mean")
            raise OptionError("--columns", name, f"unknown column; {cure}")
        unit = BY_NAME[name].unit
        title = f"{name} {unit}".removesuffix(" 1").strip()
        digits = None if unit in _TIMES else _NAMED_DIGITS
        found.append(usual.get(name) or Shown(name, title, digits))
    return found or shown_columns(lines)


def described(lines: Sequence[Line], shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """A JSON object for each line: what was run, and by column the mean, its half and the runs."""
    numbers = settings.as_numbers([line.given for line in lines])
    found = []
    for line in lines:
        row: dict[str, Any] = {"receivers": line.receivers, "flows": line.flows}
        row |= {"settings": line.settings, "method": line.label}
        row |= settings.with_numbers(line.given, numbers)
        for each in shown:
            mean = line.means.get(each.column)
            row[each.column] = mean and {"mean": mean.mean, "half": mean.half, "runs": mean.count}
        found.append(row)
    return found


def text(shown: Shown, mean: stats.Mean | None) -> str:
    """'1.23 ± 0.04', '1.23' for a single run, '-' where nothing exists."""
    if mean is None:
        return "-"
    return with_half(shown, mean, "")


def with_half(shown: Shown, mean: stats.Mean, sign: str) -> str:
    """The mean with its `sign`, and half of the interval with as many decimals, if there is one."""
    digits = _decimals(mean.mean * shown.factor) if shown.digits is None else shown.digits
    value = f"{mean.mean * shown.factor:{sign}.{digits}f}"
    if mean.half is None:
        return value
    return f"{value} ± {mean.half * shown.factor:.{digits}f}"


def _decimals(value: float) -> int:
    """How many decimals show three significant digits; none of 0 and of what has three before."""
    if not value:
        return 0
    exponent = int(f"{value:.{_SIGNIFICANT - 1}e}".partition("e")[2])
    return max(0, _SIGNIFICANT - 1 - exponent)


def receivers_text(receivers: str) -> str:
    """What receivers are, in words: '65,535 bytes' or 'autotuned'."""
    return "autotuned" if receivers == "auto" else f"{int(receivers):,} bytes"


def seeds_text(lines: Sequence[Line]) -> str:
    """What the numbers of a summary are, and over how many seeds."""
    counts = sorted({mean.count for line in lines for mean in line.means.values() if mean})
    if counts == [1]:
        return "one seed"
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"mean ± 95 % interval over {many} seeds"
