# SPDX-License-Identifier: GPL-2.0-only
"""Rows by group: what a scenario's [tcp.NAME] groups have, each on its own."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from penstock.columns import COLUMNS
from penstock.results import completions, metrics
from penstock.results.metrics import Ints, Result, Value
from penstock.scenario.model import Scenario, Tcp

_COUNTERS: Final = ("users", "connections", "slots", "transfer_bytes", "packets_dropped_queue")


_OF_ENDS: Final = [each.name for each in COLUMNS if each.point in ("senders", "receivers")]
_OF_DELAYS: Final = ("queue_delay_ms_mean", "queue_delay_ms_p99", "queue_delay_ms_sd")
# Over transfers of all sizes; a class of sizes may be that of several groups.
_OF_TRANSFERS: Final = [name for name in _OF_ENDS if name.startswith("fct_ms_")]


class Grouped(Protocol):
    """A run's columns, and those of its groups of traffic."""

    @property
    def columns(self) -> dict[str, Value]:
        """Of the whole run."""

    @property
    def groups(self) -> list[dict[str, Value]]:
        """Of each group, where there are several."""

    @property
    def group_delays(self) -> list[dict[str, Value]]:
        """Those of its delays in queues, of UDP too."""


def names(runs: Sequence[Grouped]) -> list[str]:
    """The TCP groups of these runs, where there are several."""
    return list(dict.fromkeys(str(group["group"]) for run in runs for group in run.groups))


def waiting(runs: Sequence[Grouped]) -> list[str]:
    """All groups of which something is known, those of UDP too."""
    queued = (str(each["group"]) for run in runs for each in run.group_delays)
    return list(dict.fromkeys([*names(runs), *queued]))


def _delays(run: Grouped, name: str) -> dict[str, Value]:
    """How long the packets of a group waited, in place of those of all; {} if nobody knows."""
    for each in run.group_delays:
        if each["group"] == name and each["measured"]:
            return {key: each[key] for key in _OF_DELAYS}
    return {}


def _ends(run: Grouped, name: str) -> dict[str, Value] | None:
    """What was counted at the ends of a group; None if the run has no such group."""
    none = dict.fromkeys(_OF_ENDS)
    for group in run.groups:
        if group["group"] == name:
            return {**none, **{key: group[key] for key in group if key in none}}
    queued = [each for each in run.group_delays if each["group"] == name]
    if not queued:
        return None
    return {} if queued[0]["protocol"] == "tcp" else none  # the only one, beside UDP


def apart(runs: Sequence[Grouped], name: str = "") -> list[dict[str, Value]]:
    """The runs as a summary may show them: of one group, or with no percentile of several.

    What is counted at the queue is that of all traffic, except the delays of a group's packets.
    """
    if not name:
        merged = dict.fromkeys(_OF_TRANSFERS)
        return [{**run.columns, **(merged if len(run.groups) > 1 else {})} for run in runs]
    ends = [(run, _ends(run, name)) for run in runs]
    return [{**run.columns, **own, **_delays(run, name)} for run, own in ends if own is not None]


def _chosen(flows: Mapping[str, Ints], wanted: Sequence[int]) -> dict[str, Ints]:
    return {name: values[list(wanted)] for name, values in flows.items()}


def _throughputs(members: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """The two means of nis-2004 over completed transfers: (2.17) and (2.18)."""
    if not members:
        return {}
    (group,) = members
    count = sum(times.count for times in completions.of_users(group))
    seconds = sum(times.sum_ns for times in completions.of_users(group)) / 1e9
    return {
        "tpo_segments_per_s": int(group["completed_segments"]) / seconds if count else None,
        "tpc_segments_per_s": float(group["segment_rates_per_s"]) / count if count else None,
    }


def _company(tcp: Tcp, members: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """What its connections reached beside others between the same hosts, if it asks for that."""
    if not members or tcp.traffic is None or not tcp.traffic.company:
        return {}
    sums = members[0]["company"]

    def mean(total: str, count: str, unit: float = 1.0) -> Value:
        return sums[total] / sums[count] / unit if sums[count] else None

    shares = bool(sums["begun_ssthresh_bytes"])
    mss_bytes = float(tcp.segment)
    return {
        "newcomers": int(sums["newcomers"]),
        "newcomer_tpo_segments_per_s": mean("newcomer_segments", "newcomer_ns", 1e-9),
        "newcomer_tpc_segments_per_s": mean("newcomer_rates_per_s", "newcomers"),
        "newcomer_cwnd_segments": mean("begun_cwnd_bytes", "begun", mss_bytes),
        "newcomer_ssthresh_segments": (
            mean("begun_ssthresh_bytes", "begun", mss_bytes) if shares else None
        ),
        "newcomer_srtt_ms": mean("begun_srtt_ns", "begun", 1e6),
        "newcomer_rttvar_ms": mean("begun_rttvar_ns", "begun", 1e6),
        "concurrent": int(sums["concurrent"]),
        "concurrent_segments": int(sums["concurrent_segments"]),
        "concurrent_s": sums["concurrent_ns"] / 1e9,
        "concurrent_rates_segments_per_s": sums["concurrent_rates_per_s"],
        "concurrent_fairness": mean("fairness", "periods"),
        "concurrent_periods": sums["periods"],
    }


def rows(
    scenario: Scenario, result: Result, flows: Mapping[str, Sequence[int]]
) -> list[dict[str, Value]]:
    """One row a group in the scenario's order; none if its one group is the whole.

    `flows` are the numbers of the flows of each group that has no users.
    """
    if len(scenario.tcp) == 1 and flows:
        return []
    users = {str(group["name"]): group for group in result.groups}
    found = []
    for name in scenario.tcp:
        members = [users[name]] if name in users else []
        tcp = _chosen(result.flows, flows.get(name, []))
        row: dict[str, Value] = {"group": name}
        row |= {counter: int(members[0][counter]) for counter in _COUNTERS if members}
        row |= _throughputs(members)
        row |= _company(scenario.tcp[name], members)
        row |= metrics.sender_columns(tcp, members)
        row |= metrics.receiver_columns(tcp, members, result.end_ns)
        found.append({key: metrics.rounded(value) for key, value in row.items()})
    return found
