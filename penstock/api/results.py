# SPDX-License-Identifier: GPL-2.0-only
"""Results of a run: tables as polars frames, and figures."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import polars as pl

from penstock.api.words import in_python
from penstock.columns import KEYS
from penstock.errors import Exit, UserError
from penstock.results import frames, groups, settings, tables
from penstock.results.row import Row
from penstock.results.store import Store
from penstock.view.plots.data import check_group

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from penstock.view.plots.data import Data
    from penstock.view.report.paper import Verdict


def _ours(found: Verdict) -> tuple[str, str, str]:
    return found.text, found.verdict, found.words


class Looks(TypedDict, total=False):
    """How a figure looks, as the options of `penstock plot` say it."""

    width: str | float
    font: str
    title: str
    log_x: bool
    log_y: bool


class Plots:
    """The figures of `penstock plot`, by kind; each is a Matplotlib figure.

    `methods` and `where` choose results, as -m and --where do; `group` a group of traffic and
    `gateway` a gateway. All figures take the options of `penstock plot` by their names: `width`
    ("3.4in", or inches), `font`, `title`, `log_x` and `log_y`.
    """

    def __init__(
        self,
        results: Results,
        methods: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        group: str = "",
        gateway: str = "",
    ) -> None:
        self._results, self._methods, self._where = results, methods, where or {}
        self._group, self._gateway = group, gateway

    def __call__(
        self,
        methods: Sequence[str] = (),
        where: Mapping[str, object] | None = None,
        group: str = "",
        gateway: str = "",
    ) -> Plots:
        """The figures of a part of the results."""
        return Plots(self._results, methods, where, group, gateway)

    @in_python
    def _draw(self, kind: str, look: Mapping[str, Any], **given: Any) -> Figure:
        from penstock.view.plots import paper, select
        from penstock.view.plots.kinds import KINDS

        asked = paper.look(**look)
        where = [(key, str(value)) for key, value in self._where.items()]
        data = self._results._data_of(self._group, self._gateway)
        chosen = select.chosen(data, self._methods, where)
        return paper.draw(KINDS[kind](chosen, **given), asked)

    def queue(self, flows: int | None = None, **look: Unpack[Looks]) -> Figure:
        """The queue over time."""
        return self._draw("queue", look, flows=flows)

    def window(self, flows: int | None = None, **look: Unpack[Looks]) -> Figure:
        """The sending window of a flow over time."""
        return self._draw("window", look, flows=flows)

    def bars(self, y: str = "loss_percent", x: str | None = None, **look: Unpack[Looks]) -> Figure:
        """Means with intervals, by method and a key."""
        return self._draw("bars", look, column=y, x=x)

    def line(self, y: str = "loss_percent", x: str | None = None, **look: Unpack[Looks]) -> Figure:
        """A column over a key, with intervals: a line for each method."""
        return self._draw("line", look, column=y, x=x)

    def loss(self, y: str = "loss_percent", **look: Unpack[Looks]) -> Figure:
        """A column over the number of flows."""
        return self._draw("loss", look, column=y)

    def cdf(self, **look: Unpack[Looks]) -> Figure:
        """The distribution of transfer times, by group."""
        return self._draw("cdf", look)

    def delay(self, **look: Unpack[Looks]) -> Figure:
        """The distribution of the packets' delays in the queue, by group."""
        return self._draw("delay", look)

    def heat(
        self, y: str = "goodput_mbps_total", x: str | None = None, **look: Unpack[Looks]
    ) -> Figure:
        """A column over two swept keys."""
        return self._draw("heat", look, column=y, x=x)


