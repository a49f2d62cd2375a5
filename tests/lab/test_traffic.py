# SPDX-License-Identifier: GPL-2.0-only
"""Groups of users: keys, columns and rows by group."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run

HEAD = SMALL.split("[tcp.bulk]")[0]
GROUP = '[tcp.web]\nfrom = "senders"\nto = "receivers"\n'
WEB = '[tcp.web.traffic]\nkind = "web"\nsession = "0s"\nreading = "exponential(100ms)"\n'


def play(penstock: Run, folder: Path, text: str, method: str = "droptail") -> dict[str, Any]:
    path = folder / "users.toml"
    path.write_text(HEAD + text)
    one = ("--receivers", "65535", "--seeds", "1", "-j")
    done = penstock("run", path, "-m", method, *one)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_finite_users_end_the_run(penstock: Run, tmp_path: Path) -> None:
    size = 'size = "pareto(1.5, 5kB, 200kB)"\ntransfers = 20\n'
    row = play(penstock, tmp_path, GROUP + WEB + size)
    assert row["transfers"] == 60
    assert row["unfinished"] == 0
    assert row["goodput_mbps"] is None
    assert row["fct_ms_mean"] > 44 + 22  # a handshake, and the data's way
    (group,) = row["groups"]
    assert group["group"] == "web"
    assert group["connections"] == 60
    assert group["fct_ms_mean"] == row["fct_ms_mean"]
    assert group["fct_to_10k_ms_mean"] < group["fct_to_100k_ms_p99"]


def test_groups_have_rows_of_their_own(penstock: Run, tmp_path: Path) -> None:
    bulk = '[tcp.bulk]\nfrom = "senders"\nto = "receivers"\ncount = 2\nsize = "500kB"\n'
    row = play(penstock, tmp_path, bulk + GROUP + WEB)
    assert [group["group"] for group in row["groups"]] == ["bulk", "web"]
    alone, web = row["groups"]
    assert alone["transfers"] == 2
    assert alone["transfer_s"] == row["transfer_s"]
    assert web["transfers"] > 2
    assert alone["transfers"] + web["transfers"] == row["transfers"]
    assert alone["retransmissions"] + web["retransmissions"] == row["retransmissions"]


def test_one_group_of_flows_has_no_rows_of_its_own(penstock: Run, tmp_path: Path) -> None:
    bulk = '[tcp.bulk]\nfrom = "senders"\nto = "receivers"\ncount = 2\nsize = "500kB"\n'
    row = play(penstock, tmp_path, bulk)
    assert "groups" not in row
    # Of flows, times are exact: the mean is that of the transfers.
    assert row["fct_ms_mean"] == pytest.approx(1000 * row["transfer_s"], abs=1e-3)


def test_a_trace_is_read_beside_its_scenario(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("# at size\n0.1 20000\n0.5 1000\n")
    row = play(
        penstock, tmp_path, GROUP + '[tcp.web.traffic]\nkind = "trace"\nfile = "times.txt"\n'
    )
    assert row["transfers"] == 6
    assert row["groups"][0]["transfer_bytes"] == 63_000


def test_draws_do_not_depend_on_the_method(penstock: Run, tmp_path: Path) -> None:
    text = GROUP + WEB + "transfers = 15\n"
    sent = [
        play(penstock, tmp_path, text, method)["groups"][0]["transfer_bytes"]
        for method in ("droptail", "integral")
    ]
    assert sent[0] == sent[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "web"\nrate = "1mbit"\n', "web traffic has no such key"),
        ('kind = "on-off"\n', "either a rate or a write"),
        ('kind = "on-off"\nwrite = "1kB"\ninterval = "0s"\n', "above 0"),
        ('kind = "on-off"\nwrite = "1kB"\ninterval = "1us"\n', "a longer interval"),
        ('kind = "trace"\n', "name a file"),
        ('kind = "trace"\nfile = "gone.txt"\n', "gone.txt: cannot be read"),
        ('kind = "web"\nsize = "gama(1kB, 2kB)"\n', "there is no distribution 'gama'"),
        ('kind = "web"\nsize = "gamma(1kB)"\n', "write gamma(MEAN, DEVIATION)"),
        ('kind = "web"\nsize = "gamma(1kB, 11kB)"\n', "at most 10 times MEAN"),
        ('kind = "web"\nreading = "pareto(1.5, 3s, 1s)"\n', "LIMIT is below LEAST"),
        ('kind = "web"\npages = "nan"\n', "'nan' is out of range"),
        ('kind = "web"\nreading = "uniform(3s, 1s)"\n', "LOW is above HIGH"),
        ('kind = "web"\nreading = "exponential(5)"\n', "a unit is missing in '5'"),
        ('kind = "web"\npages = "lognormal(0, 3)"\n', "above 0"),
        ('kind = "webb"\n', "'webb' is not one of"),
    ],
)
def test_wrong_traffic_is_one_line_and_78(
    penstock: Run, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(HEAD + GROUP + "[tcp.web.traffic]\n" + text)
    done = penstock("validate", path)
    assert done.returncode == 78
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0.1\n", "bad.txt:2: not a time"),
        ("-1 5\n", "bad.txt:2"),
        ("0 0\n", "bad.txt:2"),
        ("1e999995 1\n", "bad.txt:2"),
    ],
)
def test_a_wrong_trace_names_its_line(
    penstock: Run, tmp_path: Path, line: str, message: str
) -> None:
    (tmp_path / "bad.txt").write_text("1 1\n" + line)
    path = tmp_path / "wrong.toml"
    path.write_text(HEAD + GROUP + '[tcp.web.traffic]\nkind = "trace"\nfile = "bad.txt"\n')
    done = penstock("validate", path)
    assert done.returncode == 78
    assert message in done.stderr


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        ("ns3", "tcp.web.traffic.kind: the ns3 backend has no users"),
        ("live", "tcp.web.traffic: the live backend needs a TCP flow beside users"),
    ],
)
def test_other_backends_say_what_they_lack_for_users(
    penstock: Run, tmp_path: Path, backend: str, message: str
) -> None:
    path = tmp_path / "users.toml"
    path.write_text(HEAD + GROUP + WEB)
    done = penstock("run", path, "--backend", backend, "--receivers", "65535")
    assert done.returncode == 78
    assert message in done.stderr
