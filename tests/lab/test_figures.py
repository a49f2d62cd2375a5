# SPDX-License-Identifier: GPL-2.0-only
"""Figures: all data within the axes, no text on another, and the same in print and on pages."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from lab_support import SMALL, command
from matplotlib.figure import Figure
from matplotlib.text import Text

from penstock.api import load
from penstock.errors import Exit
from penstock.results.store import Store
from penstock.view.plots import kinds, page, paper
from penstock.view.plots.data import Data, gather

DELAY, QUEUE = "link.bottleneck.delay", "link.bottleneck.queue"
ONE_KEY = ("-n", "3", "--receivers", "auto", "--sweep", f"{DELAY}=1ms,5ms,20ms,80ms")
MIXED = SMALL.replace(
    "[sample]",
    """[tcp.pages]
from = "senders"
to = "receivers"

[tcp.pages.traffic]
kind = "web"
session = "0s"
reading = "exponential(100ms)"
size = "20kB"

[time]
limit = "5s"

[sample]""",
)
SITUATIONS = {
    "one key": ONE_KEY,
    "two keys": (*ONE_KEY, "--sweep", f"{QUEUE}=15kB,75kB"),
    "a method's key": ("-n", "2,16", "--receivers", "auto", "--sweep", "ewt.start=5kB,15kB"),
    "two receivers": ("-n", "2,4,8,16", "-m", "droptail,ewt,penstock,red"),
    "mixed groups": ("-n", "3", "--receivers", "auto"),
    "a single value": ("-n", "3", "--receivers", "65535", "-m", "ewt", "--seeds", "1"),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of all situations."""
    here = tmp_path_factory.mktemp("figures")
    (here / "s.toml").write_text(SMALL)
    (here / "mixed.toml").write_text(MIXED)
    for name, arguments in SITUATIONS.items():
        file = "mixed.toml" if name == "mixed groups" else "s.toml"
        done = command("run", file, *arguments, "-o", name, cwd=here)
        assert done.returncode == 0, done.stderr
    return here


def results(folders: Path, name: str) -> Data:
    return gather(Store(folders / name))


def texts(figure: Figure) -> Iterator[Text]:
    """All that is written in a figure."""
    for text in figure.findobj(Text):
        axes = text.axes
        if not text.get_text().strip() or not text.get_visible():
            continue
        if axes is not None and not axes.get_visible():
            continue
        yield text


