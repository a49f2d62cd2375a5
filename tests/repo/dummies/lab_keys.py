# SPDX-License-Identifier: GPL-2.0-only
"""What the lab makes of other tables of keys, given as JSON: tests/repo/test_new_rows.py."""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from penstock import _native

for table, rows in json.loads(Path(sys.argv[1]).read_text()).items():
    given = [SimpleNamespace(**row) for row in rows]
    setattr(_native, table, lambda given=given: given)

import gen_scenario_docs  # noqa: E402 - what was imported before would have the built tables

from penstock.errors import UserError  # noqa: E402
from penstock.plan.build import build, clock  # noqa: E402
from penstock.plan.cells import Cell  # noqa: E402
from penstock.plan.network import Clock, Mobility, Network  # noqa: E402
from penstock.runs import backends  # noqa: E402
from penstock.runs.backends import ns3_text, sim_network  # noqa: E402
from penstock.runs.live import network, plan  # noqa: E402
from penstock.scenario import model  # noqa: E402
from penstock.scenario.read import read  # noqa: E402
from penstock.scenario.schema import schema  # noqa: E402

PLAIN = """
[scenario]
title = "dummies"
[sweep]
methods = ["droptail"]
flows = [1]
receivers = ["65535"]
[topology]
shape = "dumbbell"
[link.access]
rate = "100mbit"
delay = "1ms"
[link.bottleneck]
rate = "10mbit"
delay = "1ms"
queue = "60kB"
[link.egress]
rate = "100mbit"
delay = "1ms"
[gateway.left]
link = "bottleneck"
[tcp.bulk]
from = "senders"
to = "receivers"
size = "1MB"
"""


def cell(lines: str, plain: str = PLAIN) -> Cell:
    """A cell of the plain scenario with more keys at its end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dummies.toml"
        path.write_text(plain + lines)
        return Cell(read(str(path)).scenario, "droptail", "safe", "65535", 1, 1)


def refused(lines: str, plain: str = PLAIN) -> str:
    """Why it is not read."""
    try:
        cell(lines, plain)
    except UserError as error:
        return str(error)
    return ""


LINK = "dummy = 0.5\ndummies = 4\nback = { dummy = 0.25 }\n"


def linked(lines: str) -> str:
    """The plain scenario with more keys of its bottleneck."""
    return PLAIN.replace('queue = "60kB"\n', f'queue = "60kB"\n{lines}')


def users(lines: str) -> str:
    """The plain scenario with users of the web, and more keys of their traffic."""
    return PLAIN.replace('size = "1MB"', f'[tcp.bulk.traffic]\nkind = "web"\n{lines}')


def datagrams(lines: str) -> str:
    """A source of UDP with more keys."""
    head = '[udp.u]\nfrom = "senders"\nto = "receivers"\nrate = "1mbit"\npayload = "972B"\n'
    return f"{head}{lines}\n"


def source(lines: str) -> dict[str, Any]:
    """What the simulator is told of these users."""
    with mock.patch.object(_native, "Source") as made:
        sim_network._source(cell("", users(lines)).scenario.tcp["bulk"].traffic)
    fields: dict[str, Any] = made.web.call_args.kwargs
    return fields


def moves() -> dict[str, float]:
    """What the simulator is told of receivers that move, without their cells; constants."""
    times = {"dwell": "1s", "outage": "2s", "dummy": "3s"}
    table = model.Mobility.model_validate({"cells": ["a", "b"], **times})
    with mock.patch.object(_native, "Network") as made:
        sim_network.make(Network(1, mobility=Mobility([0, 1], table)))
    fields = made.return_value.mobility.call_args.kwargs
    return {name: each.draw(1, 1, 1)[0] for name, each in fields.items()}


def timed(lines: str) -> Cell:
    """The plain scenario with keys of its clock and its samples."""
    return replace(cell(lines), sampled=True)


TIMED = timed('[time]\ndummy = "7ns"\n[sample]\ninterval = "1s"\ndummies = 4\n')
UNSAID = timed('[sample]\ninterval = "1s"\n')
WRONG = (
    '[time]\ndummy = "11ns"\n',
    '[sample]\ninterval = "1s"\ndummies = 10\n',
    '[mobility]\ncells = ["a", "b"]\ndwell = "1s"\noutage = "1s"\n',
)
web = cell("", users("")).scenario.tcp["bulk"].traffic
set_ = cell('dummy = "7ns"\ndummy_flag = true\n')
plain, built = cell(""), build(set_)
(tcp,) = built.network.flows
flows = plan.plan(set_).flows
found = {
    "schema": schema()["$defs"]["Tcp"]["properties"],
    "defaults": [plain.scenario.tcp["bulk"].dummy, plain.scenario.tcp["bulk"].dummy_flag],
    "refused": [refused('dummy = "11ns"\n'), refused("dummy_flag = 3\n")],
    "sender": tcp.sender.fields(),
    "receiver": tcp.receiver.fields(),
    "ns3": ns3_text.description(build(plain).network, Clock(1), ns3_text.Options()),
    "ns3_lacks": [message for _, message in backends.lacks("ns3", set_.scenario)],
    "sysctl": network._tcp_settings("senders", flows)["net.ipv4.tcp_dummy"],
    "route": network._route_options("senders", flows),
    "link": {name: schema()["$defs"][name]["properties"] for name in ("Link", "Back")},
    "link_refused": [refused("", linked(f"{bad}\n")) for bad in ("dummy = 2", "dummies = 10")],
    "wires": [wire.fields() for wire in build(cell("", linked(LINK))).network.links[2:4]],
    "traffic": schema()["$defs"]["Traffic"]["properties"],
    "source": {"dummy": [web.dummy.name, web.dummy.values], "dummies": web.dummies},
    "traffic_refused": [
        refused("", users(f"{bad}\n")) for bad in ('dummies = "1B"', 'dummy = "normal(1s)"')
    ],
    "users": [source(lines)["dummy_turns"] for lines in ("", "turns = 3\n")],
    "run": {
        name: schema()["$defs"][name]["properties"] for name in ("Clock", "Sample", "Mobility")
    },
    "clocks": [clock(each).fields() for each in (UNSAID, TIMED)],
    "samples": [build(each).network.sample.fields() for each in (UNSAID, TIMED)],
    "moves": moves(),
    "run_refused": [refused(lines) for lines in WRONG],
    "ns3_run": ns3_text.description(
        build(TIMED).network, clock(TIMED), ns3_text.Options()
    ).splitlines(),
    "udp": schema()["$defs"]["Udp"]["properties"],
    "sources": [
        build(cell(datagrams(f"dummies = 4{more}"))).network.flows[1].fields()
        for more in ("", "\ndummy = 0.29")
    ],
    "udp_refused": [
        refused(datagrams(bad))
        for bad in ("", "dummies = 4\ndummy = 3", 'dummies = 4\ntimer = "impatient"')
    ],
    "ns3_udp": ns3_text.description(
        build(cell(datagrams("dummies = 4"))).network, Clock(1), ns3_text.Options()
    ),
    "page": gen_scenario_docs.filled(gen_scenario_docs.PAGE.read_text()),
}
print(json.dumps(found))
