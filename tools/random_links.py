# SPDX-License-Identifier: GPL-2.0-only
"""Links and loads drawn at random, on which a law is compared with six others.

docs/papers/penstock.md, "Links drawn at random", has what is drawn. Each link is simulated with
its round trip behind the gateway, on both sides of it, and in front of it, or as --place says.
With --place upstream the law's gateway stands behind the link and is told nothing, and the law at
the link itself is one of the others. --links N draws N of them, --seed another series, --methods
some of the others, -o DIR keeps their scenarios. --beside puts as many flows at most that no
window controls beside the controlled ones, in place of web users, and reports what part of a
flow's mean goodput a controlled flow has. --streams does so with a UDP stream of a constant rate as
well, below half of the link, and compares the law with itself without `spare`: what the stream
loses, and what part an elastic flow has. --everyday draws short connections, full uplinks, gateways
in series and LANs (penstock/api/judge/everyday.py), and reports each kind, and apart its even
numbers, for design, and its odd ones, kept for judging. The exit code is 1 if a limit is exceeded.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars

from penstock.api.judge import everyday, verdict
from penstock.api.judge import links as drawn
from penstock.api.judge.links import CONTROLLED, OTHER, OTHERS, UPSTREAM

LAW: Final = drawn.LAW
PLACES: Final = drawn.PLACES
Link = drawn.Link
draw_link = drawn.draw_link
BIN: Final = Path(sys.executable).parent
AT_THE_LINK: Final = "at the link"  # the law, where the other is upstream
WORST: Final = 12  # links that are printed
WORST_OF_KIND: Final = 4
ENOUGH: Final = 100  # links for a mean
# What is reported, always all of it: the row's column, or of the transfers of web users the mean
# time, in parts of FQ-CoDel's; and by how much a difference counts.
_NAMES: Final = ("loss", "use", "p99", "jain", "timeouts", "completion")
COLUMNS: Final = {name: each.name for name, each in zip(_NAMES, verdict.COLUMNS, strict=True)}
MATTERS: Final = {name: each.step for name, each in zip(_NAMES, verdict.COLUMNS, strict=True)}
BASE: Final = "fq_codel"
# By how much the law may be behind the best of the others on a link, and behind the best mean on
# the mean of all links, if they are enough; and on what part of the links one other may be no
# worse in all columns and better in one.
LIMITS: Final = {"loss": 5.0, "use": 30.0, "jain": 0.4}
MEAN_LIMITS: Final = {"loss": 0.05, "use": 1.5, "jain": 0.01}
MOST_DOMINATED: Final = 0.05
# Of everyday links also the 99th percentile of completion and the goodput of a download, in parts
# of FQ-CoDel's; and of what is counted at the gateways' queues the worst.
COMPLETION_P99: Final = "fct_ms_p99"
RELATIVE: Final = ("completion", "completion_p99", "download")
WORST_QUEUE: Final = {"loss_percent": max, "utilisation_percent": min, "queue_delay_ms_p99": max}
# By how much the law's mean over a kind or half of one may be behind FQ-CoDel's, if it is of enough
# runs: of a single full uplink, chance decides.
KIND_LIMITS: Final = {"loss": 0.5, "use": 15.0, "jain": 0.05}
ENOUGH_OF_KIND: Final = 20
# What a stream may lose, and by how much the part of an elastic flow may differ from what it is
# without `spare`, on the mean of all links.
MOST_LOST_PERCENT: Final = 0.5
MOST_APART: Final = 0.03


Figures = Mapping[str, float]


def behind(column: str, table: Mapping[str, Figures], others: Sequence[str]) -> float:
    """How far the law is behind the best of others in a table; negative if it is ahead."""
    sign = -1 if MATTERS[column] < 0 else 1
    return max(sign * (table[LAW][column] - table[name][column]) for name in others)


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
        return behind(column, self.figures, self.others)

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


Judge = Callable[[Mapping[str, float], Mapping[str, int]], float]


def of_download(goodputs: Mapping[str, float], _: Mapping[str, int]) -> float:
    """The goodput of a download, in Mbit/s."""
    return goodputs.get(CONTROLLED, 0.0)


def _parts(results: Path, judge: Judge) -> dict[str, float]:
    """What `judge` says of the goodput of a flow of each group, and of their number."""
    flows = polars.read_parquet(results / "flows.parquet")
    found = {}
    for (name,), rows in flows.group_by("method"):
        groups = {str(key): each["goodput_mbps"] for (key,), each in rows.group_by("group")}
        means = {group: float(each.sum()) / len(each) for group, each in groups.items()}
        found[str(name)] = judge(means, {group: len(each) for group, each in groups.items()})
    return found


def worst_queues(results: Path) -> dict[str, dict[str, float]]:
    """Of each method, what the worst of its gateways' queues has."""
    at_gateway = polars.col("gateway").is_not_null() & (polars.col("direction") == "forward")
    queues = polars.read_parquet(results / "queues.parquet").filter(at_gateway)
    return {
        str(name): {column: worst(rows[column]) for column, worst in WORST_QUEUE.items()}
        for (name,), rows in queues.group_by("method")
    }


