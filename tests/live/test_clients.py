# SPDX-License-Identifier: GPL-2.0-only
"""Clients of other projects through the gateway: `penstock live real`, in a few seconds each."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from live_support import environment, left_by

from penstock.api import real
from penstock.cli import live_real
from penstock.errors import Exit, UsageError, UserError
from penstock.runs.backends import live
from penstock.runs.clients import bounds, lab, run
from penstock.runs.clients import network as lab_of
from penstock.runs.clients.bulk import Bulk
from penstock.runs.clients.cases import CASES, Case
from penstock.runs.clients.echo import Echo
from penstock.runs.clients.files import Files
from penstock.runs.clients.lab import Lab
from penstock.runs.clients.quic import Quic
from penstock.runs.clients.web import Pages, Trickle
from penstock.runs.console import Silent
from penstock.runs.live import gateway, queues
from penstock.runs.live.busy import BusyError
from penstock.runs.live.network import Device
from penstock.runs.live.session import Process

SHORT = Case(title="short", clients=(), rtt_ns=10_000_000, warm_up_s=1, end_s=4)
PAGES = Pages("pages", count=8, size_bytes=20_000, start_s=1.5)


def play(case: Case, monkeypatch: pytest.MonkeyPatch, version: int = 4) -> run.Outcome:
    """One run; skipped where a client is missing."""
    if absent := list(lab.missing(case.clients)):
        pytest.skip(f"not installed: {', '.join(absent)}")
    monkeypatch.setenv("PATH", environment()["PATH"])

    try:
        return run.play("short", case, "penstock", version)
    finally:
        assert left_by(os.getpid()) == []


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize("version", [4, 6])
def test_web_bulk_and_echoes_share_a_link(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    clients = (Bulk(count=2), Echo(count=2), PAGES, Trickle("quiet", count=5, bytes_per_s=10))
    found = play(replace(SHORT, clients=clients), monkeypatch, version)
    assert set(found.rates) == {"bulk", "pages"}
    # Of 20; how near they come is the machine's matter.
    assert 1 < found.rates["bulk"].mbps < 25
    assert set(found.times_ms) == {"echo", "pages"}
    fastest_ms = min(times.p50 for times in found.times_ms.values())
    assert fastest_ms >= 10, "an echo or a page in less than a round trip"


@pytest.mark.usefixtures("gateway")
def test_quic_and_http2_share_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    clients = (Quic(), replace(PAGES, http2=True))
    found = play(replace(SHORT, clients=clients, warm_up_s=3, end_s=6), monkeypatch)
    assert 0.1 < found.rates["quic"].mbps < 25


def test_a_session_that_opens_after_the_end_is_the_machines_matter(tmp_path: Path) -> None:
    of_run = Lab(Mock(), Mock(), (), 4, epoch_ns=10**9, warm_up_s=1, end_s=4)
    process = Process("echo", Mock(), tmp_path / "output", tmp_path / "errors")
    process.output.write_text("[]")
    with pytest.raises(BusyError, match="open before the run's end"):
        Echo().report(of_run, [process])
    process.output.write_text("[12.5, 13.0]")
    assert Echo().report(of_run, [process]).times_ms == [12.5, 13.0]


def test_a_download_that_began_after_the_warm_up_is_not_measured(tmp_path: Path) -> None:
    """Its rate would be that of a part of the time, and 0 if it began after the run's end."""
    of_run = Lab(Mock(), Mock(), (), 4, epoch_ns=10**9, warm_up_s=1, end_s=4)
    process = Process("quic", Mock(), tmp_path / "output", tmp_path / "errors")
    process.output.write_text("3000000 1900000000\n")
    assert Quic().report(of_run, [process]).mbps == [8.0]
    process.output.write_text("1000000 3100000000\n")
    with pytest.raises(BusyError, match="connected only after the warm-up"):
        Quic().report(of_run, [process])


@pytest.mark.usefixtures("gateway")
def test_files_come_over_a_connection_each_or_over_one(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"pages": 2, "every_s": 0.8, "others": 2}
    apart, one = Files(cache="all", **times), Files("one", one=True, port=8201, **times)
    found = play(replace(SHORT, clients=(apart, one)), monkeypatch)
    fastest_ms = min(times.p50 for times in found.times_ms.values())
    assert fastest_ms >= 210, "less than the gap between two requests and a round trip"


