# SPDX-License-Identifier: GPL-2.0-only
"""`penstock table` and `penstock plot`: results in the forms that papers take."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from lab_support import SMALL, Run, command

from penstock.api import load
from penstock.columns import NAMES
from penstock.errors import Exit, UsageError
from penstock.results.store import Store
from penstock.results.tables import summarise
from penstock.view.plots import kinds, select
from penstock.view.plots.data import Data, gather

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
        assert row["method"] == record["method"]
        assert row["link.bottleneck.delay"] == record["link.bottleneck.delay"]
        assert float(row["link.bottleneck.delay_s"]) == record["link.bottleneck.delay_s"]
        assert float(row["goodput_mbps_total"]) == record["goodput_mbps_total"]["mean"]
        assert float(row["goodput_mbps_total_half"]) == record["goodput_mbps_total"]["half"]
        assert row["runs"] == "2"


def test_swept_values_are_numbers_in_si_units(data: Data, folder: Path) -> None:
    results = load(folder / "out")
    for frame in (results.frame, results.summary()):
        assert set(frame["link.bottleneck.delay"]) == {"5ms", "20ms"}
        assert set(frame["link.bottleneck.delay_s"]) == {0.005, 0.020}
    assert set(results.frame["ewt.start_bytes_number"]) == {None, 5000.0, 15000.0}
    delays = [line.given["link.bottleneck.delay"] for line in data.lines]
    assert delays == ["5ms"] * 6 + ["20ms"] * 6, "as numbers, not as texts"


def test_settings_are_sorted_as_numbers() -> None:
    rows = [
        {
            **dict.fromkeys(NAMES),
            "method": "ewt",
            "mode": "safe",
            "parameters": "",
            "seed": 1,
            "receivers": "auto",
            "flows": flows,
            "link.a.delay": delay,
            "loss_percent": 0.0,
        }
        for delay in ("100ms", "20ms", "0.003s")
        for flows in (16, 4)
    ]
    lines = summarise(rows)
    assert [(line.given["link.a.delay"], line.flows) for line in lines] == [
        ("0.003s", 4),
        ("0.003s", 16),
        ("20ms", 4),
        ("20ms", 16),
        ("100ms", 4),
        ("100ms", 16),
    ]


def test_latex_and_markdown(folder: Path) -> None:
    latex = command("table", "out", "--format", "latex", cwd=folder).stdout
    assert latex.startswith("\\begin{tabular}{lrrrrrrrrr}\n\\toprule\n")
    assert latex.count("\\midrule") == 4
    assert "ewt start\\_bytes=5kB & $" in latex
    body = [line for line in latex.splitlines() if line.startswith("ewt")]
    assert all(line.count(" & ") == 9 for line in body)
    markdown = command("table", "out", "--format", "markdown", cwd=folder).stdout
    assert markdown.count("|---|---:|") == 4
    assert "| ewt start_bytes=5kB | " in markdown


def test_a_figure_shows_the_means(data: Data) -> None:
    made = kinds.line(data, "goodput_mbps", "flows")
    expected = [
        [
            line.means["goodput_mbps"].mean  # type: ignore[union-attr]
            for line in data.lines
            if (line.label, line.settings) == key
        ]
        for key in dict.fromkeys((line.label, line.settings) for line in data.lines)
    ]
    found = [list(each.y) for panel in made.panels for each in panel.series]
    assert sorted(found) == sorted(expected)
    (panel,) = kinds.heat(select.chosen(data, ["ewt"], [("flows", "4")]), "goodput_mbps").panels
    most = [line for line in data.lines if line.flows == 4 and line.method == "ewt"]
    assert sorted(value for row in panel.cells for value in row if value is not None) == sorted(
        line.means["goodput_mbps"].mean  # type: ignore[union-attr]
        for line in most
    )


def test_a_key_is_an_axis_with_its_name_and_unit(data: Data) -> None:
    made = kinds.line(data, "goodput_mbps_total", "link.bottleneck.delay")
    assert made.x.title == "one-way delay of the bottleneck (ms)"
    assert made.y.title == "total goodput (Mbit/s)"
    assert [panel.title for panel in made.panels] == ["2 flows", "4 flows"]
    assert all(each.x == [5.0, 20.0] for panel in made.panels for each in panel.series)
    own = kinds.line(select.chosen(data, [], [("flows", "4")]), "loss_percent", "ewt.start_bytes")
    assert [each.name for panel in own.panels for each in panel.series] == ["EWT", "EWT"]
    assert own.x.title == "start of ewt (kB)"


def test_results_are_chosen_by_value(data: Data) -> None:
    chosen = select.chosen(data, ["droptail"], [("link.bottleneck.delay", "0.005s")])
    assert {(line.method, line.given["link.bottleneck.delay"]) for line in chosen.lines} == {
        ("droptail", "5ms")
    }
    assert {place[1][1] for place in chosen.series} == {"link.bottleneck.delay=5ms"}


def test_too_much_for_a_figure_says_what_to_choose(data: Data) -> None:
    delays = [f"{number}ms" for number in range(1, 15)]
    many = [
        replace(
            line,
            settings=f"link.bottleneck.delay={text}",
            given={**line.given, "link.bottleneck.delay": text},
        )
        for line in data.lines
        for text in delays
    ]
    with pytest.raises(UsageError, match=r"14 panels are too many.*--where.*--x"):
        kinds.line(replace(data, lines=many), "loss_percent", "flows")


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG"), ("pgf", b"%% Creator")],
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
        (["plot", "out", "bars", "-o", "x.gif"], "ends in .pdf, .svg, .png or .pgf"),
        (["plot", "out", "bars", "--format", "gif"], "known: pdf, svg, png, pgf"),
        (["plot", "out", "line", "--x", "link.bottleneck.dely"], "'link.bottleneck.delay'"),
        (["plot", "out", "line", "--where", "flows=3"], "not run; known: 2, 4"),
        (["plot", "out", "line", "--method", "awm"], "known: droptail, ewt"),
        (["plot", "out", "line", "--width", "3"], "such as 3.4in"),
        (["plot", "out", "line", "--width", "3mm"], "inches are too few"),
        (["plot", "out", "line", "--font", "No Such Font"], "no such font here"),
        (["plot", "out", "bars", "-o", "x.pdf", "--column", "jian"], "did you mean 'jain'"),
        (["plot", "out", "cdf", "-o", "x.pdf", "--column", "jain"], "cdf takes none"),
        (["plot", "out", "bars", "-o", "x.pdf", "--flows", "2"], "bars takes none"),
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
