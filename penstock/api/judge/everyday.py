# SPDX-License-Identifier: GPL-2.0-only
"""Everyday links drawn at random from a seed: short connections, full uplinks, series, LANs.

Two numbers in turn have the same kind, of which the even one is for design and the odd one is kept
for judging. What is drawn, most of it uniformly in its logarithm:

- `short`: 2 to 200 Mbit/s, 5 to 100 ms, 1 to 8 downloads, and beside them 10 to 3,000 connections
  per second of 300 B to 100 kB that offer 5 to 60 % of the link. The sender of the data closes each
  of them, and it is the end that opened it, or the other end, or there are some of each.
- `uplink`: a shaper at home before 1 to 8 downloads, on a line of 2 to 200 Mbit/s; 1 to 4 uploads
  fill its uplink, which has 1/2 to 1/30 of that, and a buffer of 50 ms to 1 s.
- `series`: two gateways or three, each rate half of the one before or more, in this order or in the
  reverse one; 1 to 4 flows over all of them and 1 to 4 over each, and on half of the links a stream
  of UDP over the last.
- `lan`: 0.1 to 10 Gbit/s, 50 us to 2 ms, 1 to 64 flows of 10 kB to 10 MB.

Buffers have 0.25 to 4 C RTT, and ten packets at least; those of a LAN 64 kB to 4 MB. The round trip
is as in links.py; that of a LAN is behind the gateway.
"""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from penstock.api.judge import links
from penstock.api.judge.links import CONTROLLED, LAW, OTHERS, PLACES, Link, group, log_uniform

NEAR: Final = "near"
MTU: Final = 1500
PAYLOAD: Final = MTU - 52
SYN_BYTES: Final = 60
CONNECTIONS: Final = (10.0, 3000.0)  # a second
SIZES: Final = (300, 100_000)
PAUSE_S: Final = 1.0  # of a user, on the mean; long beside a connection, so that few wait for one
LOAD: Final = 'size = "100GB"\nstart = "0s..1s"'


@dataclass(frozen=True)
class _Drawn:
    what: str
    flows: int
    seconds: float
    text: str
    warm_up: float = 1 / 3  # of the time


def _micros(rtt: float, part: float) -> str:
    """The delay of a link that has this part of a round trip, one way."""
    return f"{rtt / 2 * part * 1e6:.0f}us"


def _buffer(draw: random.Random, rate: float, rtt: float) -> int:
    return round(max(log_uniform(draw, 0.25, 4) * rate / 8 * rtt, 10 * MTU))


def _wire(name: str, ends: tuple[str, str], delay: str = "0us", rate: str = "10gbit") -> str:
    both = f'from = "{ends[0]}"\nto = "{ends[1]}"'
    return f'[link.{name}]\n{both}\nrate = "{rate}"\ndelay = "{delay}"\n'


def _dumbbell(rate: int, rtt: float, behind: float, queue: int) -> str:
    return f"""[topology]
shape = "dumbbell"
[link.access]
rate = "10gbit"
delay = "{_micros(rtt, 1 - behind)}"
[link.bottleneck]
rate = "{rate}bit"
delay = "{_micros(rtt, behind)}"
queue = "{queue}B"
[link.bottleneck.back]
queue = "{max(queue, 4_000_000)}B"
[link.egress]
rate = "10gbit"
delay = "0us"
[gateway.left]
link = "bottleneck"
"""


def _wire_bytes(size: int) -> int:
    """What a connection sends that carries this much."""
    return SYN_BYTES + size + 52 * math.ceil(size / PAYLOAD)


def _connections(draw: random.Random, opener: str, offered: float, rtt: float, part: int) -> str:
    """Users whose connections offer so many bytes per second, and are 1/part of all connections."""
    fewest = max(CONNECTIONS[0] / part, offered / _wire_bytes(SIZES[1]))
    most = min(CONNECTIONS[1] / part, offered / _wire_bytes(SIZES[0]))
    rate = log_uniform(draw, fewest, most)
    payload = offered / rate - SYN_BYTES
    size = min(max(round(payload - 52 * math.ceil(payload / MTU)), SIZES[0]), SIZES[1])
    # A connection lasts two round trips or so, after which its user pauses.
    users = max(1, round(rate * (PAUSE_S + 2 * rtt)))
    load = f'count = {users}\nstart = "0s..1s"\nopened_by = "{opener}"'
    traffic = f'kind = "web"\nsession = "0s"\nreading = "exponential({PAUSE_S}s)"\nsize = "{size}B"'
    name = f"by_{opener}"
    return f"{group(name, load, draw, PAYLOAD)}[tcp.{name}.traffic]\n{traffic}\n"


