# SPDX-License-Identifier: GPL-2.0-only
"""What a new user meets in the first hour: names with two meanings, examples, notes, lists."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from lab_support import Run

from penstock import cli
from penstock.cli import demo, examples
from penstock.scenario import catalogue, described, notes
from penstock.scenario.read import read
from penstock.scenario.types import Span


@pytest.mark.parametrize("option", ["--set", "--sweep"])
def test_a_name_with_two_meanings_is_refused_with_both(penstock: Run, option: str) -> None:
    done = penstock("run", "link", "-m", "droptail,penstock", "--seeds", "1", option, "rtt=150ms")
    assert (done.returncode, done.stdout) == (2, "")
    assert "penstock.rtt is a parameter of the method" in done.stderr
    assert "link.bottleneck.rtt" in done.stderr


def test_a_name_with_one_meaning_is_taken(penstock: Run, small: Path) -> None:
    done = penstock("validate", small, "--set", "ewt.start_bytes=10kB")
    assert done.returncode == 0, done.stderr


def test_the_round_trip_of_a_link_is_twice_its_delay() -> None:
    def delay_ms(**sets: str) -> list[int]:
        found = read("link", [("link.bottleneck.rtt", text) for text in sets.values()]).scenario
        span = found.link["bottleneck"].delay
        assert span is not None
        return [span.first_ns // 10**6, span.last_ns // 10**6]

    assert delay_ms() == [30, 30]
    assert delay_ms(rtt="150ms") == [75, 75]
    assert delay_ms(rtt="10ms..20ms") == [5, 10]


def test_the_round_trip_is_an_axis(penstock: Run) -> None:
    words = ["-m", "droptail", "--seeds", "1", "-n", "1", "--set", "tcp.bulk.size=20kB", "-j"]
    done = penstock("run", "link", *words, "--sweep", "link.bottleneck.rtt=10ms,40ms")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["link.bottleneck.rtt"] for row in rows] == ["10ms", "40ms"]
    assert rows[0]["transfer_s"] < rows[1]["transfer_s"]


def test_the_round_trip_and_the_delay_exclude_each_other(penstock: Run, tmp_path: Path) -> None:
    both = penstock(
        *("validate", "link", "--set", "link.bottleneck.rtt=10ms"),
        *("--set", "link.bottleneck.delay=5ms"),
    )
    assert both.returncode == 2
    assert "link.bottleneck.rtt is given too" in both.stderr
    file = tmp_path / "own.toml"
    penstock("new-link", file, "--rate", "1mbit")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('delay = "30ms"', 'delay = "30ms"\nrtt = "60ms"'))
    done = penstock("validate", file)
    assert done.returncode == 78
    assert "'rtt' and 'delay' say the same; leave one of them out" in done.stderr
    file.write_text(text.replace('delay = "30ms"', 'rtt = "60ms"'))
    own = read(str(file)).scenario.link["bottleneck"]
    assert own == own.model_copy(update={"delay": Span(30_000_000, 30_000_000)})


def test_a_new_link_has_the_rivals_of_home_routers(penstock: Run, tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    penstock("new-link", file, "--rate", "20mbit")
    assert {"fq_codel", "cake", "penstock"} <= set(read(str(file)).scenario.sweep.methods)


def test_the_list_begins_with_what_one_would_run(penstock: Run) -> None:
    done = penstock("list")
    names = [line.split()[0] for line in done.stdout.splitlines()[2:8]]
    assert names == list(catalogue.BEGIN)
    assert "penstock run SCENARIO" in done.stderr


def test_every_help_has_examples_whose_options_exist(penstock: Run) -> None:
    parts = {"model": ("zhang", "aggressiveness", "sqrt-p", "pftk")}
    parts["live"] = ("clean", "compare", "real")
    names = ["", *cli.VERBS, *(f"{verb} {each}" for verb, of in parts.items() for each in of)]
    assert sorted(examples.EXAMPLES) == sorted(names)
    for name, texts in examples.EXAMPLES.items():
        told = penstock(*name.split(), "--help").stdout
        assert all(f"  penstock {text}\n" in told for text in texts), name
        for text in texts:
            done = penstock(*shlex.split(text), "--help")
            assert (done.returncode, done.stderr) == (0, ""), text


def test_an_explanation_is_ten_lines_until_all_is_asked_for(penstock: Run) -> None:
    words = ["explain", "penstock", "--queue", "20000", "--set", "rate=20mbit"]
    first, every = penstock(*words), penstock(*words, "--all")
    assert len(first.stdout.splitlines()) <= 10
    assert "--all shows" in first.stderr
    assert "segments = " in first.stdout
    assert "delayed_ack_ns" not in first.stdout
    assert "delayed_ack_ns" in every.stdout
    set_too = penstock(*words, "--set", "delayed_ack_ns=20ms").stdout
    assert "delayed_ack_ns = 20ms" in set_too


def test_sources_that_are_newer_than_the_build_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = described.version.PACKAGE.parent
    assert described.stale() == ""
    for folder in ("core", "sim", "tools"):
        shutil.copytree(root / folder, tmp_path / folder)
    package = tmp_path / "penstock"
    monkeypatch.setattr(described.version, "PACKAGE", package)
    assert described.stale() == ""
    (tmp_path / "core" / "law" / "mine.h").write_text("/* a new law */\n", encoding="utf-8")
    assert "tools/setup" in described.stale()


def test_the_demo_says_how_to_call_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(shutil.which("penstock") or cli.__file__)
    monkeypatch.setattr("sys.argv", [str(own)])
    monkeypatch.setenv("PATH", "/nowhere")
    assert f'export PATH={own.parent}:"$PATH"' in demo.called()
    if own.name == "penstock":
        monkeypatch.setenv("PATH", str(own.parent))
        assert demo.called() == ""


SERIES = """
[topology]
nodes = { a = 1, r1 = 1, r2 = 1, b = 1 }

