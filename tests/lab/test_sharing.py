# SPDX-License-Identifier: GPL-2.0-only
"""What connections of one host share, from the scenario to the simulator."""

import json
from pathlib import Path

import pytest
from lab_support import long_path
from typer.testing import CliRunner

from penstock.cli import app
from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.runs.backends import sim

TRAFFIC = """
[tcp.long]
from = "senders"
to = "receivers"
size = "5MB"

[tcp.short]
from = "senders"
to = "receivers"
size = "200kB"
start = "20s"
"""


def load(tmp_path: Path, *sets: tuple[str, str]) -> Cell:
    return long_path(tmp_path, TRAFFIC, ("link.bottleneck.queue", "500kB"), *sets)


def share(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"tcp.{group}.sharing", name) for group in ("long", "short"))


def transfer_s(cell: Cell) -> float:
    """The mean over both transfers, of which only the short one's varies."""
    return float(sim.backend().run(cell).columns["transfer_s"] or 0)


def test_a_connection_starts_where_the_one_before_ended(tmp_path: Path) -> None:
    plain = transfer_s(load(tmp_path))
    # Slow start takes three round trips of 80 ms more; the mean is over two transfers.
    assert transfer_s(load(tmp_path, *share("tcbi_temporal"))) < plain - 0.04
    assert transfer_s(load(tmp_path, *share("efcm"))) == plain  # the other is over by then


def test_connections_that_share_with_nobody_are_as_before(tmp_path: Path) -> None:
    plain = transfer_s(load(tmp_path))
    assert transfer_s(load(tmp_path, ("tcp.short.sharing", "tcbi_temporal"))) == plain


def test_names_are_checked_and_backends_refuse(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="way of sharing 'efcn'"):
        load(tmp_path, ("tcp.long.sharing", "efcn"))
    scenario = load(tmp_path, ("tcp.long.sharing", "efcm")).scenario
    for backend in ("ns3", "live"):
        [(path, message)] = backends.lacks(backend, scenario)
        assert path == ("tcp", "long", "sharing")
        assert "shares nothing" in message
    assert list(backends.lacks("sim", scenario)) == []


def test_methods_lists_them_by_kind() -> None:
    lines = CliRunner().invoke(app, ["methods", "-j"]).stdout.splitlines()
    kinds = {entry["name"]: entry["kind"] for entry in map(json.loads, lines)}
    names = ("tcbi_temporal", "tcbi_ensemble", "fs_tcbi", "efcm")
    assert [kinds[name] for name in names] == ["sharing"] * 4
