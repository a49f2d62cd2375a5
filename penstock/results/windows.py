# SPDX-License-Identifier: GPL-2.0-only
"""The congestion windows of sampled runs."""

from collections.abc import Mapping
from statistics import fmean
from typing import Any, Final

from penstock.results.metrics import Value
from penstock.scenario import units

_WARM_UP: Final = "time.warm_up"


def mean_bytes(
    series: Mapping[str, Any] | None, columns: Mapping[str, Value], warm_up_ns: int
) -> float | None:
    """The mean over all sampled connections after the warm-up, `warm_up_ns` unless the run has
    another; a window of 0 was not sampled. None for a run without samples.
    """
    if not series:
        return None
    own = columns.get(_WARM_UP)
    begin_s = (units.parse(units.TIME, own) if isinstance(own, str) else warm_up_ns) * 1e-9
    windows = [
        window
        for flow in series["cwnd_bytes"]
        for time_s, window in zip(series["time_s"], flow, strict=True)
        if window and time_s >= begin_s
    ]
    return fmean(windows) if windows else None
