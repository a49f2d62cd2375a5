# SPDX-License-Identifier: GPL-2.0-only
"""The square-root law and PFTK against their sources, and against the simulator's sender."""

import json
from math import inf, sqrt
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli import app
from penstock.errors import UsageError
from penstock.results.models import throughput as model

RUNNER = CliRunner()
PATH = model.Path(rtt_s=0.1, rto_s=0.3)


def test_the_law_is_that_of_a_sawtooth() -> None:
    """Mathis et al.: from W / 2 to W by one segment a round trip, then one loss."""
    for window in (20, 200, 2000):
        sent = sum(range(window // 2, window))
        rounds = window - window // 2
        rate = sent / (rounds * PATH.rtt_s)
        assert model.inverse_sqrt(1 / sent, PATH) == pytest.approx(rate, rel=2 / window)


def test_pftk_in_its_limits() -> None:
    """Padhye et al. 1998: the square-root law at small p; eq. (32) by hand at p = 0.02, b = 2."""
    assert model.pftk(1e-8, PATH) == pytest.approx(model.inverse_sqrt(1e-8, PATH), rel=1e-3)
    delayed = model.Path(0.2, 1.0, inf, 2)
    by_hand = 1 / (0.2 * sqrt(0.08 / 3) + 3 * sqrt(0.12 / 8) * 0.02 * (1 + 32 * 0.0004))
    assert model.pftk(0.02, delayed) == pytest.approx(by_hand, rel=1e-12)
    assert model.pftk(1e-6, model.Path(0.1, 0.3, 50)) == 500
    # The probability of a timeout is at most 1.
    high = 1 / (0.1 * sqrt(1.2 / 3) + 0.3 * 0.6 * (1 + 32 * 0.36))
    assert model.pftk(0.6, PATH) == pytest.approx(high, rel=1e-12)


@pytest.mark.parametrize(
    ("loss", "seconds", "tolerance"), [(0.001, 3000, 0.15), (0.01, 1000, 0.1), (0.03, 600, 0.1)]
)
def test_pftk_is_what_the_simulators_newreno_reaches(
    loss: float, seconds: float, tolerance: float
) -> None:
    found = model.measure(loss, PATH, seconds)
    assert found.sent_per_s == pytest.approx(model.pftk(loss, PATH), rel=tolerance)
    assert found.fast_recoveries > 100


def test_the_receive_window_limits_the_simulator_too() -> None:
    path = model.Path(0.1, 0.3, window_segments=20)
    assert model.measure(1e-5, path, 500).sent_per_s == pytest.approx(200, rel=0.01)


def run(*arguments: str) -> str:
    return RUNNER.invoke(app, ["model", *arguments], catch_exceptions=False).stdout


@pytest.mark.parametrize("name", ["sqrt-p", "pftk"])
def test_table_json_and_page(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    text = run(name, "--loss", "0.01,0.1", "--losses", "100", "-o", str(folder))
    assert "nis-2004 eq." in text
    assert "sent/formula" in text
    page = (folder / f"{name}.html").read_text()
    assert "newreno, sent" in page
    library = next(folder.glob("plotly-*.js"))
    assert page.count("src=") == page.count(f'src="{library.name}"') == 1
    records = [json.loads(line) for line in run(name, "--losses", "0", "-j").splitlines()]
    assert len(records) == 7
    assert "sender" not in records[0]
    assert records[0]["throughput_segments_per_s"] == pytest.approx(1224.7, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--loss", "2"], "from 1e-9 to 0.9"),
        (["--loss", "nan"], "from 1e-9 to 0.9"),
        (["--loss", ","], "at least one"),
        (["--rtt", "100"], "a unit is missing"),
        (["--rtt", "0s"], "above 0s"),
        (["--rto", "10ms"], "not shorter"),
        (["--sender", "newrno"], "newreno"),
    ],
)
def test_mistakes_are_one_sentence(arguments: list[str], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        run("pftk", *arguments)