@pytest.mark.parametrize("one", ["0", "1"])
def test_a_page_lasts_from_its_first_request_to_its_last_byte(one: str) -> None:
    own = [sys.executable, "-m", "penstock.runs.clients.files"]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        place = ["127.0.0.1", str(probe.getsockname()[1])]
    server = subprocess.Popen([*own, "serve", *place, "reno"])
    try:
        for _ in range(1200):
            time.sleep(0.05)
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", int(place[1]))),
            ):
                break
        now_ns = time.monotonic_ns()
        pages = [f"{now_ns + ms * 10**6},{now_ns + (ms + 300) * 10**6}" for ms in (500, 900)]
        command = [*own, "fetch", *place, one, "5000", *pages]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    finally:
        server.kill()
        server.wait()
    assert [300 <= ms < 60_000 for ms in json.loads(done.stdout)] == [True, True]


@pytest.mark.parametrize("name", CASES)
def test_each_case_has_a_lab(name: str) -> None:
    case = CASES[name]
    plan = lab_of.plan(case, "penstock")
    gateways = [way.gateway for wire in plan.wires for way in (wire.forward, wire.back)]
    assert sum(each is not None for each in gateways) == 1 + case.both_ways
    names = [client.name for client in case.clients]
    assert len(set(names)) == len(names)
    ends = {getattr(client, end, "left") for client in case.clients for end in ("source", "sink")}
    assert ends <= set(plan.hosts)


def test_a_gateway_takes_the_rate_that_it_is_told() -> None:
    way = lab_of.plan(CASES["told-half"], "penstock").wires[1].forward
    assert way.gateway is not None
    options = gateway._options(way.gateway, Device("space", "wan", way))
    assert options[options.index("--rate") + 1] == "10000000bit"
    assert way.rate_bps == 20_000_000


def test_offloads_keep_the_kernels_lengths() -> None:
    way = lab_of.plan(CASES["echo"], "penstock").wires[1].forward
    assert queues._stab(way, 4, offloads=True) == ""
    assert "overhead -14" in queues._stab(way, 4, offloads=False)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "which", lambda _: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert list(lab.missing([Quic(), PAGES])) == [
        "aioquic (tools/setup --extra live in the checkout)",
        "curl (Debian: apt install curl)",
        "ethtool (Debian: apt install ethtool)",
        "nginx (Debian: apt install nginx-light)",
    ]


def _real(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", "live", "real", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=environment()
    )


def test_cases_are_listed_and_mistakes_are_one_line() -> None:
    assert set(CASES) <= set(_real("--list").stdout.split())
    for arguments, says in (
        (("pagse",), "did you mean 'pages'"),
        (("pages", "-m", "red"), "there is no method for penstock-gw 'red'"),
    ):
        done = _real(*arguments)
        assert done.returncode == Exit.USAGE
        assert says in done.stderr
        assert len(done.stderr.splitlines()) == 1


def _outcome(method: str) -> run.Outcome:
    rates = {"tcp": run.Rates(7.2, 0.98), "quic": run.Rates(2.3, None)}
    times = {"pages": run.Times(812.0, 901.0, 1002.0), "echo": run.Times(46.0, 47.0, 52.0)}
    retransmissions = {"senders": 0, "far": 280}
    return run.Outcome("quic", method, 4, rates, times, 274, 1, retransmissions, 20.5, 38.0)


def test_results_are_shown_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(live, "backend", lambda _: None)
    monkeypatch.setattr(lab, "missing", lambda _: [])
    monkeypatch.setattr(run, "play", lambda _name, _case, method, _version: _outcome(method))
    live_real.real(["quic"], ["droptail,share"], output=tmp_path)
    shown = capsys.readouterr().out
    assert "tcp 7.20, quic 2.30" in shown
    assert "tcp 0.980" in shown
    for words in ("pages 812, echo 46", "pages 1002, echo 52", "senders 0, far 280"):
        assert words in " ".join(shown.split())
    rows = json.loads((tmp_path / "results.json").read_text())
    assert [row["method"] for row in rows] == ["droptail", "share"]
    assert rows[0]["rates"]["tcp"] == {"mbps": 7.2, "jain": 0.98}
    assert rows[0]["times_ms"]["echo"] == {"p50": 46.0, "p90": 47.0, "p99": 52.0}
    assert rows[0]["retransmissions"]["far"] == 280


