# SPDX-License-Identifier: GPL-2.0-only
"""Checks of links, their media and their gateways."""

from collections.abc import Iterator

from penstock.errors import near
from penstock.scenario import changes, topology
from penstock.scenario.flaw import Flaw, unknown
from penstock.scenario.model import LAN, RADIO, WIRE_KEYS, Link, Scenario


def _dumbbell(scenario: Scenario) -> Iterator[Flaw]:
    wanted = list(topology.DUMBBELL_LINKS)
    for name, link in scenario.link.items():
        if name not in wanted and not (link.start and link.end):
            yield ("link", name), f"unknown link of a dumbbell; {near(name, wanted)}"
    for name in wanted:
        if name not in scenario.link:
            yield ("link",), f"a dumbbell has a table [link.{name}]; add one"


def _parallel(scenario: Scenario) -> Iterator[Flaw]:
    seen: dict[frozenset[str], str] = {}
    for name in scenario.link:
        pair = frozenset(topology.ends(scenario, name))
        other = seen.setdefault(pair, name)
        if other != name:
            text = " and ".join(repr(node) for node in sorted(pair))
            yield (
                ("link", name),
                f"link {other!r} joins {text} already, and a route takes one link; remove one",
            )


def _links(scenario: Scenario) -> Iterator[Flaw]:
    shape, known = scenario.topology.shape, list(topology.nodes(scenario))
    if not known:
        yield ("topology",), "no nodes; write shape = 'dumbbell', or a table topology.nodes"
    if shape:
        yield from _dumbbell(scenario)
    for name, link in scenario.link.items():
        counts = []
        for key, node in zip(("from", "to"), topology.ends(scenario, name), strict=True):
            if not node:
                yield ("link", name), f"the key {key!r} is missing; name a node"
            else:
                yield from unknown(("link", name, key), node, known, "node")
                counts.append(topology.nodes(scenario).get(node, 1))
        if len(set(counts)) > 1 and 1 not in counts:
            sizes = " and ".join(str(count) for count in counts)
            yield ("link", name), f"it joins {sizes} nodes; give both ends as many, or one end 1"
        if link.start and link.start == link.end:
            yield ("link", name, "to"), "a link joins two different nodes"


def _medium(link: Link) -> Iterator[tuple[str, str]]:
    """Keys of a link that its medium lacks or does not have, and what to write."""
    if link.medium != RADIO:
        yield from ((key, "this key is missing") for key in ("rate", "delay") if _no(link, key))
        if not _no(link, "distance_m"):
            yield "distance_m", "a wire has a delay instead; leave it out"
        return
    for key in WIRE_KEYS:
        if key in link.model_fields_set:
            yield key, f"{link.medium} has its own; leave it out"
    if _no(link, "distance_m"):
        yield "distance_m", "this key is missing; write distance_m = 5"


def _lan(link: Link) -> Iterator[tuple[str, str]]:
    """What a shared cable does not have, and the queue that its stations need."""
    own = {"rate", "delay", "queue", "queue_packets", "trace"} & link.back.model_fields_set
    for key in sorted(own):
        yield "back", f"both directions share one cable and its stations' queues; leave {key} out"
    for key in ("trace", "change"):
        if not _no(link, key):
            yield key, f"{LAN} does not vary; leave it out"
    if link.delay and link.delay.first_ns != link.delay.last_ns:
        yield "delay", "one cable has one delay; write '500ns'"
    if link.queue is None and link.queue_packets is None:
        yield "queue_packets", f"a station of {LAN} needs a queue limit; write queue_packets = 20"


def _device(link: Link) -> Iterator[tuple[str, str]]:
    """What a device with a queue of its own needs, and excludes."""
    if link.queue is None and link.queue_packets is None:
        yield "device_packets", "it is below a queue; write queue = '97kB', or queue_packets = 64"
    if key := changes.varies(link):
        yield key, "a device that takes packets in advance keeps its rate; leave it out"
    if link.medium == LAN:
        yield "device_packets", f"stations of {LAN} have one queue; leave it out"


