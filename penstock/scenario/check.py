# SPDX-License-Identifier: GPL-2.0-only
"""Checks that need more than one table of a scenario, or the methods of core/."""

from collections.abc import Callable, Iterator
from typing import Final

from penstock.errors import near
from penstock.scenario import (
    bounds,
    check_links,
    check_methods,
    check_paper,
    check_quic,
    check_traffic,
    units,
    variants,
)
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import Scenario, Sweep

MOST_RUNS: Final = 1_000_000


def _times(scenario: Scenario) -> Iterator[Flaw]:
    clock = scenario.time
    limit = units.form(units.TIME, clock.limit)
    if scenario.sample and scenario.sample.interval == 0:
        yield ("sample", "interval"), "above 0, such as '100ms'"
    if clock.limit == 0:
        yield ("time", "limit"), "above 0, such as '1000s'"
    if clock.warm_up is not None and clock.warm_up >= clock.limit:
        yield ("time", "warm_up"), f"the run ends at time.limit = '{limit}'; write less"
    for table in ("tcp", "udp"):
        for key, group in getattr(scenario, table).items():
            if group.start.first_ns >= clock.limit:
                yield (
                    (table, key, "start"),
                    f"the run ends at time.limit = '{limit}'; write less, or a later limit",
                )


def _sweep(scenario: Scenario) -> Iterator[Flaw]:
    sweep = scenario.sweep
    for key in sweep.axes():
        if "." not in key:
            yield ("sweep", key), f"unknown key {key!r}; {near(key, list(Sweep.model_fields))}"
    runs = sweep.seeds * len(sweep.methods) * len(sweep.flows) * len(sweep.receivers)
    if runs > MOST_RUNS:
        many = ("flows", len(sweep.flows) - 1) if len(sweep.flows) > sweep.seeds else ("seeds",)
        yield ("sweep", *many), f"{runs:,} runs in all; at most {MOST_RUNS:,}: write fewer"
    most = max(sweep.flows)
    for path, message in bounds.too_much(scenario, most):
        swept = path == ("tcp",)
        yield (("sweep", "flows", sweep.flows.index(most)) if swept else path), message


# Each takes for granted what those before it have found right.
_CHECKS: Final[tuple[Callable[[Scenario], Iterator[Flaw]], ...]] = (
    variants.flaws,
    check_methods.flaws,
    check_links.flaws,
    check_traffic.flaws,
    check_quic.flaws,
    _times,
    _sweep,
    check_paper.flaws,
)


def first_flaw(scenario: Scenario) -> Flaw | None:
    """The first thing that is wrong between the tables, or None."""
    for check in _CHECKS:
        for flaw in check(scenario):
            return flaw
    return None
