# SPDX-License-Identifier: GPL-2.0-only
"""What would never end, fill the memory or be refused by the engine is refused when it is read."""

import copy
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import event, given, settings
from hypothesis import strategies as st
from lab_support import SMALL, Run

from penstock.errors import Exit, UserError
from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.scenario import bounds, params
from penstock.scenario.check_traffic import passes_no_gateway
from penstock.scenario.read import read

UDP = '[udp.cross]\nfrom = "left"\nto = "right"\nrate = "1mbit"\npayload = "1000B"\n'

TOO_MUCH = [
    ("tcp.bulk.rto_initial", "0s", "from 1ms to 1000s"),
    ("tcp.bulk.rto_max", "1ns", "from 1s to 1000s"),
    ("tcp.bulk.window_max", "2GiB", "from 1B to"),
    ("tcp.bulk.window_max", "100B", "write at least '1448B'"),
    ("tcp.bulk.segment", "65001B", "from 1B to 65kB"),
    ("tcp.bulk.start", "100000s", "the run ends at time.limit = '100000s'"),
    ("sample.interval", "1ns", "write '10ms'"),
    ("sample.interval", "1us", "write '10ms'"),
    ("link.bottleneck.rate", "1bit", "from 1kbit"),
    ("link.bottleneck.delay", "1h", "at most 1000s"),
    ("link.bottleneck.delay", "1s..1h", "at most 1000s"),
    ("link.bottleneck.back.delay", "1h", "from 0ns to 1000s"),
    ("link.bottleneck.mtu", "67B", "from 68B to 65535B"),
    ("link.bottleneck.overhead", "1GB", "from 0B to 255B"),
    ("sweep.receivers", '["1"]', "write at least '1448'"),
    ("sweep.receivers", '["auto", "10B"]', "write at least '1448'"),
    ("tcp.bulk.window", "10B", "write at least '1448'"),
    ("sweep.seeds", "100000", "8,000,000 runs in all; at most 1,000,000"),
    ("time.warm_up", "100000s", "the run ends at time.limit"),
    ("udp.cross.rate", "1gbit", "nothing limits its queue"),
    ("udp.cross.payload", "65001B", "from 1B to 65kB"),
    ("udp.cross.start", "100000s", "the run ends at time.limit"),
]


def with_values(tmp_path: Path, text: str, *sets: tuple[str, str]) -> None:
    path = tmp_path / "bounds.toml"
    path.write_text(text)
    read(str(path), sets)


@pytest.mark.parametrize(("key", "value", "hint"), TOO_MUCH)
def test_one_quantity_is_bounded(tmp_path: Path, key: str, value: str, hint: str) -> None:
    text = SMALL + (UDP if "udp" in key else "")
    if key == "udp.cross.rate":
        text = text.replace('from = "left"', 'from = "senders"')
    if key == "sweep.seeds":
        text = text.replace("flows = [3]", f"flows = {list(range(1, 21))}")
    with pytest.raises(UserError) as caught:
        with_values(tmp_path, text, (key, value))
    message = str(caught.value)
    assert key.rpartition(".")[0] in message
    assert hint in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("sets", "hint"),
    [
        (
            [("tcp.bulk.size", "1TiB"), ("tcp.bulk.segment", "1B")],
            "packets until time.limit = '100000s'; at most 1e+11",
        ),
        ([("udp.cross.rate", "8gbit"), ("udp.cross.payload", "1B")], "packets until time.limit"),
        (
            [("udp.cross.rate", "65gbit"), ("udp.cross.payload", "1B")],
            "in a nanosecond; at most '64g",
        ),
        ([("topology.nodes", "{a = 1000000, b = 1000000, c = 1000000, d = 1000000}")], "nodes"),
        ([("sweep.flows", "[1000000]"), ("udp.cross.count", "1")], "1,000,001 flows in all"),
    ],
)
def test_together_they_are_bounded(tmp_path: Path, sets: list[tuple[str, str]], hint: str) -> None:
    text = SMALL.replace("100mbit", "10tbit").replace("10mbit", "10tbit") + UDP
    text = text.replace('[sample]\ninterval = "100ms"\n', "")
    with pytest.raises(UserError) as caught:
        with_values(tmp_path, text, *sets)
    assert hint in str(caught.value)


def test_flows_of_all_groups_are_counted_together(tmp_path: Path) -> None:
    other = '[tcp.other]\nfrom = "senders"\nto = "receivers"\nsize = "1kB"\n'
    with_values(tmp_path, SMALL + other, ("sweep.flows", "[1, 500000]"))
    with pytest.raises(UserError, match=r"sweep\.flows\.1: 1,000,002 flows in all"):
        with_values(tmp_path, SMALL + other, ("sweep.flows", "[1, 500001]"))


