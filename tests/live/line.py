# SPDX-License-Identifier: GPL-2.0-only
"""The whole line in use: the same case on Linux and in the simulator, beside each other.

As a program: the table of docs/papers/penstock-unused.md. Needs root, and runs in real time:

    python tests/live/line.py [CASE ...] [--methods A,B] [--repeats N] [--limit TIME] [-j] [--list]
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from live_support import PATH
from patience import TRIES, witnessed

import penstock as ps
from penstock.errors import Exit, UserError
from penstock.runs.live import busy
from penstock.scenario.read import read

Sets = Mapping[str, object]

# What Linux' hosts have and the simulator's get only where a scenario says so; the live lab has
# them anyway. The window's rule is that of 6.18, and the ratio that of a TAP device's memory.
HOSTS: Final[Sets] = {
    "hystart": True,
    "prr": True,
    "rack": True,
    "rcvbuf_slow_start": True,
    "scaling_ratio": 170,
}
OF_LINUX: Final = {"fq_codel": "kernel:fq_codel"}  # where the kernel's queue is the method
BACKENDS: Final = ("live", "sim")
MISSING: Final = (Exit.SKIPPED, Exit.BACKEND_MISSING)  # such as a queue that the kernel lacks


@dataclass(frozen=True)
class Case:
    """A scenario, and what is put into it."""

    scenario: str
    methods: Sequence[str]
    flows: int = 1
    sets: Sets = field(default_factory=dict)


def short(rate: int, size: str, seconds: int = 20, opened_by: str = "receiver") -> Case:
    """So many connections a second beside a download; the end that sends closes."""
    sets = {
        "tcp.small.count": rate * seconds,
        "tcp.small.size": size,
        "tcp.small.start": f"0s..{seconds}s",
        "tcp.small.opened_by": opened_by,
        "time.limit": f"{seconds}s",
    }
    return Case("live/short", ("droptail", "penstock"), sets=sets)


def series(measured: str, first: str = "50mbit", second: str = "40mbit") -> Case:
    """Two gateways, one behind the other, and the link that is measured."""
    sets = {
        "link.first.rate": first,
        "link.second.rate": second,
        "measure.link": measured,
        "time.limit": "25s",
    }
    return Case("law/series", ("droptail", "fq_codel", "penstock"), 4, sets)


def lan(flows: int, size: str) -> Case:
    """At a rate that a machine with two cores carries with a delay line between namespaces."""
    sets = {"tcp.bulk.size": size, "link.bottleneck.rate": "200mbit"}
    return Case("law/lan", ("droptail", "share", "integral", "fq_codel", "penstock"), flows, sets)


THIN: Final[Sets] = {
    "link.bottleneck.rate": "50mbit",
    "link.bottleneck.delay": "75ms",
    "link.bottleneck.queue": "20kB",
    "time.limit": "30s",
}
CASES: Final = {
    "150-of-3kB": short(150, "3kB"),
    "150-of-3kB-opener-closes": short(150, "3kB", opened_by="sender"),
    "50-of-10kB": short(50, "10kB"),
    "300-of-3kB": short(300, "3kB"),
    "800-of-600B": short(800, "600B", seconds=12),
    "18-of-30kB": short(18, "30kB"),
    "series-first": series("first"),
    "series-second": series("second"),
    "series-reverse-first": series("first", "40mbit", "50mbit"),
    "series-reverse-second": series("second", "40mbit", "50mbit"),
    "lan-4-of-1MB": lan(4, "1MB"),
    "lan-16-of-100kB": lan(16, "100kB"),
    "thin-8-cubic": Case("live/grid", ("droptail", "ewt", "penstock"), 8, THIN),
}

COLUMNS: Final = {  # with the digits that a table shows
    "utilisation_percent": 1,
    "goodput_mbps": 2,  # the download's: the first group's, of all its flows
    "fct_ms_p50": 1,
    "fct_ms_p99": 1,
    "drops": 0,
}
HEAD: Final = ("case", "method", "in use %", "Mbit/s", "p50 ms", "p99 ms", "drops")
Row = dict[str, Any]


def say(text: str) -> None:
    """Progress."""
    print(f"-- {text}", file=sys.stderr, flush=True)


def hosts(scenario: str) -> dict[str, object]:
    """HOSTS, for each group of a scenario's connections."""
    groups = read(scenario).base.tcp
    return {f"tcp.{name}.{key}": value for name in groups for key, value in HOSTS.items()}


def _columns(found: ps.Results) -> Row:
    """Those of one run."""
    (row,) = found.frame.to_dicts()
    apart = found.groups.to_dicts()
    download = (apart[0] if apart else row)["goodput_mbps_total"]
    return {**{name: row[name] for name in COLUMNS}, "goodput_mbps": download}


