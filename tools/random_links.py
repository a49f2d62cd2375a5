# SPDX-License-Identifier: GPL-2.0-only
"""Links and loads drawn at random, on which penstock is compared with the best of three others.

docs/papers/penstock.md, "Links drawn at random", has what is drawn. --links N draws N of them,
--seed another series, -o DIR keeps their scenarios. The exit code is 1 if a limit is exceeded.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from run_tests import BIN

OTHERS: Final = ("droptail", "share", "integral")
LAW: Final = "penstock"
SENDERS: Final = ("cubic", "newreno", "reno", "bic")
WORST: Final = 12  # links that are printed
ENOUGH: Final = 100  # links for a mean
LEAST_S: Final = 20.0
MOST_S: Final = 60.0
MOST_PACKETS: Final = 500_000
# By how much penstock may be behind the best of the others on a link, and on the mean of all
# links, if they are enough: loss and utilisation in points, Jain's index.
LIMITS: Final = {"loss": 2.0, "unused": 20.0, "unfair": 0.25}
MEAN_LIMITS: Final = {"loss": 0.02, "unused": 0.5, "unfair": 0.01}


@dataclass(frozen=True)
class Link:
    """A link with its load."""

    name: str
    what: str
    text: str


@dataclass(frozen=True)
class Found:
    """How far penstock is behind the best of the others; negative if it is ahead."""

    link: Link
    behind: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest part of a limit that is used up."""
        return max(self.behind[name] / limit for name, limit in LIMITS.items())


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


def draw_link(series: int, number: int) -> Link:
    """The number-th link of a series. Path and target have room for four segments per flow."""
    draw = random.Random(f"{series} {number}")
    mtu = draw.choice((1500, 1500, 1500, 576, 1280, 4000, 9000))
    rate = round(_log_uniform(draw, 1e6, 1e9))
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
    pages = draw.randint(1, flows) if draw.random() < 0.25 else 0
    start = draw.choice(("0s", "0s..100ms", f"0s..{seconds / 4:.1f}s"))
    groups = [_group("bulk", f'size = "100GB"\nstart = "{start}"', draw, mtu - 52)]
    groups += [_pages(draw, pages, mtu - 52)] if pages else []
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
delay = "0ms..{spread / 2 * 1e6:.0f}us"
mtu = "{mtu}B"

[link.bottleneck]
rate = "{round(rate * told)}bit"
delay = "{rtt / 2 * 1e6:.0f}us"
mtu = "{mtu}B"
queue = "{queue}B"

[[link.bottleneck.change]]
at = "1us"
rate = "{rate}bit"

[link.bottleneck.back]
queue = "{max(queue, 4_000_000)}B"

[link.egress]
rate = "10gbit"
delay = "0ms"
mtu = "{mtu}B"

{gateway}

[time]
limit = "{seconds:.1f}s"
warm_up = "{seconds / 3:.1f}s"

"""
    what = (
        f"{rate / 1e6:.1f} Mbit/s, {rtt * 1e3:.0f} + {spread * 1e3:.0f} ms, "
        f"{queue / path:.2f} C RTT, "
        f"MTU {mtu}, {flows} flows, {pages} users, {window}"
    )
    what += ", auto" if auto else f", told {told}" if told != 1 else ""
    return Link(f"{series}-{number}", what, text + "\n".join(groups))


def _compare(link: Link, folder: Path) -> Found:
    file = folder / f"{link.name}.toml"
    file.write_text(link.text)
    run = [str(BIN / "penstock"), "run", str(file), "-j"]
    lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = {row["method"]: row for row in map(json.loads, lines) if "drops" in row}
    ours, others = rows[LAW], [rows[name] for name in OTHERS]
    used = max(row["utilisation_percent"] for row in others)
    return Found(
        link,
        {
            "loss": ours["loss_percent"] - min(row["loss_percent"] for row in others),
            "unused": used - ours["utilisation_percent"],
            "unfair": max(row["jain"] for row in others) - ours["jain"],
        },
    )


def broken(found: Sequence[Found]) -> Iterator[str]:
    """The limits that are exceeded, each in words; prints the means."""
    for one in found:
        for name, limit in LIMITS.items():
            if one.behind[name] > limit:
                yield f"{one.link.name}: {name} {one.behind[name]:.3f}, more than {limit}"
    for name, limit in MEAN_LIMITS.items():
        mean = sum(one.behind[name] for one in found) / len(found)
        print(f"mean {name}: {mean:.3f} (limit {limit})")
        if mean > limit and len(found) >= ENOUGH:
            yield f"mean {name} {mean:.3f}, more than {limit}"


def main() -> int:
    """Runs the links and prints the worst of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--links", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="where the scenarios are kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.output or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        links = (draw_link(options.seed, number) for number in range(1, options.links + 1))
        found = [_compare(link, folder) for link in links]
    for one in sorted(found, key=lambda one: -one.worst)[:WORST]:
        behind = ", ".join(f"{name} {value:.3f}" for name, value in one.behind.items())
        print(f"{one.link.name}: {behind}; {one.link.what}")
    problems = list(broken(found))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