def test_routes_of_hosts_with_several_links(tmp_path: Path) -> None:
    two = '[link.second]\nfrom = "receivers"\nto = "extra"\nrate = "1mbit"\ndelay = "1ms"\n'
    two += "[topology.nodes]\nextra = 1\n"
    with_values(tmp_path, SMALL + two, ("sweep.flows", "[1000]"))
    with pytest.raises(UserError, match="give each host one link"):
        with_values(tmp_path, SMALL + two, ("sweep.flows", "[20000]"))


def test_a_shipped_bound_is_the_limit_itself(tmp_path: Path) -> None:
    """100,000 s of 5 values at 10 ms are as many as are kept."""
    assert bounds.MOST_KEPT == 10**5 * 100 * 5
    with_values(tmp_path, SMALL, ("sample.interval", "10ms"))


def test_what_needs_another_backend(penstock: Run, small: Path) -> None:
    for verb in ("validate", "run"):
        done = penstock(verb, small, "--set", "tcp.bulk.congestion=kernel:bbr")
        assert done.returncode == Exit.CONFIG
        assert "--set tcp.bulk.congestion: 'kernel:bbr' is Linux' own" in done.stderr
        assert "add --backend live" in done.stderr
    done = penstock("run", small, "-m", "kernel:fq_codel")
    assert done.returncode == Exit.BACKEND_MISSING
    small.write_text(SMALL + '[time]\nwarm_up = "1s"\n')
    done = penstock("validate", small, "--backend", "ns3")
    assert done.returncode == Exit.CONFIG
    where = f"{small}:{small.read_text().count(chr(10))}: time.warm_up:"
    assert done.stderr.startswith(f"penstock: {where} the ns3 backend counts from the start")
    assert penstock("validate", small, "--backend", "ns4").returncode == Exit.BACKEND_MISSING


def test_what_the_command_line_gives_is_named_by_its_option(penstock: Run, small: Path) -> None:
    done = penstock("run", small, "--receivers", "65535,10B")
    assert done.returncode == Exit.USAGE
    assert done.stderr.startswith("penstock: --receivers 10B: 10 is too small")


def test_a_parallel_link_is_refused(tmp_path: Path) -> None:
    more = '[link.spare]\nfrom = "right"\nto = "left"\nrate = "1mbit"\ndelay = "1ms"\n'
    with pytest.raises(UserError, match="link 'bottleneck' joins 'left' and 'right' already"):
        with_values(tmp_path, SMALL + more)


def test_a_gateway_that_no_data_passes(penstock: Run, tmp_path: Path, small: Path) -> None:
    with pytest.raises(UserError, match=r"gateway\.left\.link: no data goes back .*'forward'"):
        with_values(tmp_path, SMALL, ("gateway.left.direction", "back"))
    other = '[tcp.beside]\nfrom = "senders"\nto = "left"\nsize = "1kB"\n'
    small.write_text(SMALL + other)
    assert passes_no_gateway(read(str(small)).scenario) == ["beside"]
    done = penstock("validate", small)
    assert done.returncode == Exit.OK
    assert done.stderr == "penstock: tcp.beside passes no gateway; no method will change it\n"


# What validate accepts, run plays: a plain scenario with some values from the ends of the ranges.

PLAIN = {
    "scenario": {"title": "plain"},
    "sweep": {"methods": ["ewt"], "flows": [3]},
    "topology": {"shape": "dumbbell", "nodes": {"extra": 1}},
    "link": {
        "access": {"rate": "1gbit", "delay": "0s"},
        "bottleneck": {"rate": "10mbit", "delay": "1ms", "queue": "100kB"},
        "egress": {"rate": "1gbit", "delay": "0s"},
    },
    "gateway": {"g": {"link": "bottleneck"}},
    "tcp": {"t": {"size": "30kB", "from": "senders", "to": "receivers"}},
    "time": {"limit": "100ms"},
}
TIMES = ["0s", "1ns", "1us", "1ms", "40ms", "1s", "999s", "1000s", "1h"]
SPANS = [*TIMES, "0s..1ms", "1ms..2h"]
RATES = ["1bit", "1kbit", "64kbit", "10mbit", "1gbit", "10tbit"]
SIZES = ["1B", "39B", "40B", "68B", "255B", "256B", "1447B", "1448B", "1460B", "9000B", "65kB"]
SIZES += ["65495B", "65535B", "100kB", "1MB", "1TiB"]
WINDOWS = [*SIZES, "auto", "65535", "1"]
COUNTS = [1, 2, 99, 1 << 30]
NODES = ["senders", "left", "right", "receivers", "extra"]
FLAGS = [True, False]

