# SPDX-License-Identifier: GPL-2.0-only
"""Checks that need more than one table of a scenario, or the methods of core/."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from penstock.errors import near
from penstock.results.columns import NAMES as COLUMNS
from penstock.scenario import (
    bounds,
    changes,
    headers,
    mobility,
    params,
    topology,
    units,
    users,
    variants,
)
from penstock.scenario.locate import Path
from penstock.scenario.model import (
    LAN,
    RADIO,
    WIRE_KEYS,
    Link,
    PaperChange,
    PaperOrder,
    PaperValue,
    Scenario,
    Sweep,
    Tcp,
)
from penstock.scenario.types import AUTO
from penstock.scenario.variants import methods_of

Flaw = tuple[Path, str]

MOST_RUNS: Final = 1_000_000


def _known(path: Path, name: str, known: list[str], what: str) -> Iterator[Flaw]:
    if name not in known:
        yield path, f"there is no {what} {name!r}; {near(name, known)}"


def _methods(scenario: Scenario) -> Iterator[Flaw]:
    known = list(methods_of(scenario))
    for index, name in enumerate(scenario.sweep.methods):
        yield from _known(("sweep", "methods", index), name, known, "method")
    for key, gateway in scenario.gateway.items():
        if gateway.method:
            yield from _known(("gateway", key, "method"), gateway.method, known, "method")
    senders = list(params.senders())
    sharings = list(params.sharings())
    for key, tcp in scenario.tcp.items():
        if tcp.sharing:
            yield from _known(("tcp", key, "sharing"), tcp.sharing, sharings, "way of sharing")
        where = ("tcp", key, "congestion")
        if tcp.congestion.startswith(params.KERNEL):
            continue
        yield from _known(where, tcp.congestion, senders, "congestion control")


def _parameters(scenario: Scenario) -> Iterator[Flaw]:
    for table, registry, what in (
        ("method", methods_of(scenario), "method"),
        ("sender", params.senders(), "congestion control"),
    ):
        for name, given in getattr(scenario, table).items():
            if name not in registry:
                yield from _known((table, name), name, list(registry), what)
                continue
            for key in given:
                try:
                    params.resolve(registry[name], {key: given[key]})
                except ValueError as error:
                    yield (table, name, key), str(error).removeprefix(f"{key}: ")


def _variant_parameters(scenario: Scenario) -> Iterator[Flaw]:
    for name, own in scenario.variant.items():
        for key, value in own.params.items():
            try:
                params.resolve(methods_of(scenario)[name], {key: value})
            except ValueError as error:
                yield ("variant", name, "params", key), str(error).removeprefix(f"{key}: ")


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
                yield from _known(("link", name, key), node, known, "node")
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


def _no(link: Link, key: str) -> bool:
    return getattr(link, key) is None


def _media(scenario: Scenario) -> Iterator[Flaw]:
    for name, link in scenario.link.items():
        if link.medium == LAN:
            yield from (((("link", name, key)), message) for key, message in _lan(link))
        for key, message in _medium(link):
            yield ("link", name, key), message
        start, _ = topology.ends(scenario, name)
        if link.medium == RADIO and topology.nodes(scenario).get(start) != 1:
            yield ("link", name, "from"), f"{link.medium} has one access point; name a single node"


def _gateways(scenario: Scenario) -> Iterator[Flaw]:
    seen: set[tuple[str, str]] = set()
    known = list(scenario.link)
    for key, gateway in scenario.gateway.items():
        place = (gateway.link, gateway.direction)
        if gateway.link not in scenario.link:
            yield from _known(("gateway", key, "link"), gateway.link, known, "link")
            continue
        if topology.queue_limit_bytes(scenario, *place) is None:
            cure = "write queue = '97kB', or queue_packets = 64"
            yield ("link", gateway.link), f"gateway {key!r} needs a queue limit here; {cure}"
        if place in seen:
            yield ("gateway", key, "link"), f"link {gateway.link!r} already has a gateway"
        seen.add(place)


def _ways(scenario: Scenario) -> Iterator[Flaw]:
    """Gateways that no data passes."""
    pairs = [(udp.source, udp.sink) for udp in scenario.udp.values()]
    for tcp in scenario.tcp.values():
        pairs += [(tcp.source, sink) for sink in mobility.sinks(scenario, tcp)]
    used = {place for pair in pairs for place in topology.route(scenario, *pair)}
    for key, gateway in scenario.gateway.items():
        if (gateway.link, gateway.direction) not in used:
            other = "back" if gateway.direction == "forward" else "forward"
            cure = f"direction = '{other}'" if (gateway.link, other) in used else "another link"
            where = f"no data goes {gateway.direction} over link {gateway.link!r}"
            yield ("gateway", key, "link"), f"{where}, so it would do nothing; write {cure}"


def passes_no_gateway(scenario: Scenario) -> list[str]:
    """The groups of TCP connections that no gateway can tell anything."""
    gateways = {(gateway.link, gateway.direction) for gateway in scenario.gateway.values()}
    return [
        key
        for key, tcp in scenario.tcp.items()
        if not gateways & set(topology.route(scenario, tcp.source, tcp.sink))
    ]


def _measured(scenario: Scenario) -> Iterator[Flaw]:
    link, direction = topology.measured(scenario)
    if link not in scenario.link:
        yield from _known(("measure", "link"), link, list(scenario.link), "link")
        return
    counts = topology.nodes(scenario)
    medium, ends = scenario.link[link].medium, topology.ends(scenario, link)
    if medium == LAN:  # a station has one queue, however many it sends to
        ends = (ends[0 if direction == "forward" else 1],) * 2
    if medium != RADIO and any(counts.get(node) != 1 for node in ends):
        path = ("measure", "link") if scenario.measure else ("gateway",)
        yield path, f"{link!r} stands for several links; measure one that joins two single nodes"


def packet_bytes(tcp: Tcp) -> int:
    """Length of the IP packet of a full segment: IP and TCP headers, timestamps."""
    return tcp.segment + headers.IP_TCP_BYTES + headers.tcp_options_bytes(tcp.timestamps)


def _fits(scenario: Scenario, path: Path, length: int, parts: str, cure: str) -> Iterator[Flaw]:
    for name, link in scenario.link.items():
        mtu = min(link.mtu, link.back.mtu or link.mtu)
        if length > mtu:
            what = f"{parts} make packets of {length} bytes; link {name!r} carries {mtu}"
            yield path, f"{what}; {cure}"
        for direction in ("forward", "back"):
            queue = topology.queue_limit_bytes(scenario, name, direction)
            if queue is not None and queue < length:
                where = ("link", name, "queue")
                yield where, f"{queue} bytes do not hold one packet of {length} bytes; write more"


def _segments(scenario: Scenario) -> Iterator[Flaw]:
    for key, tcp in scenario.tcp.items():
        stamps = f" + {headers.TIMESTAMPS_BYTES} timestamps" if tcp.timestamps else ""
        parts = f"{tcp.segment}-byte segments + {headers.IP_TCP_BYTES} IP and TCP headers{stamps}"
        room = min(link.mtu for link in scenario.link.values()) - packet_bytes(tcp) + tcp.segment
        cure = f"write segment = '{max(room, 1)}B'" + (", timestamps = false" if stamps else "")
        yield from _fits(
            scenario, ("tcp", key, "segment"), packet_bytes(tcp), parts, cure + " or a larger mtu"
        )
        if tcp.rto_min > tcp.rto_max:
            most = units.form(units.TIME, tcp.rto_max)
            yield ("tcp", key, "rto_min"), f"it is above rto_max; at most '{most}'"
    for key, udp in scenario.udp.items():
        parts = f"{udp.payload}-byte payloads + {headers.IP_UDP_BYTES} IP and UDP headers"
        cure = "write a smaller payload or a larger mtu"
        length = udp.payload + headers.IP_UDP_BYTES
        yield from _fits(scenario, ("udp", key, "payload"), length, parts, cure)
        if udp.stop is not None and udp.stop <= udp.start.last_ns:
            yield ("udp", key, "stop"), "it stops before it starts; write a later time"


def _traffic(scenario: Scenario) -> Iterator[Flaw]:
    known = list(topology.nodes(scenario))
    for table in ("tcp", "udp"):
        for key, group in getattr(scenario, table).items():
            pair = (("from", group.source), ("to", group.sink))
            missing = [
                flaw
                for end, node in pair
                for flaw in _known((table, key, end), node, known, "node")
            ]
            yield from missing
            if not missing and group.source == group.sink:
                yield (table, key, "to"), "it sends to itself; name another node"
            elif not missing and not topology.route(scenario, group.source, group.sink):
                where = f"from {group.source!r} to {group.sink!r}"
                yield (table, key, "to"), f"no link leads {where}; add one"


def _windows(scenario: Scenario) -> Iterator[Flaw]:
    """A receiver's buffer holds at least one segment."""
    for key, tcp in scenario.tcp.items():
        places: list[tuple[Path, str]] = [(("tcp", key, "window"), tcp.window or AUTO)]
        if tcp.window is None:
            receivers = enumerate(scenario.sweep.receivers)
            places = [(("sweep", "receivers", index), text) for index, text in receivers]
        least = f"one segment of tcp.{key} has {tcp.segment}"
        for path, text in places:
            if text == AUTO and tcp.window_max < tcp.segment:
                yield ("tcp", key, "window_max"), f"{least} bytes; write at least '{tcp.segment}B'"
            elif text != AUTO and int(text) < tcp.segment:
                yield path, f"{text} is too small: {least} bytes; write at least '{tcp.segment}'"


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
        yield ("sweep", "seeds"), f"{runs:,} runs in all; at most {MOST_RUNS:,}: write fewer"
    most = max(sweep.flows)
    for path, message in bounds.too_much(scenario, most):
        swept = path == ("tcp",)
        yield (("sweep", "flows", sweep.flows.index(most)) if swept else path), message


