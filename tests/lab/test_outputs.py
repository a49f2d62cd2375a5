# SPDX-License-Identifier: GPL-2.0-only
"""`penstock table` and `penstock plot`: results in the forms that papers take."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lab_support import SMALL, Run, command
from matplotlib.figure import Figure

from penstock.errors import Exit
from penstock.plots import kinds
from penstock.report.data import Data, gather
from penstock.results.stats import Mean
from penstock.runs.store import Store

SWEEP = '"link.bottleneck.delay" = ["5ms", "20ms"]\n"ewt.start" = ["5kB", "15kB"]\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two methods at two numbers of flows, swept."""
    here = tmp_path_factory.mktemp("outputs")
    (here / "s.toml").write_text(SMALL.replace("seeds = 2\n", f"seeds = 2\n{SWEEP}"))
    done = command("run", "s.toml", "-n", "2,4", "--receivers", "65535", "-o", "out", cwd=here)
    assert done.returncode == 0, done.stderr
    return here


@pytest.fixture
def data(folder: Path) -> Data:
    return gather(Store(folder / "out"))


def test_text_is_the_summary_of_the_run(folder: Path) -> None:
    run = command("run", "s.toml", "-n", "2,4", "--receivers", "65535", "-o", "out", cwd=folder)
    table = command("table", "out", cwd=folder)
    assert table.stdout == run.stdout
    chosen = command("table", "out", "--columns", "timeouts,jain", cwd=folder).stdout
    assert "fairness" in chosen
    assert "loss %" not in chosen
    less = command("table", "out", "--against", "droptail", cwd=folder).stdout
    assert "less droptail, by seed" in less


def test_csv_has_the_numbers(folder: Path) -> None:
    found = command("table", "out", "--format", "csv", cwd=folder).stdout
    rows = list(csv.DictReader(io.StringIO(found)))
    records = map(json.loads, command("table", "out", "-j", cwd=folder).stdout.splitlines())
    assert len(rows) == 4 * 3
    for row, record in zip(rows, records, strict=True):
        assert (row["method"], row["settings"]) == (record["method"], record["settings"])
        assert float(row["goodput_mbps"]) == record["goodput_mbps"]["mean"]
        assert float(row["goodput_mbps_half"]) == record["goodput_mbps"]["half"]
        assert row["runs"] == "2"


def test_latex_and_markdown(folder: Path) -> None:
    latex = command("table", "out", "--format", "latex", cwd=folder).stdout
    assert latex.startswith("\\begin{tabular}{lrrrrrrrr}\n\\toprule\n")
    assert latex.count("\\midrule") == 4
    assert "ewt start\\_bytes=5kB & $" in latex
    body = [line for line in latex.splitlines() if line.startswith("ewt")]
    assert all(line.count(" & ") == 8 for line in body)
    markdown = command("table", "out", "--format", "markdown", cwd=folder).stdout
    assert markdown.count("|---|---:|") == 4
    assert "| ewt start_bytes=5kB | " in markdown


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_each_kind_is_drawn(data: Data, kind: str) -> None:
    figure = kinds.KINDS[kind](data)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert all(axis.lines or axis.patches or axis.images or axis.collections for axis in shown)


def test_a_figure_shows_the_means(data: Data) -> None:
    (axis,) = kinds.loss(data, "goodput_mbps").axes
    lines = [line for line in axis.lines if list(line.get_xdata()) == [2, 4]]
    expected = [
        [
            line.means["goodput_mbps"].mean  # type: ignore[union-attr]
            for line in data.lines
            if (line.label, line.settings) == key
        ]
        for key in dict.fromkeys((line.label, line.settings) for line in data.lines)
    ]
    assert sorted(list(line.get_ydata()) for line in lines) == sorted(expected)
    (panel, _) = kinds.heat(data, "goodput_mbps").axes
    cells = np.asarray(panel.images[0].get_array())
    most = [line for line in data.lines if line.flows == 4 and line.method == "ewt"]
    assert sorted(cells.ravel()) == sorted(line.means["goodput_mbps"].mean for line in most)  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", [kinds.bars, kinds.loss])
def test_the_scale_holds_the_last_panel(kind: Callable[[Data], Figure], data: Data) -> None:
    more = [
        replace(
            line,
            receivers="auto",
            means={
                name: mean and Mean(100 * mean.mean + 1, 3.0, 2) for name, mean in means.items()
            },
        )
        for line in data.lines
        for means in (line.means,)
    ]
    figure = kind(replace(data, lines=[*data.lines, *more]))
    largest = max(mean.high for line in more if (mean := line.means["loss_percent"]))
    assert all(axis.get_ylim()[1] >= largest for axis in figure.axes)


def test_bars_do_not_reach_below_zero() -> None:
    assert kinds._half(Mean(0.2, 0.5, 3)) == (0.2, 0.5)
    assert kinds._half(Mean(0.2, None, 1)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("suffix", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_files_are_the_same_each_time(folder: Path, suffix: str, start: bytes) -> None:
    for name in ("one", "two"):
        done = command("plot", "out", "bars", "-o", f"{name}.{suffix}", cwd=folder)
        assert (done.returncode, done.stdout) == (0, f"{name}.{suffix}\n"), done.stderr
    one = (folder / f"one.{suffix}").read_bytes()
    assert one.startswith(start)
    assert one == (folder / f"two.{suffix}").read_bytes()
    assert not list(folder.glob("*.partial*"))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["plot", "out", "bar", "-o", "x.pdf"], "did you mean 'bars'"),
        (["plot", "out", "bars", "-o", "x.gif"], "ends in .pdf, .svg or .png"),
        (["plot", "out", "bars", "-o", "x.pdf", "--column", "jian"], "did you mean 'jain'"),
        (["plot", "out", "cdf", "-o", "x.pdf", "--column", "jain"], "cdf has none"),
        (["plot", "out", "bars", "-o", "x.pdf", "--flows", "2"], "bars shows all"),
        (["plot", "out", "queue", "-o", "x.pdf", "--flows", "3"], "known: 2, 4"),
        (["table", "out", "--format", "html"], "known: text, csv, latex, markdown"),
        (["table", "out", "--columns", "loss_percnt"], "'loss_percent'"),
        (["table", "out", "--against", "awm"], "not a method of these results"),
    ],
)
def test_mistakes(folder: Path, arguments: list[str], hint: str) -> None:
    done = command(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_results_are_no_table(penstock: Run) -> None:
    for arguments in (["table", "none"], ["plot", "none", "bars", "-o", "x.pdf"]):
        assert penstock(*arguments).returncode == Exit.CONFIG