def _run(
    link: Link, text: str, folder: Path, methods: Sequence[str], judge: Judge = part_of_fair
) -> tuple[dict[str, dict[str, float | None]], dict[str, float]]:
    """The rows of the methods, and _parts() by `judge`."""
    file, results = folder / f"{link.name}.toml", folder / f"{link.name}-results"
    file.write_text(text)
    run = [str(BIN / "penstock"), "run", str(file), "-j", "--workers", "1"]
    run += ["-o", str(results), "-m", ",".join(methods)]
    lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = {row["method"]: row for row in map(json.loads, lines) if "drops" in row}
    parts = _parts(results, judge)
    if link.kind:
        worst = worst_queues(results)
        rows = {name: row | worst[name] for name, row in rows.items()}
    shutil.rmtree(results)
    return rows, parts


def _compare(link: Link, folder: Path, methods: Sequence[str]) -> Found:
    rows, parts = _run(link, link.text, folder, (*methods, LAW))
    if link.behind:
        rows[AT_THE_LINK], parts[AT_THE_LINK] = rows.pop(LAW), parts.pop(LAW)
        ours, part = _run(link, link.behind, folder, [LAW])
        rows, parts = rows | ours, parts | part
    return Found(link, figures(rows), parts)


def compare_everyday(link: Link, folder: Path, methods: Sequence[str]) -> Found:
    """What each method has on an everyday link."""
    rows, goodputs = _run(link, link.text, folder, (*methods, LAW), of_download)
    found = figures(rows)
    for name, one in found.items():
        base = rows[BASE].get(COMPLETION_P99)
        if base:
            one["completion_p99"] = float(rows[name].get(COMPLETION_P99) or base) / base
        else:  # no transfer ends
            del one["completion"]
        # A download that has nothing counts as 1 kbit/s, as the mean is of logarithms.
        one["download"] = max(goodputs[name], 1e-3) / max(goodputs[BASE], 1e-3)
    return Found(link, found, goodputs)


@dataclass(frozen=True)
class Stream:
    """What was measured on a link with a stream, with `spare` and without."""

    link: Link
    part: float  # of the link, that the stream sends
    lost: tuple[float, float]  # of the stream, in percent
    elastic: tuple[float, float]  # goodput of an elastic flow, of the mean of all of TCP

    @property
    def apart(self) -> float:
        """By how much the part of an elastic flow differs."""
        return self.elastic[0] / self.elastic[1] - 1 if self.elastic[1] else 0.0


def _elastic_part(goodputs: Mapping[str, float], counts: Mapping[str, int]) -> float:
    tcp = (CONTROLLED, OTHER)
    mean = sum(goodputs[key] * counts[key] for key in tcp) / sum(counts[key] for key in tcp)
    return goodputs[OTHER] / mean if mean else 1.0


def _stream(drawn_link: tuple[Link, float], folder: Path) -> Stream:
    link, part = drawn_link
    names = (LAW, drawn.UNSPARED)
    rows, parts = _run(link, link.text, folder, names, _elastic_part)
    lost = [float(rows[name]["udp_loss_percent"] or 0) for name in names]
    return Stream(link, part, (lost[0], lost[1]), (parts[LAW], parts[drawn.UNSPARED]))


def print_streams(found: Sequence[Stream]) -> bool:
    """The worst links, and the means; true if a limit is exceeded."""
    for one in sorted(found, key=lambda one: -one.lost[0])[:WORST]:
        print(
            f"{one.link.name}: {one.lost[0]:.2f} % lost ({one.lost[1]:.2f}), elastic "
            f"{one.elastic[0]:.3f} ({one.elastic[1]:.3f}), {one.part:.3f} of {one.link.what}"
        )
    within = sum(one.lost[0] <= MOST_LOST_PERCENT for one in found)
    lost = [sum(one.lost[i] for one in found) / len(found) for i in (0, 1)]
    elastic = [sum(one.elastic[i] for one in found) / len(found) for i in (0, 1)]
    print(f"{within} of {len(found)} streams lose at most {MOST_LOST_PERCENT} %")
    print("| | stream, % lost | an elastic flow, of the mean of TCP |\n|---|---|---|")
    for i, name in enumerate((LAW, "with `spare = 0`")):
        print(f"| {name} | {lost[i]:.3f} | {elastic[i]:.3f} |")
    apart = abs(elastic[0] / elastic[1] - 1)
    print(f"elastic flows differ by {100 * apart:.1f} % on the mean")
    return lost[0] > MOST_LOST_PERCENT or apart > MOST_APART