def _short(draw: random.Random, behind: float) -> _Drawn:
    rate, rtt = round(log_uniform(draw, 2e6, 200e6)), log_uniform(draw, 0.005, 0.1)
    queue, flows = _buffer(draw, rate, rtt), draw.randint(1, 8)
    openers = draw.choice((("sender",), ("receiver",), ("sender", "receiver")))
    part = draw.uniform(0.05, 0.6)
    offered = part * rate / 8 / len(openers)
    groups = [group(CONTROLLED, LOAD, draw, PAYLOAD)]
    groups += [_connections(draw, each, offered, rtt, len(openers)) for each in openers]
    what = f"{rate / 1e6:.1f} Mbit/s, {rtt * 1e3:.0f} ms, {queue} B, {flows} downloads, "
    what += f"{100 * part:.0f} % in short connections, opened by {' and '.join(openers)}"
    text = _dumbbell(rate, rtt, behind, queue) + "".join(groups)
    return _Drawn(what, flows, links.run_seconds(rtt, rate, MTU), text)


def _uplink(draw: random.Random, behind: float) -> _Drawn:
    rate, rtt = round(log_uniform(draw, 2e6, 200e6)), log_uniform(draw, 0.005, 0.1)
    up, wait = round(rate / log_uniform(draw, 2, 30)), log_uniform(draw, 0.05, 1)
    told = round(rate * draw.uniform(0.85, 0.97))
    queues = [_buffer(draw, rate, rtt), _buffer(draw, told, rtt)]
    full, flows, uploads = (
        round(max(up / 8 * wait, 10 * MTU)),
        draw.randint(1, 8),
        draw.randint(1, 4),
    )
    line = _wire("line", ("isp", "router"), _micros(rtt, 1 - behind), f"{rate}bit")
    shaper = _wire("shaper", ("router", "lan"), rate=f"{told}bit")
    text = (
        "[topology]\nnodes = { server = 1, isp = 1, router = 1, lan = 1, client = 1 }\n"
        + _wire("net", ("server", "isp"))
        + f'{line}queue = "{queues[0]}B"\n[link.line.back]\nrate = "{up}bit"\nqueue = "{full}B"\n'
        + f'{shaper}queue = "{queues[1]}B"\n[link.shaper.back]\nrate = "10gbit"\n'
        + _wire("ethernet", ("lan", "client"), _micros(rtt, behind))
        + '[gateway.home]\nlink = "shaper"\n'
        + group(CONTROLLED, LOAD, draw, PAYLOAD, ("server", "client"))
        + 'opened_by = "receiver"\n'
        + group("up", f"count = {uploads}\n{LOAD}", draw, PAYLOAD, ("client", "server"))
    )
    what = f"{told / 1e6:.1f} of {rate / 1e6:.1f} Mbit/s, {rtt * 1e3:.0f} ms, {queues[1]} B, "
    what += f"{flows} downloads, {uploads} uploads at {up / 1e6:.2f} Mbit/s with {full} B"
    return _Drawn(what, flows, links.run_seconds(rtt + full * 8 / up, rate, MTU), text)


