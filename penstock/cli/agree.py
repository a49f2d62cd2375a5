# SPDX-License-Identifier: GPL-2.0-only
"""`penstock agree`: the same runs in the simulator and in ns-3, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.results.agree.orders import Flip
    from penstock.results.differences import Pair
    from penstock.results.stats import Mean

_SCENARIOS: Final = ("ewt-2019/scenario-1", "ewt-2019/scenario-2")
_HEADERS: Final = ["method", "column", "sim", "ns-3", "difference", "95 % interval", "verdict"]
_STYLE: Final = {"same": "green", "close": "green", "differs": "bold red", "cannot tell": "dim"}


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _row(each: Pair) -> list[str]:
    from penstock.columns import BY_NAME
    from penstock.results.agree.compare import verdict

    told = verdict(each)
    size = max(abs(each.one.mean), abs(each.base.mean))
    percent = f" ({100 * each.difference / size:+.1f} %)" if size else ""
    between = "-" if each.low is None else f"{_number(each.low)} .. {_number(each.high or 0.0)}"
    unit = BY_NAME[each.column].unit
    return [
        each.line.label,
        f"{each.column} [dim]{unit if unit != '1' else ''}[/]",
        _number(each.one.mean),
        _number(each.base.mean),
        _number(each.difference) + percent,
        between,
        f"[{_STYLE[told]}]{told}[/]",
    ]


def _show(name: str, plan: Plan, found: Sequence[Pair]) -> None:
    from penstock.results import tables

    groups: dict[tuple[str, str], list[Pair]] = {}
    for each in found:
        groups.setdefault((each.line.receivers, each.line.load), []).append(each)
    for (receivers, load), members in groups.items():
        title = f"{name}: {load}, receive window {tables.receivers_text(receivers)}"
        screen.out().print(screen.table(title, _HEADERS, [_row(each) for each in members], left=2))
        screen.out().print()
    screen.say(f"{len(plan.seeds)} runs of each; see docs/agreement.md for the verdicts")


def _show_flips(name: str, compared: int, found: Sequence[Flip]) -> None:
    from penstock.results import tables

    rows = [
        [
            tables.load_text(each.flows, each.settings),
            f"{each.one} less {each.other}",
            each.column,
            *(_number(side.mean) + _half(side) for side in each.both),
            each.verdict,
        ]
        for each in found
    ]
    if rows:
        title = f"{name}: order of methods that differs"
        headers = ["load", "methods", "column", "sim", "ns-3", "order"]
        screen.out().print(screen.table(title, headers, rows, left=3))
    flips = sum(each.verdict == "flips" for each in found)
    screen.say(
        f"order of methods: {compared} pairs, {flips} flipped, {len(found) - flips} cannot tell"
    )


def _half(mean: Mean) -> str:
    return "" if mean.half is None else f" ± {_number(mean.half)}"


def agree(
    scenarios: Annotated[
        list[str], typer.Argument(metavar="[SCENARIO]...", help="Both of ewt-2019 by default.")
    ] = [],  # noqa: B006
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the first number of flows and five seeds.")
    ] = False,
    aligned: Annotated[
        bool,
        typer.Option(
            "--aligned",
            help="Without the two causes of difference: ns-3's retransmission timer in the "
            "simulator, Penstock's congestion control in ns-3.",
        ),
    ] = False,
) -> None:
    """Run scenarios in the simulator and in ns-3, and say whether they agree."""
    from penstock.api import agreement
    from penstock.results.agree import compare
    from penstock.runs.wishes import Wishes

    wishes = Wishes(methods, flows, receivers, seeds, sets, mode, sweeps=sweeps)
    plans = [
        (name, *agreement.plan(name, wishes, quick, screen)) for name in scenarios or _SCENARIOS
    ]
    total: list[Pair] = []
    for name, loaded, plan in plans:
        backends = agreement.ALIGNED if aligned else agreement.PLAIN
        folder = output / name.replace("/", "-") if output else None
        count = options.worker_count(workers)
        found = agreement.measure(loaded, plan, backends, folder, count, screen)
        total += found.pairs
        if as_json:
            for each in found.pairs:
                sys.stdout.write(json.dumps({"scenario": name, **compare.describe(each)}) + "\n")
            for flip in found.flips:
                sys.stdout.write(json.dumps({"scenario": name, **flip.describe()}) + "\n")
        else:
            _show(name, plan, found.pairs)
            _show_flips(name, found.compared, found.flips)
    told = [compare.verdict(each) for each in total]
    screen.say(", ".join(f"{told.count(verdict)} {verdict}" for verdict in _STYLE))
