# SPDX-License-Identifier: GPL-2.0-only
"""What a user can choose of figures and tables: parts of the results, scales, looks, colours."""

import json
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from lab_support import SMALL, command
from matplotlib.figure import Figure

from penstock.api import load
from penstock.errors import UsageError
from penstock.results.store import Store
from penstock.scenario import params
from penstock.view.plots import kinds, over_time, page, paper, select
from penstock.view.plots.chart import Axis, Chart, Panel, Series
from penstock.view.plots.data import gather

RTT = "link.bottleneck.rtt"
BOTH_WAYS = SMALL.replace(
    '[gateway.left]\nlink = "bottleneck"',
    """[link.bottleneck.back]
rate = "1mbit"
queue = "20kB"

[gateway.left]
link = "bottleneck"

[gateway.right]
link = "bottleneck"
direction = "back"
method = "droptail\"""",
).replace(
    "[sample]",
    '[tcp.up]\nfrom = "receivers"\nto = "senders"\nsize = "100kB"\nstart = "0s..1s"\n\n[sample]',
)
LEAST_APART = 15.0  # of two colours in CIELAB: about seven just noticeable differences


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results over a key whose values are far apart, with two gateways."""
    here = tmp_path_factory.mktemp("choices")
    (here / "s.toml").write_text(BOTH_WAYS)
    sweep = ("--sweep", f"{RTT}=1ms,10ms,40ms,160ms", "-n", "2,8", "--receivers", "auto")
    done = command("run", "s.toml", *sweep, "-o", "out", cwd=here)
    assert done.returncode == 0, done.stderr
    return here / "out"


def rows(folder: Path, *words: str) -> list[dict[str, Any]]:
    done = command("table", str(folder), *words, "-j")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_table_is_of_chosen_results(folder: Path) -> None:
    found = rows(folder, "-m", "ewt", "--where", f"{RTT}=40ms", "--where", "flows=8")
    assert [(row["method"], row["flows"], row[RTT]) for row in found] == [("ewt", 8, "40ms")]
    assert len(rows(folder)) == 16
    done = command("table", str(folder), "--where", f"{RTT}=41ms")
    assert done.returncode == 2
    assert "not run; known: 1ms, 10ms, 40ms, 160ms" in done.stderr


@pytest.mark.parametrize("gateway", ["left", "right"])
def test_a_table_and_a_figure_are_of_one_gateway(folder: Path, gateway: str) -> None:
    queues = pl.read_parquet(folder / "queues.parquet")
    own = queues.filter(
        *(pl.col(key) == value for key, value in (("gateway", gateway), ("method", "ewt"))),
        *(pl.col(key) == value for key, value in (("flows", 8), (RTT, "40ms"))),
    )
    where = ("-m", "ewt", "--where", f"{RTT}=40ms", "--where", "flows=8")
    (row,) = rows(folder, *where, "--gateway", gateway, "--columns", "queue_bytes_max,drops")
    assert row["queue_bytes_max"]["mean"] == own["queue_bytes_max"].mean()
    assert row["drops"]["mean"] == own["drops"].mean()
    data = select.chosen(gather(Store(folder), gateway=gateway), ["ewt"], [(RTT, "40ms")])
    chart = over_time.queue(data, 8)
    limit = {"left": 30.0, "right": 20.0}[gateway]
    assert {panel.limit for panel in chart.panels} == {limit}
    highest = max(value or 0 for panel in chart.panels for each in panel.series for value in each.y)
    assert highest * 1e3 <= own["queue_bytes_max"].max()


def test_the_measured_gateway_is_the_default(folder: Path) -> None:
    assert rows(folder, "--gateway", "left") == rows(folder)
    assert rows(folder, "--gateway", "right") != rows(folder)


def test_an_unknown_gateway_is_refused(folder: Path) -> None:
    done = command("plot", str(folder), "queue", "--gateway", "lift")
    assert done.returncode == 2
    assert "--gateway lift: no such gateway; did you mean 'left'?" in done.stderr


def test_the_distribution_of_delays_is_that_of_the_columns(folder: Path) -> None:
    """Quantiles by method and seed; the curve over seeds lies between theirs."""
    results = load(folder)
    keys = ["method", "flows", RTT, "seed"]
    of_measured = results.delays.filter(pl.col("gateway") == "left", pl.col("group") == "")
    p99 = of_measured.filter((pl.col("share") - 0.99).abs() < 1e-9).join(results.frame, on=keys)
    assert len(p99) == len(results.frame)
    assert (p99["delay_ms"] == p99["queue_delay_ms_p99"]).all()
    rising = of_measured.group_by(keys, maintain_order=True).agg(pl.col("delay_ms").diff().min())
    assert (rising["delay_ms"] >= 0).all()
    chart = kinds.delay(select.chosen(results.data, ["ewt"], [(RTT, "40ms"), ("flows", "8")]))
    (line,) = chart.panels[0].series
    ours = of_measured.filter(
        pl.col("method") == "ewt", pl.col("flows") == 8, pl.col(RTT) == "40ms"
    )
    assert line.x[-1] == ours["delay_ms"].max()
    assert line.y[-1] == 1.0
    middle = np.interp(0.5, [y or 0.0 for y in line.y], line.x)
    half = ours.filter((pl.col("share") - 0.5).abs() < 1e-9)["delay_ms"]
    assert half.min() - 1 <= middle <= half.max() + 1


def test_ticks_of_a_logarithmic_axis_are_the_values_of_the_data(folder: Path) -> None:
    chart = kinds.line(gather(Store(folder)), "queue_delay_ms_mean", RTT)
    assert chart.logarithmic
    assert chart.ticks == [1.0, 10.0, 40.0, 160.0]
    figure = paper.draw(chart)
    axes = figure.axes[0]
    assert axes.get_xscale() == "log"
    assert {float(text.get_text()) for text in axes.get_xticklabels()} <= set(chart.ticks)
    assert axes.get_xticklabels()
    assert page.draw(chart).layout.xaxis.type == "log"
    assert list(page.draw(chart).layout.xaxis.tickvals) == chart.ticks


def test_axes_are_logarithmic_on_request(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "line.pdf"
    words = ("plot", str(folder), "line", "--y", "queue_delay_ms_mean", "--x", RTT, "-o", str(out))
    assert command(*words, "--log-y", "--no-log-x").returncode == 0
    figure = load(folder).plot.line("queue_delay_ms_mean", x=RTT, log_y=True, log_x=False)
    assert {(axes.get_xscale(), axes.get_yscale()) for axes in figure.axes} == {("linear", "log")}
    low, high = figure.axes[0].get_ylim()
    assert 0 < low < high
    figure.canvas.draw()
    axis = figure.axes[0].yaxis
    shown = [text.get_text() for text in axis.get_ticklabels(which="both") if text.get_text()]
    assert len(shown) >= 3
    assert all(float(text) == place for text, place in zip(shown, axis.get_ticklocs(), strict=True))
    done = command("plot", str(folder), "bars", "--x", RTT, "--log-x", "-o", str(out))
    assert done.returncode == 2
    assert "--log-x: this axis has names instead of numbers" in done.stderr


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.5, 2e3, [1, 10, 100, 1000]),
        (4.8, 12.2, [5, 6, 7, 8, 9, 10]),
        (2.1, 2.9, [2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9]),
        (3, 30, [5, 10, 20]),
    ],
)
def test_a_logarithmic_axis_has_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert paper._log_ticks(low, high) == pytest.approx(ticks)


def test_zeros_beside_a_logarithmic_axis_are_told() -> None:
    lines = [Series("one", "#000000", [1, 2], [0.0, 3.0]), Series("two", "#ff0000", [1, 2], [1, 3])]
    panels = [Panel("", lines)]
    chart = Chart("line", Axis("x"), Axis("y"), panels, points=True)
    assert chart.at_zero == ["one"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as of a layout in which a point at -inf takes all room
        figure = paper.draw(chart, paper.look("88mm", "serif", "T", log_y=True))
        figure.draw_without_rendering()
    box = figure.axes[0].get_position()
    assert box.height > 0.3
    assert box.y0 > 0.1


def test_a_program_draws_with_the_names_of_the_command(folder: Path) -> None:
    plot = load(folder).plot(["ewt"], {"flows": 8, RTT: "40ms"})
    figure = plot.bars(y="queue_delay_ms_mean", width="88mm", font="serif", title="One")
    assert figure.get_figwidth() == pytest.approx(88 / 25.4)
    assert figure.get_suptitle() == "One"
    assert plot.bars(width=3.4).get_figwidth() == pytest.approx(3.4)
    with pytest.raises(UsageError, match="width='wide': write a length"):
        plot.bars(width="wide")
    with pytest.raises(UsageError, match="group='web': no such group"):
        load(folder).plot(group="web").cdf()
    with pytest.raises(UsageError, match="gateway='lift': no such gateway"):
        load(folder).plot(gateway="lift").queue()


def lab(colour: str) -> np.ndarray:
    """A colour in CIELAB, from sRGB under D65."""
    srgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    to_xyz = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
    xyz = np.array(to_xyz) @ linear / np.array([0.9505, 1.0, 1.0888])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_no_two_methods_have_one_colour() -> None:
    colours = {name: each.colour for name, each in params.methods().items()}
    assert all(colours.values())
    everything = [*colours.items(), *(("another", each) for each in over_time.OTHERS)]
    for (one, first), (other, second) in combinations(everything, 2):
        assert np.linalg.norm(lab(first) - lab(second)) >= LEAST_APART, (one, other)


def drawn(figure: Figure) -> set[str]:
    from matplotlib.colors import to_hex

    return {to_hex(line.get_color()) for axes in figure.axes for line in axes.get_lines()}


@pytest.mark.parametrize("methods", [["ewt"], ["droptail", "ewt"]])
def test_a_method_has_one_colour_in_all_figures(folder: Path, methods: list[str]) -> None:
    plot = load(folder).plot(methods, {"flows": 8})
    own = {params.methods()[name].colour for name in methods}
    draws: list[Callable[[], Figure]] = [plot.line, plot.cdf, plot.delay]
    assert all(drawn(draw()) == own for draw in draws)