def means(found: Sequence[Found], names: Sequence[str] = (*OTHERS, LAW)) -> dict[str, Figures]:
    """The mean of each column over the links, for each method; of parts the geometric one."""
    table: dict[str, Figures] = {}
    for name in names:
        ours = [one.figures[name] for one in found]
        table[name] = {
            column: statistics.geometric_mean(values)
            if column in RELATIVE
            else statistics.fmean(values)
            for column in ours[0]
            for values in [[figure[column] for figure in ours]]
        }
    return table


def print_means(table: Mapping[str, Figures]) -> None:
    """What means() found, as a table."""
    columns = list(table[LAW])
    print("| method | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name, figure in table.items():
        print(f"| {name} | " + " | ".join(f"{figure[column]:.3f}" for column in columns) + " |")


def dominated(found: Sequence[Found]) -> dict[str, float]:
    """On what part of the links each of the others is behind in nothing, and ahead in something."""
    return {
        name: sum(name in one.dominated_by() for one in found) / len(found)
        for name in found[0].others
    }


def print_worst(found: Sequence[Found], number: int) -> None:
    """How far the law is behind the best of the others where it is furthest behind."""
    for one in sorted(found, key=lambda one: -one.worst)[:number]:
        columns = [column for column in COLUMNS if column in one.figures[LAW]]
        each = ", ".join(f"{column} {one.behind(column):.3f}" for column in columns)
        print(f"{one.link.name}: {each}; {one.link.what}")


def broken_kind(table: Mapping[str, Figures]) -> Iterator[str]:
    """The limits that the law's means over a kind of everyday links exceed, each in words."""
    for column, limit in KIND_LIMITS.items():
        far = behind(column, table, [BASE])
        if far > limit:
            yield f"mean {column}: {far:.3f} behind {BASE}, more than {limit}"


def print_everyday(found: Sequence[Found]) -> bool:
    """The worst links and means() of each kind, of all and of both halves; whether one fails."""
    halves = {"all": (True, False), "for design": (False,), "kept for judging": (True,)}
    problems = []
    for kind in everyday.KINDS:
        ours = [one for one in found if one.link.kind == kind]
        print_worst(ours, WORST_OF_KIND)
        for half, judging in halves.items():
            some = [one for one in ours if one.link.judging in judging]
            if some:
                table = means(some, list(some[0].figures))
                print(f"\n{kind}, {half}: {len(some)} runs\n")
                print_means(table)
                if len(some) >= ENOUGH_OF_KIND:
                    problems += [f"{kind}, {half}: {each}" for each in broken_kind(table)]
        print()
    print("\n".join(problems))
    return bool(problems)


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
            far = one.behind(column)
            if far > limit:
                yield f"{one.link.name}: {column} {far:.3f} behind, more than {limit}"
    if len(found) < ENOUGH:
        return
    table = means(found, list(found[0].figures))
    for column, limit in MEAN_LIMITS.items():
        far = behind(column, table, found[0].others)
        if far > limit:
            yield f"mean {column}: {far:.3f} behind the best, more than {limit}"
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
    parser.add_argument("--streams", action="store_true", help="and with a stream of UDP")
    parser.add_argument("--everyday", action="store_true", help="four everyday kinds of links")
    parser.add_argument("-o", "--output", type=Path, help="where the scenarios are kept")
    options = parser.parse_args()
    if options.everyday and options.place == UPSTREAM:
        parser.error("--everyday has no links with the gateway behind them")
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        folder = options.output or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        drawn_at = [
            (number, place)
            for number in range(1, options.links + 1)
            for place in (everyday.places_of(number) if options.everyday else [*PLACES, UPSTREAM])
            if (place == options.place if options.place else place != UPSTREAM)
        ]
        methods = options.methods.split(",")
        if options.streams:
            pairs = [drawn.with_stream(options.seed, *each) for each in drawn_at]
            return int(print_streams(list(pool.map(lambda one: _stream(one, folder), pairs))))
        if options.everyday:
            links = [everyday.draw_everyday(options.seed, *each) for each in drawn_at]
            found = list(pool.map(lambda link: compare_everyday(link, folder, methods), links))
            return int(print_everyday(found))
        links = [
            draw_link(options.seed, number, place, beside=options.beside)
            for number, place in drawn_at
        ]
        found = list(pool.map(lambda link: _compare(link, folder, methods), links))
    print_worst(found, WORST)
    print_means(means(found, list(found[0].figures)))
    print_rest(found, beside=options.beside)
    problems = list(broken(found))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
