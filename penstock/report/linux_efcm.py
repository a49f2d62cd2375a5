# SPDX-License-Identifier: GPL-2.0-only
"""Bars like those of nis-2004 Fig. 10.3 from our runs."""

from collections.abc import Iterator

import plotly.graph_objects as go

from penstock.report import curves
from penstock.reproduce import linux_efcm as paper
from penstock.results import stats


def plots(found: paper.Found) -> Iterator[tuple[str, go.Figure]]:
    """A figure for each metric; none where nothing was run."""
    for metric in paper.METRICS if found.values else ():
        figure = curves.chart("", metric)
        for index, method in enumerate(paper.METHODS):
            means = [stats.mean(found.values[link, method, metric]) for link in paper.LINKS]
            figure.add_bar(
                x=list(paper.LINKS),
                y=[mean.mean if mean else None for mean in means],
                name=method,
                marker={"color": curves.colour(index)},
                error_y={"array": [(mean.half or 0) if mean else 0 for mean in means]},
            )
        yield f"As Fig. 10.3: {metric}", figure
