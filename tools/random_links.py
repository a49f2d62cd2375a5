# SPDX-License-Identifier: GPL-2.0-only
"""Links and loads drawn at random, on which a law is compared with six others.

docs/papers/penstock.md, "Links drawn at random", has what is drawn. Each link is simulated with
its round trip behind the gateway, on both sides of it, and in front of it, or as --place says.
With --place upstream the law's gateway stands behind the link and is told nothing, and the law at
the link itself is one of the others. --links N draws N of them, --seed another series, --methods
some of the others, -o DIR keeps their scenarios. --beside puts as many flows at most that no
window controls beside the controlled ones, in place of web users, and reports what part of a
flow's mean goodput a controlled flow has. The exit code is 1 if a limit is exceeded.
"""

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars
from behind_link import behind_it

BIN: Final = Path(sys.executable).parent
OTHERS: Final = ("droptail", "share", "integral", "codel_ecn", "fq_codel", "pie")
LAW: Final = "penstock"
PLACES: Final = {"near": 1.0, "middle": 0.5, "far": 0.0}  # part of the RTT behind the gateway
UPSTREAM: Final = "upstream"  # with the gateway behind the link
AT_THE_LINK: Final = "at the link"  # the law, where the other is upstream
CONTROLLED: Final = "bulk"  # groups of flows
OTHER: Final = "other"
SENDERS: Final = ("cubic", "cubic", "newreno", "reno", "bic", "bbr")
WORST: Final = 12  # links that are printed
ENOUGH: Final = 100  # links for a mean
LEAST_S: Final = 20.0
MOST_S: Final = 60.0
MOST_PACKETS: Final = 250_000
# What is reported, always all of it: the row's column, or of the transfers of web users the mean
# time, in parts of FQ-CoDel's; and by how much a difference counts.
COLUMNS: Final = {
    "loss": "loss_percent",
    "use": "utilisation_percent",
    "p99": "queue_delay_ms_p99",
    "jain": "jain",
    "timeouts": "timeouts",
    "completion": "fct_ms_mean",
}
MATTERS: Final = {
    "loss": 0.1,
    "use": -1.0,
    "p99": 1.0,
    "jain": -0.01,
    "timeouts": 1.0,
    "completion": 0.02,
}
BASE: Final = "fq_codel"
# By how much the law may be behind the best of the others on a link, and behind the best mean on
# the mean of all links, if they are enough; and on what part of the links one other may be no
# worse in all columns and better in one.
LIMITS: Final = {"loss": 5.0, "use": 30.0, "jain": 0.4}
MEAN_LIMITS: Final = {"loss": 0.05, "use": 1.5, "jain": 0.01}
MOST_DOMINATED: Final = 0.05


@dataclass(frozen=True)
class Link:
    """A link with its load."""

    name: str
    what: str
    text: str
    behind: str = ""  # the scenario of a gateway behind the link, for the law


Figures = Mapping[str, float]


@dataclass(frozen=True)
class Found:
    """What was measured on a link: the figures of each method."""

    link: Link
    figures: Mapping[str, Figures]
    parts: Mapping[str, float] = field(default_factory=dict)  # beside(), of each method

    @property
    def others(self) -> list[str]:
        """The methods that the law is compared with."""
        return [name for name in self.figures if name != LAW]

    def behind(self, column: str) -> float:
        """How far the law is behind the best of the others; negative if it is ahead."""
        sign = -1 if MATTERS[column] < 0 else 1
        best = min(sign * self.figures[name][column] for name in self.others)
        return sign * self.figures[LAW][column] - best

    @property
    def worst(self) -> float:
        """The largest part of a limit that is used up."""
        return max(self.behind(column) / limit for column, limit in LIMITS.items())

    def dominated_by(self) -> list[str]:
        """The methods that are behind in nothing, and ahead in one column or more."""
        found = []
        for name in self.others:
            parts = [
                (self.figures[LAW][column] - self.figures[name][column]) / step
                for column, step in MATTERS.items()
            ]
            if min(parts) >= 0 and max(parts) >= 1:
                found.append(name)
        return found


def _log_uniform(draw: random.Random, low: float, high: float) -> float:
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def _senders(draw: random.Random, payload: int) -> str:
    lines = [f'congestion = "{draw.choice(SENDERS)}"', f'segment = "{payload}B"']
    lines += [f"{key} = true" for key in ("rack", "prr", "hystart") if draw.random() < 0.4]
    return "\n".join(lines)


def _group(name: str, load: str, draw: random.Random, payload: int) -> str:
    ends = 'from = "senders"\nto = "receivers"'
    return f"[tcp.{name}]\n{ends}\n{load}\n{_senders(draw, payload)}\n"


def _pages(draw: random.Random, count: int, payload: int) -> str:
    size = draw.choice(("10kB", "100kB", "pareto(1.2, 10kB, 1MB)"))
    group = _group("web", f'count = {count}\nstart = "0s..1s"', draw, payload)
    traffic = f'kind = "web"\nsession = "0s"\nreading = "exponential(1s)"\nsize = "{size}"'
    return f"{group}\n[tcp.web.traffic]\n{traffic}\n"


