# SPDX-License-Identifier: GPL-2.0-only
"""`penstock warm-up`: how long the runs of a scenario take to forget how they began."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import OptionError, UserError
from penstock.plan.cells import Plan
from penstock.results import settings, tables, transient
from penstock.results.grid import Grid
from penstock.runs.backends import sim_watched

LEAST_SEEDS: Final = 2
NOTE: Final = (
    "transient in s: initial data deletion (nis-2004, App. A) and MSER-5, of the goodput of all "
    "TCP and of the measured queue; needed: the longest of the four"
)
_UNSEEN: Final = "not seen to end"
_KINDS: Final = ("goodput", "queue")
_METHODS: Final = ("initial_deletion_s", "mser5_s")


@dataclass(frozen=True)
class Transient:
    """Of one combination of a plan. Times in seconds; None: the transient was not seen to end."""

    names: Mapping[str, Any]  # of the combination, as rows of results have them
    watched_s: float
    interval_s: float
    observations: int
    ends: bool  # the traffic, before the time limit
    found: Mapping[str, Mapping[str, float | None]]  # by what was observed, by method
    curves: Mapping[str, Sequence[float]]  # relative change by observations deleted
    warm_up_s: float

    @property
    def needed_s(self) -> float | None:
        """The longest transient."""
        return transient.longest([self.found[kind][name] for kind in _KINDS for name in _METHODS])

    @property
    def enough(self) -> bool:
        """Whether the scenario leaves out as much, or needs not, as its traffic ends."""
        if self.ends and not self.warm_up_s:
            return True
        return self.needed_s is not None and self.warm_up_s >= self.needed_s

    def describe(self, curves: bool) -> dict[str, Any]:
        """The keys of `penstock warm-up -j`."""
        return {
            **self.names,
            "watched_s": round(self.watched_s, 6),
            "interval_s": round(self.interval_s, 6),
            "observations": self.observations,
            "traffic_ends": self.ends,
            **{kind: dict(self.found[kind]) for kind in _KINDS},
            "needed_s": self.needed_s,
            "warm_up_s": self.warm_up_s,
            "enough": self.enough,
            **({"relative_change": dict(self.curves)} if curves else {}),
        }


def _analysed(plan: Plan, names: Mapping[str, Any], seen: sim_watched.Watched) -> Transient:
    series = {"goodput": seen.received_bytes, "queue": seen.queue_bytes}
    if seen.received_bytes.shape[1] < transient.LEAST:
        raise UserError(
            f"the runs last {seen.length_s:g} s, too short to tell their transient; "
            "make time.limit or the transfers longer"
        )
    means = {kind: transient.mean_of_runs(runs) for kind, runs in series.items()}
    found = {
        kind: {
            "initial_deletion_s": transient.seconds(
                transient.initial_deletion(runs), seen.interval_s
            ),
            "mser5_s": transient.seconds(transient.mser5(means[kind]), seen.interval_s),
        }
        for kind, runs in series.items()
    }
    return Transient(
        names,
        watched_s=seen.length_s,
        interval_s=seen.interval_s,
        observations=seen.received_bytes.shape[1],
        ends=seen.ended,
        found=found,
        curves={
            kind: transient.relative_change(each).round(6).tolist() for kind, each in means.items()
        },
        warm_up_s=(plan.scenario.time.warm_up or 0) * 1e-9,
    )


def analyse(plan: Plan, threads: int, advance: Callable[[int], None]) -> list[Transient]:
    """The transient of each combination of a plan, from its seeds side by side."""
    if len(plan.seeds) < LEAST_SEEDS:
        why = f"{len(plan.seeds)} cannot tell a transient from chance; give {LEAST_SEEDS} or more"
        raise OptionError("--seeds", "", why)
    found = []
    for flows in plan.flows:
        for each in plan.combinations():
            cells = [plan.cell_of(each, flows, seed) for seed in plan.seeds]
            first = cells[0]
            text = settings.of_scenario(first.settings)
            names = {
                "method": first.method,
                "mode": first.mode,
                "parameters": first.parameters,
                "receivers": first.receivers,
                "flows": flows,
                **({"settings": text} if text else {}),
                "seeds": len(cells),
            }
            try:
                seen = sim_watched.watch(cells, threads)
            except (ValueError, RuntimeError) as error:
                raise UserError(f"{first.label}: {error}") from None
            found.append(_analysed(plan, names, seen))
            advance(1)
    return found


def _text(time_s: float | None) -> str:
    return _UNSEEN if time_s is None else f"{time_s:.4g}"


def _row(label: str, each: Transient) -> list[str]:
    times = [_text(each.found[kind][method]) for kind in _KINDS for method in _METHODS]
    return [label, *times, _text(each.needed_s), f"{each.warm_up_s:g}", f"{each.watched_s:.4g}"]


def grids(found: Sequence[Transient], own: Mapping[str, str]) -> list[Grid]:
    """A table for each load; `own` are labels that a scenario gives its variants."""
    loads: dict[str, list[Transient]] = {}
    for each in found:
        many = "1 flow" if each.names["flows"] == 1 else f"{each.names['flows']} flows"
        title = f"{many}, receive window {tables.receivers_text(each.names['receivers'])}"
        text = each.names.get("settings", "")
        loads.setdefault(title + (f", {text}" if text else ""), []).append(each)
    headers = [
        "method",
        *(f"{kind}: {method}" for kind in _KINDS for method in ("App. A", "MSER-5")),
        *("needed", "warm_up", "watched"),
    ]
    made = []
    for title, members in loads.items():
        labels = tables.labels(tables.variant(each.names) for each in members)
        rows = [
            _row(tables.called(labels[tables.variant(each.names)], own), each) for each in members
        ]
        made.append(Grid(title, headers, rows))
    return made


def warnings(found: Sequence[Transient]) -> list[str]:
    """What is wrong with the scenario's warm-up, and what its traffic makes of the question."""
    said = []
    if any(each.ends and not each.warm_up_s for each in found):
        said.append(
            "the traffic ends before time.limit: columns are of whole transfers, and a warm-up "
            "would cut off their beginning"
        )
    short = [each for each in found if not each.enough]
    if any(each.needed_s is None for each in short):
        said.append(
            f"warning: after {min(each.watched_s for each in short):g} s a transient was not seen "
            "to end; make time.limit longer"
        )
    if times := [each.needed_s for each in short if each.needed_s is not None]:
        said.append(
            f"warning: time.warm_up = {short[0].warm_up_s:g} s is shorter than the transient; "
            f"--set time.warm_up={max(times):g}s leaves it out"
        )
    return said