[link.first]
from = "a"
to = "r1"
rate = "50mbit"
delay = "1ms"
queue = "100kB"

[link.second]
from = "r1"
to = "r2"
rate = "40mbit"
delay = "1ms"
queue = "100kB"

[link.third]
from = "r2"
to = "b"
rate = "100mbit"
delay = "1ms"
queue = "100kB"

[gateway.one]
link = "second"
[gateway.two]
link = "third"

[tcp.bulk]
from = "a"
to = "b"
size = "1MB"
"""
HEAD = '[scenario]\ntitle = "t"\n[sweep]\nmethods = ["droptail", "ewt"]\nflows = [1]\n'


def test_gateways_that_cannot_act_are_told(penstock: Run, tmp_path: Path) -> None:
    file = tmp_path / "series.toml"
    file.write_text(HEAD + SERIES, encoding="utf-8")
    done = penstock("validate", file)
    assert done.returncode == 0, done.stderr
    assert "gateways one and two rewrite the ACKs of tcp.bulk one after the other" in done.stderr
    told = "gateway.two: all that reaches link.third (100mbit) has crossed link.second before"
    assert told in done.stderr
    assert "gateway.one" not in done.stderr
    scenario = read(str(file)).scenario
    assert not any("one after the other" in each for each in notes.notes(scenario, ["droptail"]))


@pytest.mark.parametrize(
    ("case", "idle"),
    [
        ("", True),
        # Two slower links in parallel are together faster, and one link becomes the slowest.
        ('[tcp.other]\nfrom = "e"\nto = "b"\nsize = "1MB"\n', False),
        ('[[link.third.change]]\nat = "1s"\nrate = "5mbit"\n', False),
    ],
)
def test_only_a_gateway_that_is_always_idle_is_told(tmp_path: Path, case: str, idle: bool) -> None:
    file = tmp_path / "series.toml"
    second = '[link.fourth]\nfrom = "e"\nto = "r2"\nrate = "95mbit"\ndelay = "1ms"\n'
    nodes = SERIES.replace("nodes = { ", "nodes = { e = 1, ")
    file.write_text(HEAD + nodes + (second if "other" in case else "") + case, encoding="utf-8")
    told = notes.notes(read(str(file)).scenario, ["droptail", "ewt"])
    assert any("gateway.two" in each for each in told if "reaches" in each) == idle


def test_a_trace_under_another_rate_is_told(penstock: Run, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("\n".join(str(ms) for ms in range(1, 1001)), encoding="ascii")
    words = ["validate", "link", "--set", f"link.bottleneck.trace={trace}"]
    done = penstock(*words, "--set", "link.bottleneck.rate=50mbit")
    assert "its trace says, 12mbit in the mean; rate = 50mbit does not scale that" in done.stderr
    assert penstock(*words, "--set", "link.bottleneck.rate=12mbit").stderr == ""


def test_no_shipped_scenario_has_a_rewriting_gateway_that_is_idle() -> None:
    told = {
        name: [
            each for each in notes.notes(read(name).scenario, ["penstock"]) if "no queue" in each
        ]
        for name in catalogue.names()
    }
    assert {name for name, each in told.items() if each} == set()


def test_recommend_leaves_a_margin_and_says_why(penstock: Run, small: Path) -> None:
    words = ["-m", "penstock", "--seeds", "3", "--receivers", "auto", "-n", "8", "-j"]
    answer = json.loads(penstock("recommend", small, *words).stdout)
    if answer["attach"] is None:
        pytest.skip("drop-tail is as good here")
    assert re.search(r"--rate 9.5mbit\b", answer["attach"])
    assert any("95 % of the link's 10mbit" in each for each in answer["why"])


def test_ns3_refuses_all_keys_at_once_and_says_what_helps(penstock: Run, tmp_path: Path) -> None:
    """The message's own options make the scenario one that ns-3 has."""
    file = tmp_path / "home.toml"
    penstock("new-link", file, "--rate", "10mbit")
    done = penstock("validate", file, "--backend", "ns3")
    assert (done.returncode, done.stdout) == (78, "")
    assert done.stderr.count("\n") == 1
    assert "the ns3 backend refuses 2 keys: tcp.bulk.hystart (" in done.stderr
    assert "penstock new-link --hosts 2004" in done.stderr
    given = re.search(r"; give (.*?), or write", done.stderr)
    assert given
    words = shlex.split(given[1])
    again = penstock("run", file, "--backend", "ns3", *words, "--plan")
    assert "refuses" not in again.stderr
    old = tmp_path / "old.toml"
    penstock("new-link", old, "--rate", "10mbit", "--hosts", "2004")
    fine = penstock("validate", old, "--backend", "ns3")
    assert fine.returncode == 0, fine.stderr
    assert "the ns3 backend lacks cake: left out" in fine.stderr
    assert "cake" not in fine.stdout
    assert "FqCoDelQueueDisc limits packets" in fine.stderr


def test_an_extra_is_installed_without_building() -> None:
    root = described.version.PACKAGE.parent
    done = subprocess.run(
        [root / "tools" / "setup", "--extra", "ns4"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "there is no extra 'ns4'; known: cluster" in done.stderr
    text = (root / "tools" / "setup").read_text(encoding="utf-8")
    own = text[text.index("extra() {") : text.index("lock=requirements")]
    assert "--requirement build/extra.txt" in own
    assert "--editable" not in own