def _others(series: int, number: int, controlled: int, load: str, payload: int) -> str:
    """Flows that no window controls, as many as the controlled ones at most."""
    draw = random.Random(f"{series} {number} beside")
    count = draw.randint(1, controlled)
    return _group(OTHER, f"count = {count}\n{load}\ncontrolled = false", draw, payload)


def draw_link(series: int, number: int, place: str = "near", *, beside: bool = False) -> Link:
    """The number-th link of a series. Path and target have room for four segments per flow."""
    draw = random.Random(f"{series} {number}")
    mtu = draw.choice((1500, 1500, 1500, 576, 1280, 4000, 9000))
    rate = round(_log_uniform(draw, 5e5, 1e9))
    rtt = _log_uniform(draw, 0.002, 0.6)
    spread = draw.choice((0, 0, 1, 3)) * rtt
    path = rate / 8 * (rtt + spread / 2)
    queue = round(max(_log_uniform(draw, 0.1, 4) * path, 10 * mtu))
    most = min((path + 0.3 * queue) / (4 * mtu), 400)
    flows = max(1, round(_log_uniform(draw, 1, max(most, 1))))
    told = draw.choice((1, 1, 1, 1, 0.5, 2))
    auto = draw.random() < 0.25
    window = draw.choice(("auto", "auto", "auto", "65535", "4MB"))
    seconds = min(LEAST_S + 100 * (rtt + spread / 2), MOST_S)
    seconds = max(min(seconds, MOST_PACKETS * mtu * 8 / rate), 8.0)
    pages = draw.randint(1, flows) if draw.random() < 0.4 else 0
    start = draw.choice(("0s", "0s..100ms", f"0s..{seconds / 4:.1f}s"))
    load = f'size = "100GB"\nstart = "{start}"'
    groups = [_group(CONTROLLED, load, draw, mtu - 52)]
    if beside:
        pages = 0
        groups += [_others(series, number, flows, load, mtu - 52)]
    groups += [_pages(draw, pages, mtu - 52)] if pages else []
    behind = PLACES["near" if place == UPSTREAM else place]
    front_us, behind_us = (rtt / 2 * part * 1e6 for part in (1 - behind, behind))
    near_us, far_us = (spread / 2 * part * 1e6 for part in (1 - behind, behind))
    gateway = '[gateway.left]\nlink = "bottleneck"' + ('\nrate = "auto"' if auto else "")
    text = f"""[scenario]
title = "Link {number} of series {series}"

[sweep]
methods = {[*OTHERS, LAW]}
flows = [{flows}]
receivers = ["{window}"]
seeds = 1

[topology]
shape = "dumbbell"

[link.access]
rate = "10gbit"
delay = "{front_us:.0f}us..{front_us + near_us:.0f}us"
mtu = "{mtu}B"

[link.bottleneck]
rate = "{round(rate * told)}bit"
delay = "{behind_us:.0f}us"
mtu = "{mtu}B"
queue = "{queue}B"

[[link.bottleneck.change]]
at = "1us"
rate = "{rate}bit"

[link.bottleneck.back]
queue = "{max(queue, 4_000_000)}B"

[link.egress]
rate = "10gbit"
delay = "0us..{far_us:.0f}us"
mtu = "{mtu}B"

{gateway}

[time]
limit = "{seconds:.1f}s"
warm_up = "{seconds / 3:.1f}s"

"""
    what = (
        f"{rate / 1e6:.1f} Mbit/s, {rtt * 1e3:.0f} + {spread * 1e3:.0f} ms, "
        f"{queue / path:.2f} C RTT, "
        f"MTU {mtu}, {flows} flows, {pages} users, {window}, {place}"
    )
    what += ", auto" if auto else f", told {told}" if told != 1 else ""
    text += "\n".join(groups)
    return Link(
        f"{series}-{number}-{place}", what, text, behind_it(text) if place == UPSTREAM else ""
    )


def figures(rows: Mapping[str, Mapping[str, float | None]]) -> dict[str, dict[str, float]]:
    """The figures of each method, from its row."""
    found = {
        name: {key: float(row.get(column) or 0) for key, column in COLUMNS.items()}
        for name, row in rows.items()
    }
    base = found[BASE]["completion"]
    for one in found.values():
        one["completion"] = one["completion"] / base if base and one["completion"] else 1.0
    return found


