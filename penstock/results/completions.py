# SPDX-License-Identifier: GPL-2.0-only
"""Completion times of transfers of single flows and of a group's users."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.columns import SIZE_CLASSES

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_MS: Final = 1e-6
_NS: Final = 1e9
_DIGITS: Final = 6
_QUANTILES: Final = {"p50": 0.50, "p99": 0.99}


@dataclass(frozen=True)
class Times:
    """A histogram of times, with the exact sum."""

    values_ns: Ints
    counts: Ints
    sum_ns: int

    @property
    def count(self) -> int:
        """Number of transfers."""
        return int(self.counts.sum())

    def mean_ms(self) -> float | None:
        """Mean; None without a transfer."""
        return self.sum_ns / self.count * _MS if self.count else None

    def quantile_ms(self, share: float) -> float | None:
        """The smallest time that at least `share` of the transfers do not exceed."""
        if not self.count:
            return None
        order = np.argsort(self.values_ns, kind="stable")
        seen = np.cumsum(self.counts[order])
        index = int(np.searchsorted(seen, share * self.count))
        return float(self.values_ns[order][min(index, len(order) - 1)]) * _MS


def joined(parts: Iterable[Times]) -> Times:
    """All transfers of several sets."""
    all_parts = list(parts)
    return Times(
        np.concatenate([part.values_ns for part in all_parts]),
        np.concatenate([part.counts for part in all_parts]),
        sum(part.sum_ns for part in all_parts),
    )


def finished(tcp: Mapping[str, Ints]) -> Bools:
    """Which flows finished, not during the warm-up, at whose end their time begins."""
    return np.asarray(tcp["done_ns"] >= tcp["start_ns"])


def of_flows(tcp: Mapping[str, Ints]) -> list[Times]:
    """By size class, of flows with one transfer each; those that finished."""
    done = finished(tcp)
    times, sizes = (tcp["done_ns"] - tcp["start_ns"])[done], tcp["size_bytes"][done]
    limits = [limit for _, limit in SIZE_CLASSES if limit]
    classes = np.searchsorted(np.array(limits), sizes)
    return [
        Times(chosen, np.ones(len(chosen), dtype=np.int64), int(chosen.sum()))
        for chosen in (times[classes == index] for index in range(len(SIZE_CLASSES)))
    ]


def of_users(group: Mapping[str, Any]) -> list[Times]:
    """By size class, of the transfers of a group's users."""
    return [Times(c["values_ns"], c["counts"], int(c["sum_ns"])) for c in group["completions"]]


def of_groups(groups: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """How many transfers of each group of users took how long."""
    found: dict[str, list[Any]] = {"group": [], "transfer_s": [], "transfers": []}
    for group in groups:
        every = joined(of_users(group))
        times, places = np.unique(every.values_ns, return_inverse=True)
        counts = np.bincount(places, weights=every.counts).astype(np.int64)
        some = counts > 0
        found["group"] += [str(group["name"])] * int(some.sum())
        found["transfer_s"] += np.round(times[some] / _NS, _DIGITS).tolist()
        found["transfers"] += counts[some].tolist()
    return found if found["group"] else {}


def by_group(
    flows: Mapping[str, Sequence[Any]], users: Mapping[str, Sequence[Any]]
) -> dict[str, Counter[float]]:
    """For each group of single flows or of users: how many transfers took how many seconds."""
    found: dict[str, Counter[float]] = {}
    for group, time_s in zip(flows.get("group", ()), flows.get("transfer_s", ()), strict=True):
        if time_s is not None:
            found.setdefault(group, Counter())[time_s] += 1
    names = ("group", "transfer_s", "transfers")
    for group, time_s, count in zip(*(users.get(name, ()) for name in names), strict=True):
        found.setdefault(group, Counter())[time_s] += count
    return found


def shares(counts: Mapping[float, int]) -> tuple[list[float], list[float]]:
    """The empirical distribution: times, and the share of transfers that took at most that."""
    times = sorted(counts)
    seen = np.cumsum([counts[time] for time in times])
    return times, (seen / seen[-1]).tolist()


def columns(classes: Sequence[Times]) -> dict[str, float | int | None]:
    """The columns of all transfers, and those of each size class."""
    everything = joined(classes)
    found: dict[str, float | int | None] = {"transfers": everything.count}
    names = ["fct", *(f"fct_{name}" for name, _ in SIZE_CLASSES)]
    for name, times in zip(names, [everything, *classes], strict=True):
        found[f"{name}_ms_mean"] = times.mean_ms()
        for quantile, share in _QUANTILES.items():
            found[f"{name}_ms_{quantile}"] = times.quantile_ms(share)
    return found
