# SPDX-License-Identifier: GPL-2.0-only
"""Connections that their receiver opens: from the scenario to the columns, and where they lack."""

from pathlib import Path

import pytest
from lab_support import SMALL, Run, long_path, rows

from penstock.runs import backends
from penstock.runs.backends import sim
from penstock.scenario.read import read

TRAFFIC = """
[tcp.bulk]
from = "senders"
to = "receivers"
size = "1448B"
"""
OPENED = ("tcp.bulk.opened_by", "receiver")


def test_the_data_comes_half_a_round_trip_later(tmp_path: Path) -> None:
    plain = sim.backend().run(long_path(tmp_path, TRAFFIC)).columns
    opened = sim.backend().run(long_path(tmp_path, TRAFFIC, OPENED)).columns
    later_s = float(opened["transfer_s"] or 0) - float(plain["transfer_s"] or 0)
    assert later_s == pytest.approx(0.04, abs=0.001)


def test_users_open_their_connections(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    users = '[tcp.bulk.traffic]\nkind = "web"\ntransfers = 20\nreading = "0s"\nsession = "0s"\n'
    path.write_text(SMALL.replace('size = "300kB"\n', "") + users)
    one = ("-m", "droptail", "--receivers", "65535", "--seeds", "1", "-j")
    found = []
    for who in ("sender", "receiver"):
        done = penstock("run", path, *one, "--set", f"tcp.bulk.opened_by={who}")
        assert done.returncode == 0, done.stderr
        found += rows(done.stdout)
    plain, opened = found
    assert plain["transfers"] == opened["transfers"] == 60
    assert opened["unfinished"] == 0
    assert 15 < opened["fct_ms_p50"] - plain["fct_ms_p50"] < 30  # of round trips of 44 ms


def test_what_no_scenario_can_mean_is_refused(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "opened.toml"
    path.write_text(SMALL + '\n[tcp.more]\nfrom = "senders"\nto = "receivers"\nsize = "1MB"\n')
    for wanted, *arguments in (
        ("is not one of 'sender' or 'receiver'", "--set", "tcp.more.opened_by=client"),
        (
            "xcp_sender puts its header on the sender's SYN",
            *("--set", "tcp.more.opened_by=receiver", "--set", "tcp.more.congestion=xcp_sender"),
        ),
        ("-m fba_tcp: fba_sender puts", "--set", "tcp.more.opened_by=receiver", "-m", "fba_tcp"),
    ):
        done = penstock("run", path, *arguments)
        assert done.returncode
        assert wanted in done.stderr
        assert done.stderr.count("\n") == 1
    path.write_text(SMALL.replace('"ewt"]', '"quick_start"]') + 'opened_by = "receiver"\n')
    done = penstock("validate", path)
    assert done.returncode == 78


@pytest.mark.parametrize(
    ("backend", "wanted"),
    [("sim", 0), ("sim-aligned", 0), ("ns3", 1), ("ns3-aligned", 1), ("live", 0), ("live6", 0)],
)
def test_backends_refuse_it_by_name(tmp_path: Path, backend: str, wanted: int) -> None:
    found = list(backends.lacks(backend, long_path(tmp_path, TRAFFIC, OPENED).scenario))
    assert [path for path, _ in found] == [("tcp", "bulk", "opened_by")] * wanted


@pytest.mark.parametrize("name", ["downloads", "pages"])
def test_the_laws_cases_differ_in_nothing_else(name: str) -> None:
    plain, opened = (read(f"law/{each}").scenario for each in (name, f"{name}-opened"))
    groups = opened.tcp.values()
    assert {group.opened_by for group in groups} == {"receiver"}
    same = {key: tcp.model_copy(update={"opened_by": "sender"}) for key, tcp in opened.tcp.items()}
    assert opened.model_copy(update={"tcp": same}).setup() == plain.setup()
