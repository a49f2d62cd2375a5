# SPDX-License-Identifier: GPL-2.0-only
"""The report: what was found, the tables, the plots, and the paper's figures."""

import base64
import gzip
import json
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run, command

from penstock.errors import UserError
from penstock.view.plots import over_time
from penstock.view.report import document, sheet
from penstock.view.report.document import Place

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from chromium import Chromium

PAPER = """
[paper]
name = "a paper"

[[paper.value]]
figure = "Fig. 1"
source = "section 1"
column = "loss_percent"
method = "ewt"
flows = 3
value = 77.0

[[paper.order]]
figure = "Fig. 2"
source = "section 2"
column = "rewritten_acks"
method = "ewt"
flows = [3]
relation = "highest"
others = ["droptail"]

[[paper.capacity]]
figure = "Fig. 3"
source = "section 3"
method = "ewt"
over = "best"
gain_percent = 50
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, and in `out` its results and their report."""
    made = tmp_path_factory.mktemp("report")
    (made / "s.toml").write_text(SMALL + PAPER)
    assert command("run", "s.toml", "-o", "out", cwd=made).returncode == 0
    done = command("report", "out", cwd=made)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "out/report.html"
    return made


@pytest.fixture
def page(folder: Path) -> str:
    return (folder / "out" / "report.html").read_text()


def _plots(page: str) -> list[dict[str, Any]]:
    """The figures that a page holds."""
    found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', page)
    assert found
    plots: list[dict[str, Any]] = json.loads(found[1])
    return plots


def test_the_library_is_beside_the_page(page: str, folder: Path) -> None:
    assert len(page) < 500_000
    needed = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]*)"', page)
    assert len(needed) == 1
    assert b"plotly.js v" in (folder / "out" / needed[0]).read_bytes()[:200]