def part_of_fair(goodputs: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """The goodput of a controlled flow in parts of the mean of all flows; no more than 1."""
    everything = sum(goodputs[group] * counts[group] for group in goodputs)
    mean = everything / sum(counts[group] for group in goodputs)
    return min(goodputs[CONTROLLED] / mean, 1.0) if mean else 1.0


def _parts(results: Path) -> dict[str, float]:
    """part_of_fair() of each method."""
    flows = polars.read_parquet(results / "flows.parquet")
    found = {}
    for (name,), rows in flows.group_by("method"):
        groups = {str(key): each["goodput_mbps"] for (key,), each in rows.group_by("group")}
        means = {group: float(each.sum()) / len(each) for group, each in groups.items()}
        found[str(name)] = part_of_fair(means, {group: len(each) for group, each in groups.items()})
    return found


def _run(
    link: Link, text: str, folder: Path, methods: Sequence[str]
) -> tuple[dict[str, dict[str, float | None]], dict[str, float]]:
    """The rows of the methods, and _parts()."""
    file, results = folder / f"{link.name}.toml", folder / f"{link.name}-results"
    file.write_text(text)
    run = [str(BIN / "penstock"), "run", str(file), "-j", "--workers", "1"]
    run += ["-o", str(results), "-m", ",".join(methods)]
    lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = {row["method"]: row for row in map(json.loads, lines) if "drops" in row}
    parts = _parts(results)
    shutil.rmtree(results)
    return rows, parts


def _compare(link: Link, folder: Path, methods: Sequence[str]) -> Found:
    rows, parts = _run(link, link.text, folder, (*methods, LAW))
    if link.behind:
        rows[AT_THE_LINK], parts[AT_THE_LINK] = rows.pop(LAW), parts.pop(LAW)
        ours, part = _run(link, link.behind, folder, [LAW])
        rows, parts = rows | ours, parts | part
    return Found(link, figures(rows), parts)


def means(
    found: Sequence[Found], names: Sequence[str] = (*OTHERS, LAW)
) -> dict[str, dict[str, float]]:
    """The mean of each column over the links, for each method; of completion the geometric one."""
    table: dict[str, dict[str, float]] = {}
    for name in names:
        ours = [one.figures[name] for one in found]
        table[name] = {
            column: sum(figure[column] for figure in ours) / len(ours) for column in COLUMNS
        }
        table[name]["completion"] = math.exp(
            sum(math.log(figure["completion"]) for figure in ours) / len(ours)
        )
    return table


def print_means(table: Mapping[str, Figures]) -> None:
    """What means() found, as a table."""
    print("| method | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---|" * len(COLUMNS))
    for name, figure in table.items():
        print(f"| {name} | " + " | ".join(f"{figure[column]:.3f}" for column in COLUMNS) + " |")


def dominated(found: Sequence[Found]) -> dict[str, float]:
    """On what part of the links each of the others is behind in nothing, and ahead in something."""
    return {
        name: sum(name in one.dominated_by() for one in found) / len(found)
        for name in found[0].others
    }


def print_rest(found: Sequence[Found], *, beside: bool) -> None:
    """dominated(), and the mean of what controlled flows have of their share."""
    for name, part in dominated(found).items():
        print(f"{name} is better on {100 * part:.1f} % of the links")
    if beside:
        for name in found[0].parts:
            mean = sum(one.parts[name] for one in found) / len(found)
            print(f"{name}: a controlled flow has {mean:.3f} of the mean")


def broken(found: Sequence[Found]) -> Iterator[str]:
    """The limits that are exceeded, each in words."""
    for one in found:
        for column, limit in LIMITS.items():
            if one.behind(column) > limit:
                behind = one.behind(column)
                yield f"{one.link.name}: {column} {behind:.3f} behind, more than {limit}"
    if len(found) < ENOUGH:
        return
    table = means(found, list(found[0].figures))
    for column, limit in MEAN_LIMITS.items():
        sign = -1 if MATTERS[column] < 0 else 1
        best = min(sign * table[name][column] for name in found[0].others)
        behind = sign * table[LAW][column] - best
        if behind > limit:
            yield f"mean {column}: {behind:.3f} behind the best, more than {limit}"
    for name, part in dominated(found).items():
        if part > MOST_DOMINATED:
            yield f"{name} is better on more than {100 * MOST_DOMINATED:.0f} %"


def main() -> int:
    """Runs the links and prints the worst of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--links", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--methods", default=",".join(OTHERS), help="the others; fq_codel is needed"
    )
    parser.add_argument("--place", choices=(*PLACES, UPSTREAM), help="one, in place of three")
    parser.add_argument("--beside", action="store_true", help="with uncontrolled flows")
    parser.add_argument("-o", "--output", type=Path, help="where the scenarios are kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        folder = options.output or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        links = [
            draw_link(options.seed, number, place, beside=options.beside)
            for number in range(1, options.links + 1)
            for place in ([options.place] if options.place else PLACES)
        ]
        methods = options.methods.split(",")
        found = list(pool.map(lambda link: _compare(link, folder, methods), links))
    for one in sorted(found, key=lambda one: -one.worst)[:WORST]:
        behind = ", ".join(f"{column} {one.behind(column):.3f}" for column in COLUMNS)
        print(f"{one.link.name}: {behind}; {one.link.what}")
    print_means(means(found, list(found[0].figures)))
    print_rest(found, beside=options.beside)
    problems = list(broken(found))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
