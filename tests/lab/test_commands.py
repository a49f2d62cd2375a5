# SPDX-License-Identifier: GPL-2.0-only
"""The smaller verbs, and what all of them have in common."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lab_support import Run

import penstock as package
from penstock import cli
from penstock.scenario import params
from penstock.scenario.read import read
from penstock.scenario.types import Span


def test_version(penstock: Run) -> None:
    assert penstock("--version").stdout == f"penstock {package.__version__}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("runn", "there is no command 'runn'; did you mean 'run'?"),
        ("run link --frobnicate", "no such option: --frobnicate; see penstock run --help"),
        ("run link --seeds", "option '--seeds' requires an argument; see penstock run --help"),
        ("run", "missing argument 'SCENARIO'; see penstock run --help"),
        ("model nope", "no such command 'nope'; see penstock model --help"),
        ("explain", "missing argument 'METHOD'; see penstock explain --help"),
        ("--frobnicate", "no such option: --frobnicate; see penstock --help"),
    ],
)
def test_a_usage_error_is_one_line(penstock: Run, words: str, message: str) -> None:
    done = penstock(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"penstock: {message}\n"


def test_a_command_without_its_verb_shows_the_help(penstock: Run) -> None:
    done = penstock("model")
    assert done.returncode == 2
    assert "Usage: penstock model" in done.stdout + done.stderr


def test_list(penstock: Run) -> None:
    entries = [json.loads(line) for line in penstock("list", "-j").stdout.splitlines()]
    assert {"name", "title", "reproduces"} == set(entries[0])
    table = penstock("list").stdout
    assert all(entry["name"] in table for entry in entries)


def test_methods(penstock: Run) -> None:
    entries = {e["name"]: e for e in map(json.loads, penstock("methods", "-j").stdout.splitlines())}
    assert set(params.methods()) | set(params.senders()) | set(params.sharings()) == set(entries)
    start = entries["ewt"]["parameters"][0]
    assert (start["key"], start["unit"]) == ("start_bytes", "bytes")
    assert start["default"] == "3/10 of the buffer"
    one = penstock("methods", "ewa").stdout
    assert "0.0078125" in one
    assert "weight_q32" not in one
    assert "0B .. 1TiB" in penstock("methods", "ewt").stdout
    assert penstock("methods", "ewb").returncode == 2


def test_new_link(penstock: Run, tmp_path: Path) -> None:
    done = penstock(
        "new-link", "mine.toml", "--rate", "8mbit", "--rtt", "50ms", "--buffer", "60000",
        "--flows", "7", "--window", "65535", "--size", "200000",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scenario = read(str(tmp_path / "mine.toml")).scenario
    link = scenario.link["bottleneck"]
    assert (link.rate, link.delay, link.queue) == (8_000_000, Span(25_000_000, 25_000_000), 60_000)
    assert (scenario.sweep.flows, scenario.sweep.receivers) == ([7], ["65535"])
    assert scenario.tcp["bulk"].size == 200_000
    assert penstock("run", "mine.toml", "--seeds", "1", "-m", "ewt").returncode == 0
    again = penstock("new-link", "mine.toml")
    assert again.returncode == 2
    assert "--force overwrites it" in again.stderr


def test_new_link_with_two_rates_udp_and_a_title(penstock: Run, tmp_path: Path) -> None:
    title = r'My "own" \1 link'
    options = ["--down", "50mbit", "--up", "10mbit", "--udp", "1mbit", "--title", title]
    assert penstock("new-link", "mine.toml", *options).returncode == 0
    scenario = read(str(tmp_path / "mine.toml")).scenario
    link = scenario.link["bottleneck"]
    assert (link.rate, link.back.rate) == (50_000_000, 10_000_000)
    assert scenario.udp["background"].rate == 1_000_000
    assert scenario.scenario.title == title
    assert {"share", "integral", "penstock"} <= set(scenario.sweep.methods)
    both = penstock("new-link", "other.toml", "--rate", "1mbit", "--down", "1mbit")
    assert both.returncode == 2
    assert "--rate and --down are the same" in both.stderr


@pytest.mark.parametrize(
    ("hosts", "window", "options"),
    [
        ([], "auto", ("cubic", 10, True, True, True)),
        (["--hosts", "2004"], "65535", ("newreno", 3, False, False, False)),
        (["--hosts", "2004", "--window", "auto"], "auto", ("newreno", 3, False, False, False)),
    ],
)
def test_new_link_has_the_hosts_of_a_time(
    penstock: Run, tmp_path: Path, hosts: list[str], window: str, options: tuple[object, ...]
) -> None:
    assert penstock("new-link", "mine.toml", *hosts).returncode == 0
    scenario = read(str(tmp_path / "mine.toml")).scenario
    tcp = scenario.tcp["bulk"]
    assert scenario.sweep.receivers == [window]
    assert (tcp.congestion, tcp.initial_window, tcp.hystart, tcp.prr, tcp.rack) == options


def test_new_link_has_the_receivers_of_linux_7(penstock: Run, tmp_path: Path) -> None:
    assert penstock("new-link", "mine.toml", "--hosts", "linux-7").returncode == 0
    tcp = read(str(tmp_path / "mine.toml")).scenario.tcp["bulk"]
    found = [getattr(tcp, key) for key in ("window_max", "scaling_ratio", "rcvbuf_slow_start")]
    assert found == [32 << 20, 240, True]
    assert (tcp.congestion, tcp.hystart) == ("cubic", True)


def test_new_link_says_what_it_assumes(penstock: Run) -> None:
    done = penstock("new-link", "mine.toml", "--rate", "8mbit")
    assert done.returncode == 0
    assert "--rtt not given: 60ms" in done.stderr
    assert "--rate" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("--rate", "8", "a unit is missing"),
        ("--hosts", "1988", "must be one of linux-6, linux-7, 2004"),
        ("--rate", "0mbit", "above 0"),
        ("--rate", "500bit", "is out of range; from 1kbit"),
        ("--buffer", "-5B", "negative"),
        ("--flows", "0", "must be a whole number"),
        ("--window", "huge", "is not a size"),
    ],
)
def test_new_link_mistakes(
    penstock: Run, tmp_path: Path, option: str, value: str, hint: str
) -> None:
    done = penstock("new-link", "mine.toml", f"{option}={value}")
    assert done.returncode == 2
    assert f"{option} {value}: " in done.stderr
    assert hint in done.stderr
    assert not (tmp_path / "mine.toml").exists()


def test_validate(penstock: Run, small: Path) -> None:
    done = penstock("validate", small, "-j")
    assert json.loads(done.stdout)["runs"] == 8


def test_demo(penstock: Run, tmp_path: Path) -> None:
    done = penstock("demo", "--seeds", "1", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\ndroptail ") == done.stdout.count("\npenstock ") == 6
    assert done.stdout.count("fq_codel ") == 6
    assert "packets that the gateway dropped" in done.stdout
    seen = done.stdout.partition("different seeds.\n\n")[2].splitlines()
    assert [line.partition(" ")[0] for line in seen[:3]] == ["With", "With", "The"]
    assert seen[2] == "The report begins with the pictures of this: out/report.html"
    assert "penstock new-link --rate" in seen[5]
    assert 100_000 < (tmp_path / "out" / "report.html").stat().st_size < 1_500_000
    assert len(list((tmp_path / "out").glob("plotly-*.min.js"))) == 1


@pytest.mark.parametrize(
    ("words", "found"),
    [("penstock sc", "schema"), ("penstock run --see", "--seeds"), ("penstock model zh", "zhang")],
)
def test_the_shell_completes(words: str, found: str) -> None:
    place = str(words.count(" "))
    done = subprocess.run(
        [Path(sys.executable).with_name("penstock")],
        env={
            **os.environ,
            "_PENSTOCK_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": place,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == f"{found}\n"


# What takes long to load, and is not needed to say how a command is called.
HEAVY = ("numpy", "scipy", "polars", "plotly", "matplotlib", "pydantic", "rich", "penstock._native")
SOME = {"penstock.cli.stdio", "penstock.cli.group", "penstock.cli.examples"}

# Shows several helps, one after the other, and what is loaded after each.
HELPS = """
import contextlib, io, json, sys
from penstock import cli
for words in json.loads(sys.argv[1]):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = cli.app(words, prog_name="penstock", standalone_mode=False)
    print(json.dumps([words, code, text.getvalue(), list(sys.modules)]))