def test_one_file_holds_the_library(page: str, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "alone.html"
    options = ["--one-file", "-o", target, "--title", "Mine & yours"]
    done = command("report", "out", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    alone = target.read_text()
    assert list(tmp_path.glob("plotly*")) == []
    assert len(alone) < 2_500_000
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", alone)
    packed = re.search(r'id="library">([^<]*)<', alone)
    assert packed
    beside = next((folder / "out").glob("plotly-*.min.js")).read_bytes()
    assert gzip.decompress(base64.b64decode(packed[1])) == beside
    assert alone.count("Mine &amp; yours") == 2, "title and heading"
    assert _plots(alone) == _plots(page)


def test_pages_of_a_folder_share_the_library(tmp_path: Path) -> None:
    figure = document.go.Figure(document.go.Scatter(x=[0.0, 0.1, 0.2, 0.3], y=[1, 2, 3, 4]))
    (tmp_path / "part").mkdir()
    place = Place(tmp_path / "part" / "a.html", shared=tmp_path)
    from penstock.view.report.sheet import Sheet, write

    text = write(place, Sheet("A", plots=[("Plot", figure)])).read_text()
    assert [path.name for path in tmp_path.rglob("plotly*")] == [document._name()]
    assert f'src="../{document._name()}"' in text
    assert "library" not in write(Place(tmp_path / "b.html"), Sheet("No plot")).read_text()


def test_evenly_spaced_times_are_two_numbers() -> None:
    def trace(x: list[Any]) -> dict[str, Any]:
        figure = document.go.Figure(document.go.Scatter(x=x, y=[0] * len(x)))
        found: dict[str, Any] = document.content(figure)["data"][0]
        return found

    even = trace([0.0, 0.1, 0.2, 0.30000000000000004])
    assert (even["x0"], even["dx"], "x" in even) == (0.0, 0.1, False)
    assert trace([0.0, 0.1, 0.3])["x"] == [0.0, 0.1, 0.3]
    assert trace(["none", "1 %", "2 %"])["x"] == ["none", "1 %", "2 %"]


def test_methods_are_compared_on_one_scale(page: str) -> None:
    """In every plot, side by side and stacked, all y axes end at the same value."""
    plots = _plots(page)
    assert len(plots) == 8
    for plot in plots:
        for layout in (plot["layout"], plot["layout"]["meta"]["stacked"]):
            ends = {tuple(axis["range"]) for name, axis in layout.items() if "yaxis" in name}
            assert len(ends) == 1
            (low, high) = ends.pop()
            assert low == 0
            shown = [y for trace in plot["data"] for y in trace["y"] if y is not None]
            assert max(shown) <= high


def test_stacked_panels_use_the_same_traces(page: str) -> None:
    for plot in _plots(page):
        stacked = plot["layout"]["meta"]["stacked"]
        for trace in plot["data"]:
            axis = f"yaxis{trace['yaxis'][1:]}"
            assert axis in plot["layout"]
            assert stacked[axis]["domain"] != plot["layout"][axis]["domain"] or len(stacked) == 1
            assert stacked[f"xaxis{trace['xaxis'][1:]}"]["domain"] == [0.0, 1.0]


def test_error_bars_end_at_zero(page: str) -> None:
    bars = [trace for plot in _plots(page) for trace in plot["data"] if trace["type"] == "bar"]
    assert bars
    for bar in bars:
        below = zip(bar["y"], bar["error_y"]["arrayminus"], strict=True)
        assert all(y - minus >= 0 for y, minus in below if y is not None)


def test_axes_name_their_units(page: str) -> None:
    titles = {
        axis["title"]["text"]
        for plot in _plots(page)
        for name, axis in plot["layout"].items()
        if "axis" in name and "text" in axis.get("title", {})
    }
    assert titles == {
        *("packets lost (%)", "total goodput (Mbit/s)", "transfer time (s)", "time (s)", "flows"),
        *("slowest transfer (s)", "share of transfers", "queue (kB)"),
        *("queueing delay, 99th<br>percentile (ms)", "window (kB)"),
    }


def test_says_what_was_found_first(page: str) -> None:
    text = re.sub(r"<[^>]+>", "", page[page.index("<body>") :])
    order = ["With 3 flows and receive windows of 65,535 bytes", "Queue over time"]
    order += [
        "Loss at the gateway",
        "All means, and differences",
        "paper's figures beside ours",
        "How this came to be",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_differences_are_shown(page: str) -> None:
    rows = re.findall(r"<tr><td>(Fig\. \d)</td>(.*?)</tr>", page, re.DOTALL)
    verdicts = {
        figure: re.findall(r'class="(agrees|differs|cannot-tell|not-run)"', row)
        for figure, row in rows
    }
    assert verdicts["Fig. 1"] == ["differs", "differs"]
    assert verdicts["Fig. 2"] == ["agrees", "cannot-tell"], "two seeds"
    assert verdicts["Fig. 3"] == ["not-run", "not-run"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("--set=link.bottleneck.queue=60kB", "start_bytes = 18kB"),
        ("--sweep=link.bottleneck.queue=30kB,60kB", "start_bytes = 3/10 of the buffer"),
    ],
)
def test_parameters_are_those_of_the_buffer_that_was_run(
    tmp_path: Path, given: str, shown: str
) -> None:
    (tmp_path / "s.toml").write_text(SMALL)
    run = "run", "s.toml", "-o", "out", "--seeds", "1", "-m", "ewt", given
    assert command(*run, cwd=tmp_path).returncode == 0
    assert command("report", "out", cwd=tmp_path).returncode == 0
    assert shown in (tmp_path / "out" / "report.html").read_text()


def test_same_results_same_page(page: str, folder: Path) -> None:
    command("report", "out", cwd=folder)
    assert (folder / "out" / "report.html").read_text() == page


def test_flows_served_have_their_plot(
    penstock: Run, page: str, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    assert "Flows served" not in page
    done = penstock("capacity", "s.toml", "--levels", "1", "--receivers", "65535", "-o", "out")
    assert done.returncode == 0, done.stderr
    penstock("report", "out")
    assert "Flows served" in (tmp_path / "out" / "report.html").read_text()


def test_folder_without_results(penstock: Run) -> None:
    done = penstock("report", "nothing")
    assert done.returncode == 78
    assert "no finished results here" in done.stderr


def _luminance(colour: str) -> float:
    """As WCAG 2.2 has it."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_without_a_method_show_on_light_and_dark_pages() -> None:
    css = files("penstock.view.report").joinpath("templates/style.css").read_text()
    grounds = [_luminance(ground) for ground in re.findall(r"--card: (#\w{6})", css)]
    assert len(set(grounds)) == 2
    for colour in over_time.OTHERS:
        for ground in grounds:
            low, high = sorted((ground, _luminance(colour)))
            assert (high + 0.05) / (low + 0.05) >= 3, colour


# Names of texts that lie on each other, of all that a page shows; open details are laid out too.
_OVERLAPS = """(() => {
  const names = "svg text, h2, summary, .names button, .saves button, .tabs button";
  const all = [...document.querySelectorAll(names)];
  const boxes = all.filter((each) => each.textContent.trim() && each.checkVisibility())
    .map((each) => [each.textContent.trim(), each.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && box.height > 0);
  const apart = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]) <= 2;
  const found = [];
  boxes.forEach(([one, a], index) => boxes.slice(index + 1).forEach(([other, b]) => {
    if (!apart(a, b, "left", "right") && !apart(a, b, "top", "bottom")) found.push([one, other]);
  }));
  boxes.forEach(([one, a]) => {
    if (a.left < -1 || a.right > innerWidth + 1) found.push([one, "edge"]);
  });
  if (document.documentElement.scrollWidth > innerWidth) found.push(["page", "edge"]);
  return [boxes.length, found];
})()"""
_DRAWN = """[...document.querySelectorAll("[data-plot]:not([hidden])")]
  .every((plot) => plot.querySelector("svg text"))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    with Chromium(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module", params=["two receivers", "a sweep"])
def whole(request: pytest.FixtureRequest, folder: Path) -> Path:
    """A page in one file."""
    where = folder / "out"
    if request.param == "a sweep":
        sweeps = ("--sweep", "link.bottleneck.delay=1ms,5ms,80ms", "--receivers", "auto")
        more = ("--sweep", "link.bottleneck.queue=15kB,75kB", "-m", "droptail,ewt,penstock")
        where = folder / "swept"
        (folder / "swept.toml").write_text(SMALL)
        done = command("run", "swept.toml", *sweeps, *more, "-o", where, cwd=folder)
        assert done.returncode == 0, done.stderr
    page = folder / f"{where.name}.html"
    done = command("report", where, "--one-file", "-o", page)
    assert done.returncode == 0, done.stderr
    return page


@pytest.mark.parametrize("width", [1250, 620, 500])
def test_no_text_lies_on_another_in_a_browser(browser: Chromium, whole: Path, width: int) -> None:
    browser.screen(width)
    browser.open(whole.as_uri())
    browser.wait(_DRAWN)
    count, found = browser.ask(_OVERLAPS)
    assert count > 30
    assert found == []
    assert browser.complaints == []


def test_a_sheet_that_cannot_be_written(tmp_path: Path) -> None:
    target = tmp_path / "no" / "sheet.html"
    with pytest.raises(UserError, match=f"{re.escape(str(target))}: cannot be written: No such"):
        sheet.write(Place(target), sheet.Sheet("none"))
