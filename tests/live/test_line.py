# SPDX-License-Identifier: GPL-2.0-only
"""The script that plays cases on Linux and in the simulator: they agree, and it leaves nothing."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from line import ratio, table
from live_support import environment, left_by, wait_for_spaces
from patience import raise_if_busy, timed

LINE = [sys.executable, str(Path(__file__).with_name("line.py"))]
COMPARED = ("utilisation_percent", "goodput_mbps", "fct_ms_p50")


def started(*words: str) -> subprocess.Popen[str]:
    """The script, in the background."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*LINE, *words], text=True, env=environment(), **pipes)


def agree(live: dict[str, float], sim: dict[str, float]) -> bool:
    """Whether each column of one is within 10 % of the other's."""
    over = [ratio(live[column], sim[column]) for column in COMPARED]
    return all(one is not None and 0.9 < one < 1.1 for one in over)


@pytest.mark.usefixtures("gateway")
def test_a_case_agrees_with_its_own_simulation_only() -> None:
    words = ["150-of-3kB", "--methods", "droptail,penstock", "--repeats", "1", "--limit", "9s"]
    with timed():
        process = started(*words, "-j")
        out, err = process.communicate(timeout=200)
        raise_if_busy(err)
        assert process.returncode == 0, err
        rows = [json.loads(line) for line in out.splitlines()]
        found = {(row["method"], row["backend"]): row for row in rows}
        assert agree(found["penstock", "live"], found["penstock", "sim"])
        assert not agree(found["penstock", "live"], found["droptail", "sim"]), "it waits for less"
        assert found["droptail", "live"]["drops"] > 0
        assert rows[0]["parameters"]["time.limit"] == "9s"
        assert "live4" in rows[0]["versions"]["engine"]
    assert left_by(process.pid) == []


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_case_leaves_nothing(number: signal.Signals) -> None:
    with started("150-of-3kB", "--methods", "penstock") as running:
        assert running.stderr
        assert running.stderr.readline() == "-- 150-of-3kB, penstock, live: 1 of 2\n"
        wait_for_spaces(running.pid)
        running.send_signal(number)
        assert running.wait(30) == 128 + number
        assert "Traceback" not in running.stderr.read()
        assert left_by(running.pid) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["150"], "no case '150': 150-of-3kB, "),
        (["--methods", "penstok"], "--methods: no case has 'penstok': droptail, "),
        (["--repeats", "0"], "--repeats: at least 1"),
        (["18-of-30kB", "--methods", "droptail", "--limit", "3x"], "'x' is not a unit of time"),
    ],
)
def test_a_wrong_option_is_one_message(words: list[str], said: str) -> None:
    process = started(*words)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_the_table_has_means_beside_each_other_and_their_ratio() -> None:
    of = {"case": "a", "method": "m", "goodput_mbps": 4.0, "fct_ms_p50": None, "fct_ms_p99": 9.0}
    rows = [
        {**of, "backend": "live", "utilisation_percent": 90.0, "drops": 3},
        {**of, "backend": "live", "utilisation_percent": 100.0, "drops": 6},
        {**of, "backend": "sim", "utilisation_percent": 100.0, "drops": 0},
        {"case": "a", "method": "n", "backend": "live", "skipped": "no such queue"},
        {**of, "method": "n", "backend": "sim", "utilisation_percent": 50.0, "drops": 2},
    ]
    lines = table(rows).splitlines()
    assert lines[2] == (
        "| a | m | 95.0 / 100.0 = 0.95 | 4.00 / 4.00 = 1.00 |  | 9.0 / 9.0 = 1.00 | 4 / 0 |"
    )
    assert lines[3] == "| a | n | - / 50.0 | - / 4.00 |  | - / 9.0 | - / 2 |"
