# SPDX-License-Identifier: GPL-2.0-only
"""Links and loads drawn at random from a seed.

docs/papers/penstock.md, "Links drawn at random", has what is drawn. The round trip is behind the
gateway, on both sides of it or in front of it; with `upstream` the gateway stands behind the link
and is told nothing.
"""

import math
import random
import re
from dataclasses import dataclass
from typing import Final

PLACES: Final = {"near": 1.0, "middle": 0.5, "far": 0.0}  # part of the RTT behind the gateway
UPSTREAM: Final = "upstream"  # with the gateway behind the link
OTHERS: Final = ("droptail", "share", "integral", "codel_ecn", "fq_codel", "pie")
LAW: Final = "penstock"
CONTROLLED: Final = "bulk"  # groups of flows
OTHER: Final = "other"
SENDERS: Final = ("cubic", "cubic", "newreno", "reno", "bic", "bbr")
LEAST_S: Final = 20.0
MOST_S: Final = 60.0
MOST_PACKETS: Final = 250_000
STREAM: Final = (0.02, 0.45)  # its rate, in parts of the link
UNSPARED: Final = "unspared"  # the law without `spare`


@dataclass(frozen=True)
class Link:
    """A link with its load."""

    name: str
    what: str  # in words
    text: str  # the scenario, in TOML
    behind: str = ""  # the scenario of a gateway behind the link, with UPSTREAM
    kind: str = ""  # of an everyday link, see everyday.py
    judging: bool = False  # such a link is kept for judging


def behind_it(text: str) -> str:
    """A link's scenario with its gateway behind the link, which it is told nothing about."""
    head, _, rest = text.partition("[gateway.left]")
    limit = re.search(r'^queue = "(.*)"$', head, re.MULTILINE)
    assert limit, "draw_link() gives the bottleneck a queue"
    nodes = 'nodes = { senders = "flows", far = 1, home = 1, lan = 1, receivers = "flows" }'
    ends = {
        "access": ("senders", "far"),
        "bottleneck": ("far", "home"),
        "egress": ("lan", "receivers"),
    }
    for name, (start, end) in ends.items():
        both = f'[link.{name}]\nfrom = "{start}"\nto = "{end}"\n'
        head = head.replace(f"[link.{name}]\n", both)
    mtu = re.findall(r'^mtu = ".*"$', head, re.MULTILINE)[0]
    lan = f'[link.lan]\nfrom = "home"\nto = "lan"\nrate = "10gbit"\ndelay = "0us"\n{mtu}\n'
    gateway = '[gateway.left]\nlink = "lan"\nrate = "auto"\nsource = "upstream"\n'
    after = rest[rest.index("[time]") :]
    return (
        head.replace('shape = "dumbbell"', nodes)
        + f'{lan}queue = "{limit[1]}"\n\n{gateway}\n[measure]\nlink = "bottleneck"\n\n{after}'
    )


def log_uniform(draw: random.Random, low: float, high: float) -> float:
    """A number between the two, its logarithm uniform."""
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def run_seconds(rtt: float, rate: float, mtu: int) -> float:
    """How long a link is simulated: more with long round trips, less with many packets."""
    seconds = min(LEAST_S + 100 * rtt, MOST_S)
    return max(min(seconds, MOST_PACKETS * mtu * 8 / rate), 8.0)


def _senders(draw: random.Random, payload: int) -> str:
    lines = [f'congestion = "{draw.choice(SENDERS)}"', f'segment = "{payload}B"']
    lines += [f"{key} = true" for key in ("rack", "prr", "hystart") if draw.random() < 0.4]
    return "\n".join(lines)


def group(
    name: str,
    load: str,
    draw: random.Random,
    payload: int,
    ends: tuple[str, str] = ("senders", "receivers"),
) -> str:
    """A group of flows between two nodes, with a congestion control drawn for them."""
    both = f'from = "{ends[0]}"\nto = "{ends[1]}"'
    return f"[tcp.{name}]\n{both}\n{load}\n{_senders(draw, payload)}\n"


def _pages(draw: random.Random, count: int, payload: int) -> str:
    size = draw.choice(("10kB", "100kB", "pareto(1.2, 10kB, 1MB)"))
    users = group("web", f'count = {count}\nstart = "0s..1s"', draw, payload)
    traffic = f'kind = "web"\nsession = "0s"\nreading = "exponential(1s)"\nsize = "{size}"'
    return f"{users}\n[tcp.web.traffic]\n{traffic}\n"


def _others(series: int, number: int, controlled: int, load: str, payload: int) -> str:
    """Flows that no window controls, as many as the controlled ones at most."""
    draw = random.Random(f"{series} {number} beside")
    count = draw.randint(1, controlled)
    return group(OTHER, f"count = {count}\n{load}\ncontrolled = false", draw, payload)


def draw_link(series: int, number: int, place: str = "near", *, beside: bool = False) -> Link:
    """The number-th link of a series. Path and target have room for four segments per flow."""
    draw = random.Random(f"{series} {number}")
    mtu = draw.choice((1500, 1500, 1500, 576, 1280, 4000, 9000))
    rate = round(log_uniform(draw, 5e5, 1e9))
    rtt = log_uniform(draw, 0.002, 0.6)
    spread = draw.choice((0, 0, 1, 3)) * rtt
    path = rate / 8 * (rtt + spread / 2)
    queue = round(max(log_uniform(draw, 0.1, 4) * path, 10 * mtu))
    most = min((path + 0.3 * queue) / (4 * mtu), 400)
    flows = max(1, round(log_uniform(draw, 1, max(most, 1))))
    told = draw.choice((1, 1, 1, 1, 0.5, 2))
    auto = draw.random() < 0.25
    window = draw.choice(("auto", "auto", "auto", "65535", "4MB"))
    seconds = run_seconds(rtt + spread / 2, rate, mtu)
    pages = draw.randint(1, flows) if draw.random() < 0.4 else 0
    start = draw.choice(("0s", "0s..100ms", f"0s..{seconds / 4:.1f}s"))
    load = f'size = "100GB"\nstart = "{start}"'
    groups = [group(CONTROLLED, load, draw, mtu - 52)]
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


def with_stream(series: int, number: int, place: str) -> tuple[Link, float]:
    """A link with uncontrolled flows and a stream, and the part of it that the stream sends."""
    link = draw_link(series, number, place, beside=True)
    part = log_uniform(random.Random(f"{series} {number} stream"), *STREAM)
    rates = re.findall(r'^rate = "(\d+)bit"$', link.text, re.MULTILINE)
    mtu = re.findall(r'^mtu = "(\d+)B"$', link.text, re.MULTILINE)[0]
    rate = f"{part * int(rates[-1]):.0f}bit"
    stream = f'[udp.stream]\nfrom = "senders"\nto = "receivers"\nrate = "{rate}"'
    variant = f'[variant.{UNSPARED}]\nbase = "{LAW}"\nparams = {{ spare = 0 }}'
    text = f'{link.text}\n{stream}\npayload = "{min(int(mtu) - 28, 1200)}B"\n\n{variant}\n'
    return Link(link.name, link.what, text), part
