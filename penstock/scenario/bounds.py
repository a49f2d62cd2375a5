# SPDX-License-Identifier: GPL-2.0-only
"""How large a run may be: what would never end, or fill the memory, is refused before it starts.

Each bound is an upper estimate from the scenario alone; a run usually ends long before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.scenario import headers, topology, units
from penstock.scenario.flaw import Flaw
from penstock.scenario.limits import MAX_FLOWS, MOST_QUEUES
from penstock.scenario.model import RADIO, Scenario, Tcp, Udp

MOST_NODES: Final = 4_000_000
MOST_ROUTES: Final = 250_000_000  # hosts with several links times nodes, 4 bytes each
MOST_PACKETS: Final = 10**11
MOST_WAITING: Final = 10**8  # packets without a limit, 64 bytes each
MOST_WRITES: Final = 10**8  # by applications, 24 bytes each until they have arrived
MOST_SAMPLED: Final = 2 * 10**8  # values, 8 bytes each
MOST_KEPT: Final = 5 * 10**7  # values, about 40 bytes each

_MOST_PER_NS: Final = 8  # datagrams of a source: its interval has 20 bits below a nanosecond
_NS: Final = 10**9
_RADIO_PHY_BPS: Final = 54_000_000  # the highest rate of 802.11g
_QUEUE_VALUES: Final = 2  # queue, window
_FLOW_VALUES: Final = 2  # congestion and send window


def _groups(scenario: Scenario) -> dict[tuple[str, str], Tcp | Udp]:
    tcp: Mapping[str, Tcp | Udp] = scenario.tcp
    return {("tcp", key): group for key, group in tcp.items()} | {
        ("udp", key): group for key, group in scenario.udp.items()
    }


def _many(scenario: Scenario, flows: int) -> Iterator[Flaw]:
    total = sum(group.members(flows) for group in _groups(scenario).values())
    if total > MAX_FLOWS:
        yield ("tcp",), f"{total:,} flows in all; at most {MAX_FLOWS:,}: lower a count"
    sizes = {name: topology.size(scenario, name, flows) for name in topology.nodes(scenario)}
    nodes = sum(sizes.values())
    if nodes > MOST_NODES:
        yield ("topology", "nodes"), f"{nodes:,} nodes; at most {MOST_NODES:,}: lower a count"
    links = dict.fromkeys(sizes, 0)
    for name in scenario.link:
        first, last = topology.ends(scenario, name)
        links[first] += max(1, sizes[last] // sizes[first])
        links[last] += max(1, sizes[first] // sizes[last])
    ends = {end for group in _groups(scenario).values() for end in (group.source, group.sink)}
    routes = sum(sizes[end] for end in ends if links[end] > 1) * nodes
    if routes > MOST_ROUTES:
        yield (
            ("topology", "nodes"),
            f"routes between {nodes:,} nodes, whose hosts have several links, are too many; "
            "give each host one link, or lower the counts",
        )


def _rate_bps(scenario: Scenario, name: str, direction: str, flows: int) -> int:
    """What all links that a name stands for carry together."""
    link = scenario.link[name]
    own = link.back.rate if direction == "back" else None
    rate = (own or link.rate or 0) if link.medium != RADIO else _RADIO_PHY_BPS
    return rate * max(topology.size(scenario, end, flows) for end in topology.ends(scenario, name))


def _end_ns(scenario: Scenario, udp: Udp) -> int:
    return min(udp.stop or scenario.time.limit, scenario.time.limit)


def _packets(scenario: Scenario, group: Tcp | Udp, flows: int) -> int:
    """The most data packets that a group sends for the first time."""
    count = group.members(flows)
    if isinstance(group, Udp):
        time_ns = max(0, _end_ns(scenario, group) - group.start.first_ns)
        return count * group.rate * time_ns // (8 * _NS * group.payload)
    sizes = [] if group.size is None else [count * group.size]
    for name, direction in topology.route(scenario, group.source, group.sink):
        rate = _rate_bps(scenario, name, direction, flows)
        sizes.append(rate * scenario.time.limit // (8 * _NS))
    return min(sizes, default=0) // group.segment


def _writes(scenario: Scenario, flows: int) -> Iterator[Flaw]:
    """An application that writes does so however little arrives."""
    for name, tcp in scenario.tcp.items():
        if tcp.traffic is None or tcp.traffic.kind != "on-off" or tcp.traffic.transfers:
            continue
        step = tcp.traffic.interval
        writes = tcp.members(flows) * scenario.time.limit // max(step, 1)
        if writes > MOST_WRITES:
            most = units.form(units.TIME, scenario.time.limit)
            yield (
                ("tcp", name, "traffic", "interval"),
                f"{writes:.1g} writes until time.limit = '{most}'; at most {MOST_WRITES:.0e}: "
                "write a longer interval or a shorter time.limit",
            )


def _endless(scenario: Scenario, flows: int) -> Iterator[Flaw]:
    for key, udp in scenario.udp.items():
        most = udp.payload * 8 * _NS * _MOST_PER_NS
        if udp.rate > most:
            text = units.form(units.RATE, most)
            yield (
                ("udp", key, "rate"),
                f"more than {_MOST_PER_NS} packets in a nanosecond; at most '{text}'",
            )
    for path, group in _groups(scenario).items():
        packets = _packets(scenario, group, flows)
        if packets > MOST_PACKETS:
            key = "rate" if isinstance(group, Udp) else "size"
            limit = units.form(units.TIME, scenario.time.limit)
            other = " or an earlier stop" if isinstance(group, Udp) else ""
            yield (
                (*path, key),
                f"up to {packets:.1g} packets until time.limit = '{limit}'; at most "
                f"{MOST_PACKETS:.0e}: write a lower {key}, a shorter time.limit{other}",
            )


def _waiting(scenario: Scenario, flows: int) -> Iterator[Flaw]:
    """UDP does not slow down: on a link without a limit its queue only grows."""
    load: dict[tuple[str, str], float] = {}
    for key, udp in scenario.udp.items():
        packet = (udp.payload + headers.IP_UDP_BYTES) * 8
        sent = udp.members(flows) * udp.rate * packet / (8 * udp.payload)
        time_s = (_end_ns(scenario, udp) - udp.start.first_ns) / _NS
        for place in topology.route(scenario, udp.source, udp.sink):
            if topology.queue_limit_bytes(scenario, *place) is not None:
                continue
            load[place] = load.get(place, 0) + sent
            excess = load[place] - _rate_bps(scenario, *place, flows)
            if excess * time_s / packet > MOST_WAITING:
                yield (
                    ("udp", key, "rate"),
                    f"link {place[0]!r} carries less, and nothing limits its queue; write a lower "
                    f"rate, or [link.{place[0]}] queue = '97kB'",
                )


def _samples(scenario: Scenario) -> Iterator[Flaw]:
    sample, limit = scenario.sample, scenario.time.limit
    if sample is None:
        return
    values = 1 + _QUEUE_VALUES + _FLOW_VALUES * sample.flows
    until = min(sample.until or limit, limit)
    least = max(-(-limit * values // MOST_SAMPLED), -(-until * values // MOST_KEPT))
    if sample.interval >= least:
        return
    what = f"{limit // sample.interval:,} samples of {values} values until time.limit are too many"
    interval = units.form(units.TIME, _round_up(least))
    cure = f"write '{interval}', a shorter time.limit or an earlier sample.until"
    yield ("sample", "interval"), f"{what}; {cure}"


def sampled_queues(scenario: Scenario) -> int:
    """How many queues are sampled besides the measured one: as many as may be kept."""
    sample, limit = scenario.sample, scenario.time.limit
    if sample is None:
        return 0
    samples = max(min(sample.until or limit, limit) // sample.interval, 1)
    left = MOST_KEPT // samples - 1 - _QUEUE_VALUES - _FLOW_VALUES * sample.flows
    return max(min(left // _QUEUE_VALUES, MOST_QUEUES), 0)


def _round_up(value: int) -> int:
    """To one digit: a time that reads well."""
    step = int(10 ** (len(str(value)) - 1))
    return -(-value // step) * step


def too_much(scenario: Scenario, flows: int) -> Iterator[Flaw]:
    """What makes a run of `flows` flows endless, or too large for a machine."""
    checks: tuple[Any, ...] = (_many, _endless, _writes, _waiting)
    for check in checks:
        yield from check(scenario, flows)
    yield from _samples(scenario)