DIRECTION = {
    "rate": RATES,
    "mtu": SIZES,
    "overhead": SIZES,
    "queue": SIZES,
    "queue_packets": COUNTS,
    "loss": [0.0, 0.01, 0.5, 0.999],
}
TCP = {
    "count": [1, 3, "flows"],
    "size": SIZES[:-1],
    "start": SPANS,
    "segment": SIZES,
    "congestion": ["cubic", "newreno", "kernel:bbr"],
    "window": WINDOWS,
    "window_max": SIZES,
    "from": NODES,
    "to": NODES,
    **dict.fromkeys(["rto_initial", "rto_min", "rto_max", "delayed_ack_timeout"], TIMES),
    **dict.fromkeys(
        ["sack", "timestamps", "ecn", "nagle", "pacing", "window_scale", "controlled"], FLAGS
    ),
    **dict.fromkeys(["hold_cwnd", "repeat_syn_ack"], FLAGS),
    "growth": ["bytes", "acks"],
    "initial_ssthresh": [2, 44, 1_000_000],
    "delayed_ack": [1, 2, 100],
    "initial_window": [1, 10, 1000],
}
REQUIRED = {
    "udp.u": {"from": "senders", "to": "right", "rate": "64kbit", "payload": "1000B"},
    "link.extra": {"from": "right", "to": "extra", "rate": "1mbit", "delay": "1ms"},
    "sample": {"interval": "1ms"},
}
VALUES: dict[str, list[Any]] = {
    "sweep.methods": [[method] for method in params.methods()],
    "sweep.receivers": [[window] for window in WINDOWS],
    "topology.nodes.extra": [1, 2, 3, "flows"],
    **{f"tcp.t.{key}": values for key, values in TCP.items()},
    **{
        f"link.{name}.{key}": values
        for name in ("access", "bottleneck", "egress", "extra")
        for key, values in (*DIRECTION.items(), ("delay", SPANS))
    },
    **{
        f"link.bottleneck.back.{key}": values
        for key, values in (*DIRECTION.items(), ("delay", TIMES))
    },
    "link.extra.from": NODES,
    "link.extra.to": NODES,
    "gateway.g.link": ["bottleneck", "access", "egress", "extra"],
    "gateway.g.direction": ["forward", "back"],
    "udp.u.from": NODES,
    "udp.u.to": NODES,
    "udp.u.rate": RATES[:-2],
    "udp.u.payload": SIZES,
    "udp.u.start": SPANS,
    "udp.u.stop": TIMES,
    "time.warm_up": TIMES,
    "sample.until": TIMES,
    "sample.flows": [1, 2, 1000],
}
CHANGES = [(key, value) for key, values in VALUES.items() for value in values]


def changed(changes: list[tuple[str, Any]]) -> str:
    """The plain scenario with these values in it, as TOML."""
    tables = copy.deepcopy(PLAIN)
    for key, value in changes:
        *outer, last = key.split(".")
        table: dict[str, Any] = tables
        for depth, part in enumerate(outer, start=1):
            base = REQUIRED.get(".".join(outer[:depth]), {})
            table = table.setdefault(part, dict(base))
        table[last] = value
    return tomli_w.dumps(tables)


def play(text: str) -> bool:
    """Plays what is accepted; False if it is refused, in one line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.toml"
        path.write_text(text)
        try:
            scenario = read(str(path)).scenario
            backends.check("sim", scenario)
        except UserError as error:
            assert error.code in (Exit.CONFIG, Exit.BACKEND_MISSING)
            assert "\n" not in str(error)
            return False
    method, receivers = scenario.sweep.methods[0], scenario.sweep.receivers[0]
    cell = Cell(scenario, method, "safe", receivers, 3, 1, sampled=scenario.sample is not None)
    try:
        backends.get("sim").run(cell)
    except ValueError as error:
        assert "make time.warm_up shorter" in str(error)  # known only after the run
    return True


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(CHANGES), max_size=8))
def test_what_is_accepted_is_played(changes: list[tuple[str, Any]]) -> None:
    event("accepted" if play(changed(changes)) else "refused")


@pytest.mark.parametrize("key", VALUES)
def test_each_value_alone_is_refused_or_played(key: str) -> None:
    accepted = [play(changed([(key, value)])) for value in VALUES[key]]
    assert any(accepted) or key.endswith((".queue", ".queue_packets"))