def _tried(case: Case, method: str, backend: str, seed: int, sets: Sets) -> ps.Results:
    """A run, again if the machine was too busy for it."""
    for left in reversed(range(TRIES)):
        try:
            return ps.run(
                case.scenario,
                method,
                flows=case.flows,
                receivers="auto",
                seeds=[seed],
                set=sets,
                workers=1,
                backend=backend,
            )
        except UserError as error:
            if busy.SAID not in str(error) or not left:
                raise
    raise AssertionError


def measured(case: Case, method: str, backend: str, seed: int = 1, more: Sets | None = None) -> Row:
    """One run; with the reason in place of numbers where this machine has no such queue."""
    sets = hosts(case.scenario) | dict(case.sets) | dict(more or {})
    told = OF_LINUX.get(method, method) if backend == "live" else method
    row: Row = {"method": method, "backend": backend, "seed": seed, "scenario": case.scenario}
    row |= {"flows": case.flows, "parameters": sets}
    try:
        with witnessed() as late_s:
            found = _tried(case, told, backend, seed, sets)
    except UserError as error:
        if error.code not in MISSING:
            raise
        return row | {"skipped": str(error)}
    if backend == "live":  # what a pause of this machine does to a short queue is no method's work
        row["late_ms"] = {"p99": _late_ms(late_s, 0.99), "max": _late_ms(late_s, 1.0)}
    made = {key: found.about[key] for key in ("versions", "git")}
    return row | _columns(found) | made


def _late_ms(late_s: Sequence[float], share: float) -> float:
    """What so many naps do not exceed."""
    return 1e3 * sorted(late_s)[min(int(share * len(late_s)), len(late_s) - 1)]


def rows(
    cases: Mapping[str, Case], methods: Sequence[str], repeats: int, more: Sets
) -> Iterator[Row]:
    """All runs, the repeats in turn and Linux beside the simulator."""
    for seed in range(1, repeats + 1):
        for name, case in cases.items():
            for method in (one for one in case.methods if not methods or one in methods):
                for backend in BACKENDS:
                    say(f"{name}, {method}, {backend}: {seed} of {repeats}")
                    row = {"case": name, **measured(case, method, backend, seed, more)}
                    if "skipped" in row:
                        say(f"{name}, {method}, {backend}: {row['skipped']}")
                    yield row


def mean(found: Sequence[Row], column: str) -> float | None:
    """Over the repeats; None if a run has none."""
    values = [row.get(column) for row in found]
    if not values or None in values:
        return None
    return sum(float(str(value)) for value in values) / len(values)


def ratio(live: float | None, sim: float | None) -> float | None:
    """Live over simulated."""
    return live / sim if sim and live is not None else None


def _cell(live: float | None, sim: float | None, digits: int) -> str:
    if sim is None:
        return ""
    shown = "-" if live is None else f"{live:.{digits}f}"
    over = ratio(live, sim)
    return f"{shown} / {sim:.{digits}f}" + ("" if over is None else f" = {over:.2f}")


def table(found: Sequence[Row]) -> str:
    """Live / simulated = their ratio."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for name, method in dict.fromkeys((row["case"], row["method"]) for row in found):
        of = [row for row in found if (row["case"], row["method"]) == (name, method)]
        live, sim = ([row for row in of if row["backend"] == backend] for backend in BACKENDS)
        cells = [
            _cell(mean(live, column), mean(sim, column), digits)
            for column, digits in COLUMNS.items()
        ]
        lines.append(f"| {' | '.join([name, method, *cells])} |")
    return "\n".join(lines)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The same cases on Linux and in the simulator.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all of them by default")
    parser.add_argument("--methods", default="", help="such as droptail,penstock")
    parser.add_argument("--repeats", type=int, default=2, help="of each run, with seeds from 1 on")
    parser.add_argument("--limit", help="how long a run lasts, such as 8s")
    parser.add_argument("--list", action="store_true", help="the names of the cases")
    parser.add_argument("-j", "--json", action="store_true", help="an object a run")
    options = parser.parse_args()
    for name in options.cases:
        if name not in CASES:
            parser.error(f"no case '{name}': {', '.join(CASES)}")
    known = list(dict.fromkeys(one for case in CASES.values() for one in case.methods))
    options.methods = [name for name in options.methods.split(",") if name]
    for name in options.methods:
        if name not in known:
            parser.error(f"--methods: no case has '{name}': {', '.join(known)}")
    if options.repeats < 1:
        parser.error("--repeats: at least 1")
    if not options.list and os.geteuid():
        parser.error("namespaces need root")
    return options


def main() -> None:
    """Runs, and prints."""
    options = _asked()
    if options.list:
        print("\n".join(CASES))
        return
    os.environ["PATH"] = PATH
    chosen = {name: CASES[name] for name in options.cases or CASES}
    more = {"time.limit": options.limit} if options.limit else {}
    found = []
    for row in rows(chosen, options.methods, options.repeats, more):
        found.append(row)
        if options.json:
            print(json.dumps(row), flush=True)
    if not options.json:
        print(table(found))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        main()
    except UserError as error:
        print(f"line.py: {error}", file=sys.stderr)
        sys.exit(error.code)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
