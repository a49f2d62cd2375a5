# SPDX-License-Identifier: GPL-2.0-only
"""The papers' models and traces of links, from Python as from the command."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import penstock as ps
from penstock.cli import app
from penstock.errors import UsageError, UserError


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def records(*arguments: str) -> list[dict[str, object]]:
    lines = printed("model", *arguments, "-j").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_models_are_those_of_the_command() -> None:
    zhang = records("zhang", "--samples", "9", "--g", "0.1,0.5", "--set", "queue_segments=20")
    assert ps.zhang(9, [0.1, 0.5], set={"queue_segments": 20}).records == zhang
    losses = records("aggressiveness", "--members", "1..3,5", "--lost", "0..4", "--runs", "3")
    found = ps.aggressiveness([1, 2, 3, 5], range(5), runs=3)
    assert [each.describe() for each in found] == losses
    law = ps.sqrt_p([0.01, 0.1], rtt="50ms", losses=0)
    assert [each.describe() for each in law] == records(
        "sqrt-p", "--loss", "0.01,0.1", "--rtt", "50ms", "--losses", "0"
    )
    (full,) = ps.pftk(0.01, window=20, losses=50)
    assert [full.describe()] == records(
        "pftk", "--loss", "0.01", "--window", "20", "--losses", "50"
    )


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: ps.zhang(1), "samples=1: must be a whole number from 2 to 10000"),
        (lambda: ps.zhang(g=2), "g=2: must be a number from 0 to 1"),
        (lambda: ps.zhang(average="fig7"), "average='fig7': did you mean 'fig6'"),
        (lambda: ps.zhang(set={"queue": 3}), r"set\['queue'\]: unknown key; known: segment_bytes"),
        (lambda: ps.aggressiveness([0]), "members=0: 0 is not within 1..1000"),
        (lambda: ps.aggressiveness("1-5"), "members='1-5': write whole numbers"),
        (lambda: ps.aggressiveness(cwnd=0), "cwnd=0: must be a whole number from 1 to 10000"),
        (lambda: ps.aggressiveness(runs=True), "runs='True': must be a whole number"),
        (lambda: ps.sqrt_p(2.0), "loss='2.0': must be a rate from 1e-9 to 0.9"),
        (lambda: ps.sqrt_p(segments_per_ack=0), "segments_per_ack=0: must be a whole number"),
        (lambda: ps.pftk(rtt="1h"), "rtt='1h': must be above 0s and at most 1000s"),
        (lambda: ps.pftk(rto="50ms"), "rto='50ms': a timeout is not shorter than the round trip"),
        (lambda: ps.pftk(sender="renno"), "sender='renno': did you mean"),
        (lambda: ps.trace("lte", seed=0), "seed=0: must be a whole number from 1"),
        (lambda: ps.trace("lte", duration="25h"), "duration='25h': from 1ms to 24h"),
        (lambda: ps.trace("lte", rate="12"), "rate=12: a unit is missing"),
        (lambda: ps.trace("csv", "gone", unit="gbit"), "unit='gbit': bit, kbit or mbit"),
        (lambda: ps.trace("lt"), "there is no kind of trace 'lt'; did you mean 'lte'"),
        (lambda: ps.trace("csv"), "csv takes a file with a recording"),
    ],
)
def test_mistakes_are_told_in_pythons_words(call: Callable[[], object], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        call()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["model", "aggressiveness", "--cwnd", "0"], "--cwnd 0: must be a whole number from 1"),
        (["model", "pftk", "--segments-per-ack", "101"], "--segments-per-ack 101: must be a"),
        (["model", "zhang", "--samples", "1"], "--samples 1: must be a whole number from 2"),
        (["trace", "lte", "--seed", "0"], "--seed 0: must be a whole number from 1"),
        (["trace", "lte", "--duration", "0s"], "--duration 0s: from 1ms to 24h"),
    ],
)
def test_and_for_the_command_as_options(arguments: list[str], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_a_trace_is_that_of_the_command_and_a_link_follows_it(tmp_path: Path) -> None:
    made = ps.trace("lte", seed=3, duration="2s", rate="5mbit")
    command = ["trace", "lte", "--seed", "3", "--duration", "2s", "--rate", "5mbit"]
    assert made.text == printed(*command)
    path = made.save(tmp_path / "lte.trace")
    link = ps.link(rate="5mbit", buffer="30kB", size="100kB", flows=1, window=65535)
    both = [
        ps.run(link, methods="droptail", seeds=1, set=given).frame["goodput_mbps_total"][0]
        for given in ({}, {"link.bottleneck.trace": str(path)})
    ]
    assert both[0] != both[1]
    with pytest.raises(UserError, match="cannot be written"):
        made.save(tmp_path / "no" / "lte.trace")


def test_a_recording_becomes_a_trace(tmp_path: Path) -> None:
    recording = tmp_path / "drive.csv"
    recording.write_text("time,DL_bitrate\n0,8000\n1,4000\n2,8000\n")
    made = ps.trace("csv", recording, licence="CC0", unit="kbit")
    assert "CC0" in made.text
    assert "drive.csv" in made.text
    assert made.text == printed(
        "trace", "csv", str(recording), "--licence", "CC0", "--unit", "kbit"
    )