"""


def loaded_by(*commands: Sequence[str]) -> list[tuple[list[str], str, set[str]]]:
    """For each command: its words, what it prints, and the modules that are loaded after it."""
    done = subprocess.run(
        [sys.executable, "-c", HELPS, json.dumps(commands)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(code in (0, None) for _, code, _, _ in found)
    return [(words, text, set(modules)) for words, _, text, modules in found]


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_runs_nothing_loads_no_command(option: str) -> None:
    ((_, _, modules),) = loaded_by([option])
    assert {name for name in modules if name.startswith("penstock.cli.")} == SOME
    assert modules & set(HEAVY) == set()


@pytest.mark.parametrize("words", [["cite"], ["explain", "ewt"]])
def test_what_runs_nothing_loads_no_results(words: Sequence[str]) -> None:
    ((_, _, modules),) = loaded_by(words)
    assert modules & {"scipy", "polars", "matplotlib", "penstock.api.play"} == set()


def test_no_help_loads_what_takes_long() -> None:
    """All of them took 1.3 s each with numpy, scipy, polars and pydantic, and take 0.15 s."""
    parts = {"model": ("zhang", "aggressiveness", "sqrt-p", "pftk")}
    parts["live"] = ("clean", "compare", "real")
    words = [[verb, "--help"] for verb in cli.VERBS]
    words += [[verb, part, "--help"] for verb, names in parts.items() for part in names]
    found = loaded_by(*words)
    for (*command, _), text, modules in found:
        assert text.startswith(f"Usage: penstock {' '.join(command)} ")
        assert [name for name in HEAVY if name in modules] == [], command
        assert len(modules) < 300, "220 after all of them; each costs about half a millisecond"
    assert len(found) == len(cli.VERBS) + 7


def test_help_lists_each_verb_with_the_first_line_of_its_help() -> None:
    for name, verb in cli.VERBS.items():
        command = cli.load(name)
        assert command.name == name
        assert verb.about == command.help.strip().splitlines()[0]


MOST_LINES = 28  # of a function's body; signatures declare options, and may be longer


def bodies(text: str) -> Iterator[tuple[str, int]]:
    """Each function of a module, and the lines of its body."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            told = ast.get_docstring(node) is not None
            first, last = node.body[min(told, len(node.body) - 1)], node.body[-1]
            yield node.name, (last.end_lineno or 0) - first.lineno + 1


@pytest.mark.parametrize(
    "module", sorted(Path(cli.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_a_command_parses_calls_and_prints(module: Path) -> None:
    """What computes belongs to penstock/api, where programs can call it."""
    long = [(name, count) for name, count in bodies(module.read_text()) if count > MOST_LINES]
    assert long == []