def _series(draw: random.Random, behind: float) -> _Drawn:
    rtt, rates = log_uniform(draw, 0.005, 0.1), [round(log_uniform(draw, 5e6, 200e6))]
    for _ in range(draw.choice((1, 1, 2))):
        rates.append(round(rates[-1] * draw.uniform(0.5, 1)))
    rates = rates[::-1] if draw.random() < 0.5 else rates
    flows, hops = draw.randint(1, 4), len(rates)
    cross = [draw.randint(1, 4) for _ in rates]
    front = _micros(rtt, 1 - behind)
    text = _wire("in", ("a", "r0"), front) + _wire("out", (f"r{hops}", "b"))
    for i, rate in enumerate(rates):
        ends = (f"r{i}", f"r{i + 1}")
        hop = _wire(f"hop{i}", ends, _micros(rtt, behind / hops), f"{rate}bit")
        text += f'{hop}queue = "{_buffer(draw, rate, rtt)}B"\n'
        text += f'[link.hop{i}.back]\nqueue = "4MB"\n[gateway.g{i}]\nlink = "hop{i}"\n'
        text += _wire(f"x{i}", (f"x{i}", ends[0]), front) + _wire(f"y{i}", (ends[1], f"y{i}"))
        load = f"count = {cross[i]}\n{LOAD}"
        text += group(f"cross{i}", load, draw, PAYLOAD, (f"x{i}", f"y{i}"))
    text += group(CONTROLLED, LOAD, draw, PAYLOAD, ("a", "b"))
    if draw.random() < 0.5:
        rate = round(draw.uniform(0.02, 0.1) * rates[-1])
        last = f'from = "x{hops - 1}"\nto = "y{hops - 1}"'
        text += f'[udp.noise]\n{last}\nrate = "{rate}bit"\npayload = "1200B"\n'
    nodes = ["a", "b", *(f"r{i}" for i in range(hops + 1))]
    nodes += [f"{end}{i}" for end in "xy" for i in range(hops)]
    counts = ", ".join(f"{node} = 1" for node in nodes)
    what = f"{', '.join(f'{rate / 1e6:.1f}' for rate in rates)} Mbit/s, {rtt * 1e3:.0f} ms, "
    what += f"{flows} flows over all, {', '.join(map(str, cross))} across"
    seconds = links.run_seconds(rtt, max(rates), MTU)
    return _Drawn(what, flows, seconds, f"[topology]\nnodes = {{ {counts} }}\n{text}")


def _lan(draw: random.Random, behind: float) -> _Drawn:
    rate, rtt = round(log_uniform(draw, 1e8, 1e10)), log_uniform(draw, 50e-6, 2e-3)
    queue, flows = round(log_uniform(draw, 64e3, 4e6)), round(log_uniform(draw, 1, 64))
    size = min(log_uniform(draw, 1e4, 1e7), links.MOST_PACKETS * PAYLOAD / flows)
    load = f'size = "{size:.0f}B"\nstart = "0s..10ms"'
    text = _dumbbell(rate, rtt, behind, queue) + group(CONTROLLED, load, draw, PAYLOAD)
    what = f"{rate / 1e6:.0f} Mbit/s, {rtt * 1e6:.0f} us, {queue} B, {flows} flows of {size:.0f} B"
    return _Drawn(what, flows, links.MOST_S, text, 0)


KINDS: Final[Mapping[str, Callable[[random.Random, float], _Drawn]]] = MappingProxyType(
    {"short": _short, "uplink": _uplink, "series": _series, "lan": _lan}
)


def kind_of(number: int) -> str:
    """The kind of the number-th link; an even and an odd number each."""
    return list(KINDS)[(number - 1) // 2 % len(KINDS)]


def places_of(number: int) -> list[str]:
    """Where the gateway of the number-th link may be."""
    return [NEAR] if kind_of(number) == "lan" else list(PLACES)


def draw_everyday(series: int, number: int, place: str = NEAR) -> Link:
    """The number-th link of a series."""
    kind = kind_of(number)
    drawn = KINDS[kind](random.Random(f"{series} {number} everyday"), PLACES[place])
    text = f"""[scenario]
title = "Everyday link {number} of series {series}"
[sweep]
methods = {[*OTHERS, LAW]}
flows = [{drawn.flows}]
receivers = ["auto"]
seeds = 1
[time]
limit = "{drawn.seconds:.1f}s"
warm_up = "{drawn.seconds * drawn.warm_up:.1f}s"
{drawn.text}"""
    name = f"{series}-{number}-{kind}-{place}"
    return Link(name, f"{drawn.what}, {place}", text, kind=kind, judging=number % 2 == 1)