class Results:
    """The runs of a scenario, in memory; `frame` has one row per run."""

    def __init__(self, rows: Sequence[Row], about: Mapping[str, Any]) -> None:
        self._rows = rows
        self.about = about  # scenario, versions and commit, as in run.json

    @functools.cached_property
    def frame(self) -> pl.DataFrame:
        """One row per run; docs/columns.md defines the columns."""
        return frames.runs([row.columns for row in self._rows])

    def to_pandas(self) -> Any:
        """`frame` as a pandas.DataFrame; needs the extra `pandas`."""
        try:
            return self.frame.to_pandas()
        except ImportError as error:
            raise UserError(
                f"{error.name or error} is missing; pip install pandas pyarrow",
                Exit.BACKEND_MISSING,
            ) from None

    @functools.cached_property
    def groups(self) -> pl.DataFrame:
        """One row per traffic group and run, if there are several groups."""
        return frames.groups(self._rows)

    @functools.cached_property
    def flows(self) -> pl.DataFrame:
        """One row per single TCP flow of each run."""
        return frames.flows(self._rows)

    @functools.cached_property
    def series(self) -> pl.DataFrame:
        """One row per sample of the first seed's runs, if the scenario has [sample]."""
        return frames.series(self._rows)

    @functools.cached_property
    def queues(self) -> pl.DataFrame:
        """One row per queue and run: all that have a limit, in both directions."""
        return frames.queues(self._rows)

    @functools.cached_property
    def queue_series(self) -> pl.DataFrame:
        """The same over time, for the first seed's runs, if the scenario has [sample]."""
        return frames.queue_series(self._rows)

    @functools.cached_property
    def completions(self) -> pl.DataFrame:
        """The distribution of completion times of each traffic group and run."""
        return frames.completions(self._rows)

    @functools.cached_property
    def delays(self) -> pl.DataFrame:
        """The distribution of queueing delays at each gateway, by run: quantiles by share, of all
        traffic (group "") and of each group where there are several.
        """
        return frames.delays(self._rows)

    @functools.cached_property
    def group_delays(self) -> pl.DataFrame:
        """One row per group of traffic, run, and gateway: how long its packets waited there."""
        return frames.group_delays(self._rows)

    @functools.cached_property
    def data(self) -> Data:
        """The data for figures."""
        return self._data_of()

    def _data_of(self, group: str = "", gateway: str = "") -> Data:
        """The same of a group of traffic and of a gateway, if they are named."""
        from penstock.view.plots.data import build

        return build(self.about, self._rows, group=group, gateway=gateway)

    @property
    def plot(self) -> Plots:
        """Figures, such as `results.plot.queue()`."""
        return Plots(self)

    def to_xarray(self) -> Any:
        """The columns of `frame` as an xarray.Dataset over method, flows, seed and swept keys.

        Keys with a unit are coordinates in SI units. Needs xarray and pandas.
        """
        try:
            import pandas
            import xarray
        except ImportError as error:
            raise UserError(
                f"{error.name or error} is missing; pip install xarray pandas",
                Exit.BACKEND_MISSING,
            ) from None
        given = [settings.given(row.columns) for row in self._rows]
        numbers = settings.as_numbers(given)
        keys = [numbers.get(key, key) for key in dict.fromkeys(k for each in given for k in each)]
        dimensions = [*KEYS, *keys]
        frame = self.frame.drop([name for name in numbers if name in self.frame.columns])
        varied = [name for name in dimensions if frame[name].n_unique() > 1]
        constant = {name: frame[name][0] for name in dimensions if name not in (varied or ["seed"])}
        kept = {each.name: each.to_numpy() for each in frame.drop(list(constant))}
        table = pandas.DataFrame(kept).set_index(varied or ["seed"])
        return xarray.Dataset.from_dataframe(table).assign_attrs(
            {name: value for name, value in constant.items() if value is not None}
        )

    @in_python
    def summary(self, group: str = "", columns: Sequence[str] = ()) -> pl.DataFrame:
        """Means over seeds with half the width of their 95 % intervals, one row a combination.

        Swept keys are columns, as text and in SI units. `group` names a group of traffic, and
        `columns` those of docs/columns.md to give instead of the table's.
        """
        check_group(self._rows, group)
        lines = tables.summarise(groups.apart(self._rows, group))
        found = tables.records(lines, tables.named(columns, lines))
        return pl.DataFrame(found, infer_schema_length=None)

    def verdicts(self) -> pl.DataFrame:
        """The statements of the scenario's paper beside these results, one row each and receiver.

        `verdict` is agrees, differs, cannot tell, or not run; `words` says by how much, or how
        many seeds would tell. Empty for a scenario that is of no paper.
        """
        from penstock.view.report.paper import compare

        names = ("figure", "statement", "receivers", "paper", "ours", "verdict", "words", "source")
        found = [
            (each.figure, each.statement, receivers, each.paper, *_ours(ours), each.source)
            for each in compare(self.data)
            for receivers, ours in each.ours.items()
        ]
        return pl.DataFrame(found, schema=dict.fromkeys(names, pl.String), orient="row")

    @property
    def rows(self) -> Sequence[Row]:
        """The runs themselves, in the plan's order."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(str(row.columns["method"]) for row in self._rows))
        return f"<Results of {len(self)} runs: {methods}>"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


def load(folder: str | Path) -> Results:
    """The results that `penstock run -o DIR` or `ps.run(output=DIR)` keeps.

    Examples:
        >>> load("nowhere")
        Traceback (most recent call last):
        penstock.errors.ConfigError: nowhere: no finished results here; \
    `penstock run SCENARIO -o nowhere` makes them
    """
    store = Store(Path(folder))
    return Results(store.rows(), store.provenance())
