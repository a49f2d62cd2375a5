# SPDX-License-Identifier: GPL-2.0-only
"""What is valid and yet cannot do what it seems to: notes for the user, no errors."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from penstock.scenario import topology, units
from penstock.scenario.model import Back, Gateway, Scenario
from penstock.scenario.variants import methods_of

_OFF: Final = 0.05  # a told rate this far from a trace's mean is another one

Place = tuple[str, str]  # a link's name and direction


def _rate_bps(scenario: Scenario, place: Place) -> int:
    """What a direction carries on average; 0 if nobody knows."""
    link = scenario.link[place[0]]
    back = link.back if place[1] == "back" else Back()
    trace = back.trace if place[1] == "back" else link.trace
    if trace:
        return trace.mean_bps
    return back.rate or link.rate or 0


def _form(rate_bps: int) -> str:
    return units.form(units.RATE, round(rate_bps, -4))


def _traces(scenario: Scenario) -> Iterator[str]:
    for name, link in scenario.link.items():
        for direction, trace in (("forward", link.trace), ("back", link.back.trace)):
            told = (link.back.rate if direction == "back" else None) or link.rate
            if not trace or not told or abs(told - trace.mean_bps) <= _OFF * trace.mean_bps:
                continue
            key = f"link.{name}{'.back' if direction == 'back' else ''}"
            yield (
                f"{key}: packets leave as its trace says, {_form(trace.mean_bps)} in the mean; "
                f"rate = {units.form(units.RATE, told)} does not scale that, and is only what a "
                "gateway there is told"
            )


def _routes(scenario: Scenario) -> list[list[Place]]:
    every = [*scenario.tcp.values(), *scenario.udp.values()]
    return [topology.route(scenario, group.source, group.sink) for group in every]


def _rewrites(scenario: Scenario, gateway: Gateway, methods: Collection[str]) -> bool:
    known = methods_of(scenario)
    named = [gateway.method] if gateway.method else methods
    return any(known[name].rewrites for name in named if name in known)


def _series(scenario: Scenario, methods: Collection[str]) -> Iterator[str]:
    """Gateways that rewrite the ACKs of the same connections."""
    measured = topology.measured(scenario)[0]
    seen = set()
    for key, tcp in scenario.tcp.items():
        route = topology.route(scenario, tcp.source, tcp.sink)
        both = [
            name
            for name, gateway in scenario.gateway.items()
            if (gateway.link, gateway.direction) in route and _rewrites(scenario, gateway, methods)
        ]
        if len(both) > 1 and tuple(both) not in seen:
            seen.add(tuple(both))
            yield (
                f"gateways {' and '.join(both)} rewrite the ACKs of tcp.{key} one after the other, "
                "and the smaller window holds; the columns are about link."
                f"{measured}, --gateway NAME of `penstock table` and `plot` about another"
            )


def _idle(scenario: Scenario) -> Iterator[str]:
    """Gateways whose queue stays empty, as all that crosses their link meets a slower one."""
    routes = _routes(scenario)
    for name, gateway in scenario.gateway.items():
        place = gateway.link, gateway.direction
        changed = [each.rate for each in scenario.link[place[0]].change or () if each.rate]
        own = min([_rate_bps(scenario, place), *changed])
        crossing = [route for route in routes if place in route]
        slower = [_before(scenario, route, place, own) for route in crossing]
        first = slower[0] if slower else None
        rates = [_rate_bps(scenario, each) for each in set(slower) if each]
        if own and first and all(slower) and sum(rates) < own and gateway.source != "upstream":
            yield (
                f"gateway.{name}: all that reaches link.{place[0]} ({_form(own)}) has crossed "
                f"link.{first[0]} before ({_form(_rate_bps(scenario, first))}), so no queue forms "
                "there for its method to act on"
            )


def _before(scenario: Scenario, route: Sequence[Place], place: Place, own: int) -> Place | None:
    """The slowest single link on the way to that place, if it is slower than its own."""
    ends = topology.nodes(scenario)
    rates = {
        each: _rate_bps(scenario, each)
        for each in route[: route.index(place)]
        if all(ends.get(node) == 1 for node in topology.ends(scenario, each[0]))
    }
    slower = [each for each, rate in rates.items() if 0 < rate < own]
    return min(slower, key=lambda each: rates[each], default=None)


def notes(scenario: Scenario, methods: Collection[str]) -> list[str]:
    """Each as one sentence."""
    return [*_traces(scenario), *_series(scenario, methods), *_idle(scenario)]
