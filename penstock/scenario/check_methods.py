# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the methods, congestion controls and parameters that a scenario names."""

from collections.abc import Iterator

from penstock.scenario import params
from penstock.scenario.flaw import Flaw, unknown
from penstock.scenario.model import Scenario
from penstock.scenario.variants import methods_of


def _methods(scenario: Scenario) -> Iterator[Flaw]:
    known = list(methods_of(scenario))
    for index, name in enumerate(scenario.sweep.methods):
        yield from unknown(("sweep", "methods", index), name, known, "method")
    for key, gateway in scenario.gateway.items():
        if gateway.method:
            yield from unknown(("gateway", key, "method"), gateway.method, known, "method")
    senders = list(params.senders())
    sharings = list(params.sharings())
    for key, tcp in scenario.tcp.items():
        if tcp.sharing:
            yield from unknown(("tcp", key, "sharing"), tcp.sharing, sharings, "way of sharing")
        where = ("tcp", key, "congestion")
        if tcp.congestion.startswith(params.KERNEL):
            continue
        yield from unknown(where, tcp.congestion, senders, "congestion control")


def _opened(scenario: Scenario) -> Iterator[Flaw]:
    """Receivers that open connections whose senders have to."""
    known = methods_of(scenario)
    swept = [known[name].sender for name in scenario.sweep.methods if name in known]
    for key, tcp in scenario.tcp.items():
        if tcp.opened_by == "receiver":
            for why in filter(None, map(params.only_opens, (tcp.congestion, *swept))):
                yield ("tcp", key, "opened_by"), why


def _window_option(scenario: Scenario) -> Iterator[Flaw]:
    """Segments have one header for routers, which a SYN of the sender begins."""
    for key, tcp in scenario.tcp.items():
        if not tcp.window_option:
            continue
        if params.only_opens(tcp.congestion):
            why = f"{tcp.congestion} has a header of its own; leave this out"
            yield ("tcp", key, "window_option"), why
        if tcp.opened_by == "receiver":
            why = "the sender's SYN begins the header; write opened_by = 'sender', or leave it out"
            yield ("tcp", key, "opened_by"), why


def _sharing(scenario: Scenario) -> Iterator[Flaw]:
    """Who sends at a measured rate has no window that others could have."""
    at_rate = {name for name, sender in params.senders().items() if sender.rate}
    why = "sets its window by the rate that it measures; leave this out"
    for key, tcp in scenario.tcp.items():
        if tcp.sharing and tcp.congestion in at_rate:
            yield ("tcp", key, "sharing"), f"{tcp.congestion} {why}"
    for name, own in scenario.variant.items():
        senders = {own.sender} if own.sender else {tcp.congestion for tcp in scenario.tcp.values()}
        for sender in sorted(at_rate & senders):
            if own.sharing:
                yield ("variant", name, "sharing"), f"{sender} {why}"


def _parameters(scenario: Scenario) -> Iterator[Flaw]:
    for table, registry, what in (
        ("method", methods_of(scenario), "method"),
        ("sender", params.senders(), "congestion control"),
    ):
        for name, given in getattr(scenario, table).items():
            if name not in registry:
                yield from unknown((table, name), name, list(registry), what)
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


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Names that there are, with values that they take."""
    yield from _methods(scenario)
    yield from _opened(scenario)
    yield from _window_option(scenario)
    yield from _sharing(scenario)
    yield from _parameters(scenario)
    yield from _variant_parameters(scenario)