def _paper(scenario: Scenario) -> Iterator[Flaw]:
    paper = scenario.paper
    if not paper:
        return
    known = list(methods_of(scenario))
    tables: tuple[tuple[str, Sequence[PaperValue | PaperOrder | PaperChange]], ...] = (
        ("value", paper.value),
        ("order", paper.order),
        ("change", paper.change),
    )
    for table, entries in tables:
        for index, entry in enumerate(entries):
            path = ("paper", table, index)
            yield from _known((*path, "column"), entry.column, list(COLUMNS), "column")
            yield from _known((*path, "method"), entry.method, known, "method")
    rivals: tuple[tuple[str, Sequence[PaperOrder | PaperChange]], ...] = (
        ("order", paper.order),
        ("change", paper.change),
    )
    for table, listed in rivals:
        for index, item in enumerate(listed):
            for place, other in enumerate(item.others):
                there = ("paper", table, index, "others", place)
                yield from _known(there, other, known, "method")
    for index, gain in enumerate(paper.capacity):
        path = ("paper", "capacity", index)
        yield from _known((*path, "method"), gain.method, known, "method")
        yield from _known((*path, "over"), gain.over, ["best", *known], "method")


_CHECKS: Final[tuple[Callable[[Scenario], Iterator[Flaw]], ...]] = (
    variants.flaws,
    _methods,
    _parameters,
    _variant_parameters,
    _links,
    _parallel,
    _media,
    changes.links,
    _gateways,
    _measured,
    _traffic,
    users.sources,
    mobility.flaws,
    _ways,
    _segments,
    _windows,
    _times,
    _sweep,
    _paper,
)


def first_flaw(scenario: Scenario) -> Flaw | None:
    """The first thing that is wrong between the tables, or None."""
    for check in _CHECKS:
        for flaw in check(scenario):
            return flaw
    return None
