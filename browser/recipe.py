# SPDX-License-Identifier: GPL-2.0-only
"""What the page knows of the lab: scenarios/link.toml as it is built, methods, and columns."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock import _native
from penstock.columns import COLUMNS
from penstock.plan import build, streams
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp, Wire
from penstock.scenario import headers, params, topology
from penstock.scenario.model import Scenario
from penstock.scenario.read import read, shipped

METHODS: Final = ("droptail", "ewt", "penstock")  # that a first visit shows
SENDERS: Final = (
    *("cubic", "newreno", "reno", "bbr", "bbr3", "bic", "copa", "highspeed", "scalable", "vegas"),
    *("westwood_plus", "log_westwood_plus", "scalable_westwood", "dctcp", "prague"),
)
WINDOWS: Final = ("auto", "65535")
_TWO: Final = 2  # connections, so that what there is one of for each shows itself
_TITLES: Final = {
    "loss_percent": "packets lost (%)",
    "goodput_mbps_total": "carried in all (Mbit/s)",
    "transfer_s_max": "slowest transfer (s)",
    "jain": "fairness",
    "queue_delay_ms_mean": "delay in the queue (ms)",
    "queue_delay_ms_p99": "99th percentile (ms)",
    "timeouts": "time-outs",
    "utilisation_percent": "link in use (%)",
}


def _built(scenario: Scenario, method: str, window: str) -> Built:
    return build.build(Cell(scenario, method, "safe", window, _TWO, 1, sampled=True))


def _first(built: Built) -> Tcp:
    first = built.network.traffic[0]
    assert isinstance(first, Tcp)
    return first


def _nodes(built: Built) -> list[dict[str, Any]]:
    return [{"name": name, "many": len(row) > 1} for name, row in built.nodes.items()]


def _wire(wire: object) -> dict[str, Any]:
    """What a link has beside its ends; one that cannot be written is not of this scenario."""
    assert isinstance(wire, Wire)
    for name in ("changes", "trace_ms", "drop_data_packets"):
        assert not getattr(wire, name), name
    return wire.fields()


def _links(scenario: Scenario, built: Built) -> list[dict[str, Any]]:
    wires = built.network.links
    return [
        {
            "name": name,
            "ends": topology.ends(scenario, name),
            "forward": _wire(wires[built.links[name, "forward"][0]]),
            "back": _wire(wires[built.links[name, "back"][0]]),
        }
        for name in scenario.link
    ]


def _beside(own: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if value != usual[name]}


def _methods(scenario: Scenario) -> dict[str, Any]:
    """Each method's gateway, and what it asks of the hosts."""
    usual = _first(_built(scenario, "droptail", "auto"))
    found = {}
    for name, variant in params.methods().items():
        built = _built(scenario, name, "auto")
        (gateway,) = built.network.gateways
        fields = dataclasses.asdict(gateway)
        assert not fields.pop("params")
        assert fields.pop("link") == built.measured
        first = _first(built)
        found[name] = {
            "label": variant.label,
            "colour": variant.colour,
            "gateway": fields,
            "sender": _beside(vars(first.sender), vars(usual.sender)),
            "receiver": _beside(vars(first.receiver), vars(usual.receiver)),
        }
    return found


def _hosts(scenario: Scenario) -> dict[str, Any]:
    """What a sender needs of both ends, if it needs any."""
    usual = _first(_built(scenario, "droptail", "auto"))
    found = {}
    for name in filter(params.needs_ecn, SENDERS):
        bulk = scenario.tcp["bulk"].model_copy(update={"congestion": name})
        first = _first(
            _built(scenario.model_copy(update={"tcp": {"bulk": bulk}}), "droptail", "auto")
        )
        own = _beside(vars(first.sender), vars(usual.sender))
        for field in ("method", "params"):
            own.pop(field, None)
        found[name] = {
            "sender": own,
            "receiver": _beside(vars(first.receiver), vars(usual.receiver)),
        }
    return found


# The time of a run is not its result; the others need the distribution of delays, which the page
# does not keep.
_ABSENT: Final = ("wall_s", "rpm", "qoo_percent")


def _columns() -> list[dict[str, str]]:
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "better": column.better,
            "title": _TITLES.get(column.name, ""),
            "definition": column.definition if column.name in _TITLES else "",
        }
        for column in COLUMNS
        if column.name not in _ABSENT
    ]


def _counters(rows: Iterable[_native.Counter]) -> list[dict[str, Any]]:
    return [{"name": row.name, "column": row.column} for row in rows]


def _figures(rows: Iterable[_native.Figure]) -> list[dict[str, Any]]:
    return [{"name": row.name, "column": row.column, "factor": row.factor} for row in rows]


def _start(scenario: Scenario) -> dict[str, int]:
    span = scenario.tcp["bulk"].start
    return {
        "first_ns": span.first_ns,
        "last_ns": span.last_ns,
        "purpose": streams.START_TIMES,
    }


def recipe() -> dict[str, Any]:
    """The data of the page."""
    scenario = read("link").scenario
    built, bulk = _built(scenario, "droptail", "auto"), scenario.tcp["bulk"]
    link, _ = topology.measured(scenario)
    bottleneck = scenario.link[link]
    assert scenario.sample is not None
    assert bottleneck.delay is not None
    windows = {each: _first(_built(scenario, "droptail", each)).receiver for each in WINDOWS}
    return {
        "nodes": _nodes(built),
        "links": _links(scenario, built),
        "measured": link,
        "source": bulk.source,
        "sink": bulk.sink,
        "start": _start(scenario),
        "sender": dataclasses.asdict(_first(built).sender) | {"recovery_timer": "standard"},
        "receivers": {name: dataclasses.asdict(each) for name, each in windows.items()},
        "senders": SENDERS,
        "hosts": _hosts(scenario),
        "sample_ns": scenario.sample.interval,
        "limit_ns": scenario.time.limit,
        "segment_bytes": bulk.segment,
        "headers_bytes": headers.IP_TCP_BYTES + headers.TIMESTAMPS_BYTES,
        "mode": "safe",
        "methods": _methods(scenario),
        "columns": _columns(),
        "counters": {
            "sender": _counters(_native.sender_counters()),
            "receiver": _counters(_native.receiver_counters()),
            "queue": _counters(_native.queue_counters()),
        },
        "figures": _figures([*_native.queue_figures(), *_native.link_figures()]),
        "template": shipped()["link"].read_text(encoding="utf-8"),
        "settings": {
            "rate": bottleneck.rate,
            "rtt": 2 * bottleneck.delay.first_ns,
            "buffer": bottleneck.queue,
            "flows": scenario.sweep.flows[0],
            "size": bulk.size,
            "window": scenario.sweep.receivers[0],
            "congestion": bulk.congestion,
            "seed": 1,
            "methods": METHODS,
        },
    }