def _cables(scenario: Scenario) -> Iterator[Flaw]:
    """Links that name a cable, which all have its rate and delay."""
    first: dict[str, tuple[str, Link]] = {}
    for name, link in scenario.link.items():
        if link.cable is None:
            continue
        if link.medium != LAN:
            yield ("link", name, "cable"), f"only {LAN} has one; leave it out"
            continue
        other, shared = first.setdefault(link.cable, (name, link))
        if (link.rate, link.delay) != (shared.rate, shared.delay):
            yield ("link", name), f"it shares a cable with {other!r}; give both one rate and delay"


def _radios(scenario: Scenario) -> Iterator[Flaw]:
    """Links of one access point, which are one cell with one queue; the first describes it."""
    first: dict[str, tuple[str, Link]] = {}
    for name, link in scenario.link.items():
        if link.medium != RADIO:
            continue
        point, _ = topology.ends(scenario, name)
        other, shared = first.setdefault(point, (name, link))
        for key in ("distance_m", "mtu", "queue", "queue_packets"):
            if getattr(link, key) != getattr(shared, key):
                yield ("link", name), f"its access point is that of {other!r}; give both one {key}"
        for key, gateway in scenario.gateway.items():
            if gateway.link == name != other:
                yield ("gateway", key, "link"), f"the queue of {name!r} is that of {other!r}"


def _no(link: Link, key: str) -> bool:
    return getattr(link, key) is None


def _media(scenario: Scenario) -> Iterator[Flaw]:
    for name, link in scenario.link.items():
        if link.medium == LAN:
            yield from (((("link", name, key)), message) for key, message in _lan(link))
        for key, message in (*_medium(link), *(_device(link) if link.device_packets else ())):
            yield ("link", name, key), message
        start, _ = topology.ends(scenario, name)
        if link.medium == RADIO and topology.nodes(scenario).get(start) != 1:
            yield ("link", name, "from"), f"{link.medium} has one access point; name a single node"


def _gateways(scenario: Scenario) -> Iterator[Flaw]:
    seen: set[tuple[str, str]] = set()
    known = list(scenario.link)
    for key, gateway in scenario.gateway.items():
        place = (gateway.link, gateway.direction)
        if gateway.source and not gateway.rate:
            yield ("gateway", key, "source"), f"{gateway.source!r} needs rate = 'auto'"
        if gateway.link not in scenario.link:
            yield from unknown(("gateway", key, "link"), gateway.link, known, "link")
            continue
        if topology.queue_limit_bytes(scenario, *place) is None:
            cure = "write queue = '97kB', or queue_packets = 64"
            yield ("link", gateway.link), f"gateway {key!r} needs a queue limit here; {cure}"
        if place in seen:
            yield ("gateway", key, "link"), f"link {gateway.link!r} already has a gateway"
        seen.add(place)


def _measured(scenario: Scenario) -> Iterator[Flaw]:
    link, direction = topology.measured(scenario)
    if link not in scenario.link:
        yield from unknown(("measure", "link"), link, list(scenario.link), "link")
        return
    counts = topology.nodes(scenario)
    medium, ends = scenario.link[link].medium, topology.ends(scenario, link)
    if medium == LAN:  # a station has one queue, however many it sends to
        ends = (ends[0 if direction == "forward" else 1],) * 2
    if medium != RADIO and any(counts.get(node) != 1 for node in ends):
        path = ("measure", "link") if scenario.measure else ("gateway",)
        yield path, f"{link!r} stands for several links; measure one that joins two single nodes"


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Links that join nodes, with what their media have, gateways on them, and one measured."""
    checks = (_links, _parallel, _media, _cables, _radios, changes.links, _gateways, _measured)
    for check in checks:
        yield from check(scenario)
