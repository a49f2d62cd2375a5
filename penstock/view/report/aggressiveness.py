# SPDX-License-Identifier: GPL-2.0-only
"""Standard connections less an EFCM ensemble, as nis-2004's tables 6.1 and 6.2, and as a page."""

from collections.abc import Sequence
from typing import Any, Final

from penstock.results.models.aggressiveness import SOURCE, Compared
from penstock.view.report import curves, sheet

WHAT: Final = {
    "delta_cwnd_segments": "Table 6.1: aggregated congestion window, standard less EFCM",
    "delta_ssthresh_segments": "Table 6.2: aggregated slow-start threshold, standard less EFCM",
}


def grid(found: Sequence[Compared], key: str) -> sheet.Grid:
    """Losses down, members across, as the paper prints it; `key` is one of `WHAT`."""
    members = list(dict.fromkeys(each.members for each in found))
    lost = list(dict.fromkeys(each.lost for each in found))
    values = {(each.lost, each.members): round(getattr(each, key), 5) + 0.0 for each in found}
    rows = [[str(line), *(f"{values[line, n]:.5f}" for n in members)] for line in lost]
    return sheet.Grid(WHAT[key], ["lost", *(f"n = {n}" for n in members)], rows)


def _plot(found: Sequence[Compared], key: str) -> tuple[str, Any]:
    figure = curves.chart("losses in a row, l", "segments", rangemode="normal")
    for index, count in enumerate(dict.fromkeys(each.members for each in found)):
        chosen = [each for each in found if each.members == count]
        x = [each.lost for each in chosen]
        curves.line(figure, f"n = {count}", x, [getattr(each, key) for each in chosen], index)
        y = [getattr(each, key.replace("delta", "simulated")) for each in chosen]
        if y[0] is not None:
            curves.points(figure, f"n = {count}, simulated", x, y, index)
    return WHAT[key], figure


def page(found: Sequence[Compared], cwnd: int, ssthresh: int) -> sheet.Sheet:
    """Both tables and their curves, for windows and thresholds in segments."""
    return sheet.Sheet(
        title="Aggressiveness of standard connections and of an EFCM ensemble",
        notes=[
            f"{SOURCE}: n connections, each with a window of {cwnd} and a threshold of "
            f"{ssthresh} segments, after l losses in a row. Expected sum of the standard set less "
            "the ensemble's sum, segments. Below 0 the ensemble may send more."
        ],
        tables=[grid(found, key) for key in WHAT],
        plots=[_plot(found, key) for key in WHAT],
    )