def shown_ticks(figure: Figure) -> set[Text]:
    """The labels of ticks that are within their axis; Matplotlib makes more than it shows."""
    found: set[Text] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            margin = 1e-6 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if low - margin <= tick.get_loc() <= high + margin:
                    found.update((tick.label1, tick.label2))
    return found


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other, and texts that leave the figure."""
    figure.draw_without_rendering()
    ticks = {
        t
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for t in (tick.label1, tick.label2)
    }
    shown = shown_ticks(figure)
    boxes = [
        (text.get_text(), text.get_window_extent())
        for text in texts(figure)
        if text not in ticks or text in shown
    ]
    found = [
        (one, other)
        for (one, a), (other, b) in combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1
    ]
    whole = figure.bbox
    return found + [
        (text, "the figure's edge")
        for text, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > whole.x1 + 1 or box.y1 > whole.y1 + 1
    ]


TWO_KEYS = ("two keys", "a method's key")  # that a heat map needs
CASES = [
    (kind, name)
    for kind in kinds.KINDS
    for name in SITUATIONS
    if kind != "heat" or name in TWO_KEYS
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_all_data_is_within_the_axes_and_no_text_on_another(
    folders: Path, kind: str, name: str
) -> None:
    made = kinds.KINDS[kind](results(folders, name))
    figure = paper.draw(made, paper.Look(title="A title"))
    drawn = [axes for axes in figure.axes if axes.get_visible()][: len(made.panels)]
    assert len(drawn) == len(made.panels)
    for axes, panel in zip(drawn, made.panels, strict=True):
        (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
        values = 0
        for each in panel.series:
            ys = [y for y in (*each.y, *each.low, *each.high) if y is not None]
            values += len(ys)
            assert all(bottom <= y <= top for y in ys)
            assert all(left <= x <= right for x in each.x)
            assert all(
                low <= y <= high
                for y, low, high in zip(each.y, each.low, each.high, strict=bool(each.low))
                if y is not None
            )
        cells = sum(value is not None for row in panel.cells for value in row)
        assert values + cells > 0, "an empty panel"
        assert axes.lines or axes.patches or axes.collections
    ranges = {axes.get_ylim() for axes in drawn}
    assert len(ranges) == 1
    assert overlaps(figure) == []


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_no_text_lies_on_another_in_a_column(folders: Path, kind: str, name: str) -> None:
    figure = paper.draw(kinds.KINDS[kind](results(folders, name)), paper.Look(3.4, title="A title"))
    assert overlaps(figure) == []


def test_the_page_draws_the_same(folders: Path) -> None:
    """Both drawings of a chart have its values, its intervals, and the same scale."""
    made = kinds.line(results(folders, "two receivers"), "goodput_mbps_total")
    figure, plot = paper.draw(made), page.draw(made)
    given = [each for panel in made.panels for each in panel.series]
    printed = [line for axes in figure.axes for line in axes.lines]
    for each, line, trace in zip(given, printed, plot.data, strict=True):
        assert list(line.get_ydata()) == list(trace.y) == list(each.y)
        assert list(line.get_xdata()) == list(trace.x) == list(each.x)
        ends = zip(trace.y, trace.error_y.arrayminus, trace.error_y.array, strict=True)
        for (y, minus, plus), low, high in zip(ends, each.low, each.high, strict=True):
            assert (y - minus, y + plus) == pytest.approx((low, high))
    (ticks,) = {tuple(axes.get_xticks()) for axes in figure.axes}
    assert ticks == tuple(plot.layout.xaxis.tickvals) == (2, 4, 8, 16)
    layouts = (plot.layout.to_plotly_json(), plot.layout.meta["stacked"])
    ranges = [v["range"] for found in layouts for k, v in found.items() if k.startswith("yaxis")]
    assert {tuple(each) for each in ranges} == {made.y_range}
    assert figure.axes[0].get_ylim() == made.y_range


def test_points_on_an_axis_are_whole(folders: Path) -> None:
    """A method without loss has its marks on the x axis: neither cut there nor behind it."""
    made = kinds.line(results(folders, "two receivers"), "loss_percent")
    assert any(0 in each.y for panel in made.panels for each in panel.series)
    for axes in paper.draw(made).axes:
        for line in axes.lines:
            assert not line.get_clip_on()
            assert line.get_zorder() > axes.spines["bottom"].get_zorder()
    assert all(trace.cliponaxis is False for trace in page.draw(made).data)


def test_groups_are_never_merged_into_one_percentile(folders: Path) -> None:
    """Bulk and pages differ by two orders of magnitude."""
    found = load(folders / "mixed groups")
    assert "fct_ms_p99" not in found.summary().columns or not any(found.summary()["fct_ms_p99"])
    (of_all,) = {line.means["fct_ms_p99"] for line in results(folders, "mixed groups").lines}
    assert of_all is None
    for line in results(folders, "mixed groups").lines:
        assert line.means["fct_to_100k_ms_p99"], "a class of sizes is of pages alone"
    by_name = {}
    for name in ("bulk", "pages"):
        lines = gather(Store(folders / "mixed groups"), name).lines
        means = [line.means["fct_ms_p99"] for line in lines if line.method == "droptail"]
        by_name[name] = [mean.mean for mean in means if mean]
        done = command(
            "table", "mixed groups", "--group", name, "--columns", "fct_ms_p99", cwd=folders
        )
        assert f"{by_name[name][0]:.0f}" in done.stdout
        own = found.groups.filter(group=name, method="droptail")["fct_ms_p99"]
        assert by_name[name] == [pytest.approx(own.mean())]
    assert by_name["pages"] < by_name["bulk"]
    done = command("table", "mixed groups", "--group", "page", cwd=folders)
    assert (done.returncode, done.stderr) == (
        Exit.USAGE,
        "penstock: --group page: no such group; did you mean 'pages'?\n",
    )


def test_results_become_an_xarray(folders: Path) -> None:
    pytest.importorskip("xarray", reason="pip install xarray pandas")
    made = load(folders / "two keys").to_xarray()
    keys = f"{DELAY}_s", f"{QUEUE}_bytes"
    assert set(made.sizes) == {"method", "seed", *keys}
    without = [str(name) for name, each in made.items() if each.isnull().all()]
    assert "udp_loss_percent" in without
    assert all(made[name].dtype.kind == "f" for name in without)  # NaN, not None
    one = made["loss_percent"].sel({keys[0]: 0.02, keys[1]: 15000.0, "method": "ewt", "seed": 1})
    frame = load(folders / "two keys").frame.filter(method="ewt", seed=1)
    (expected,) = frame.filter(**{DELAY: "20ms", QUEUE: "15kB"})["loss_percent"]
    assert float(one) == expected
    assert made.attrs["flows"] == 3