def test_the_api_runs_what_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "backend", lambda _: None)
    monkeypatch.setattr(lab, "missing", lambda _: [])
    versions = []

    def play(_name: str, _case: Case, method: str, version: int) -> run.Outcome:
        versions.append(version)
        return replace(_outcome(method), drops=1000)

    monkeypatch.setattr(run, "play", play)
    told: list[run.Outcome] = []
    chosen = real.choose(["quic"], ["share", "penstock", "share"])
    found = real.play(chosen, Silent(), 6, tmp_path, told.append)
    assert (found.outcomes, found.failed, versions) == (told, 0, [6, 6])
    assert [each.method for each in told] == ["share", "penstock"]
    assert found.broken() == ["quic, penstock: 1000 drops"]
    assert {len(row) for row in found.rows()} == {len(real.HEADERS)}
    assert len(json.loads((tmp_path / real.FILE).read_text())) == 2


def test_the_usual_cases_are_chosen_by_default() -> None:
    usual, every = real.choose(), real.choose(every=True)
    assert "home" not in usual.cases
    assert dict(every.titles()) == {name: case.title for name, case in CASES.items()}
    for wrong in (lambda: real.choose(["quick"]), lambda: real.choose([], ["shar"])):
        with pytest.raises(UsageError, match=r"did you mean '(quic|share)'"):
            wrong()


def test_a_case_without_its_client_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(live, "backend", lambda _: None)
    monkeypatch.setattr(lab, "missing", lambda _: ["nginx (Debian: apt install nginx-light)"])
    with pytest.raises(UserError, match="no case could be run") as raised:
        live_real.real(["pages"], [])
    assert raised.value.code == Exit.SKIPPED
    assert "pages: skipped, as there is no nginx" in capsys.readouterr().err


def test_a_run_that_fails_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(_name: str, _case: Case, method: str, _version: int) -> run.Outcome:
        if method == "share":
            raise BusyError("packets left late")
        return _outcome(method)

    monkeypatch.setattr(live, "backend", lambda _: None)
    monkeypatch.setattr(lab, "missing", lambda _: [])
    monkeypatch.setattr(run, "play", play)
    with pytest.raises(UserError, match="failed runs: 1") as raised:
        live_real.real(["quic"], ["droptail,share,penstock"], output=tmp_path)
    assert raised.value.code == Exit.SOME_CELLS_FAILED
    assert "quic, share: packets left late; this machine is too busy" in capsys.readouterr().err
    rows = json.loads((tmp_path / "results.json").read_text())
    assert [row["method"] for row in rows] == ["droptail", "penstock"]


def test_a_case_that_leaves_its_bounds_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "backend", lambda _: None)
    monkeypatch.setattr(lab, "missing", lambda _: [])
    kept = replace(_outcome("penstock"), drops=0)
    found = kept
    monkeypatch.setattr(run, "play", lambda _name, _case, method, _: replace(found, method=method))
    live_real.real(["quic"], ["penstock"], check=True)
    found = replace(kept, drops=1000)
    live_real.real(["quic"], ["penstock"])
    live_real.real(["quic"], ["droptail"], check=True)
    with pytest.raises(UserError, match="quic, penstock: 1000 drops"):
        live_real.real(["quic"], ["droptail,penstock"], check=True)
    found = replace(kept, rates={**kept.rates, "tcp": run.Rates(4.0, None)})
    with pytest.raises(UserError, match="quic, penstock: tcp has 4"):
        live_real.real(["quic"], ["penstock"], check=True)


def test_clients_whose_rates_differ_and_timeouts_leave_the_bounds() -> None:
    rates = {"near": run.Rates(10.0, None), "far": run.Rates(9.0, None)}
    kept = replace(_outcome("penstock"), case="two-rtts", drops=0, timeouts=0, rates=rates)
    assert bounds.broken(kept) == []
    assert bounds.broken(replace(kept, timeouts=1)) == ["1 timeouts"]
    apart = {**rates, "near": run.Rates(11.5, None)}
    assert bounds.broken(replace(kept, rates=apart)) == ["the clients' rates differ"]


@pytest.mark.parametrize("name", bounds.BOUNDS)
def test_bounds_name_clients_of_the_case_and_are_documented(name: str) -> None:
    assert set(bounds.BOUNDS[name].least) <= {each.name for each in CASES[name].clients}
    page = (Path(__file__).parents[2] / "docs" / "live.md").read_text()
    assert f"| `{name}` | {bounds.BOUNDS[name].text()} |\n" in page
