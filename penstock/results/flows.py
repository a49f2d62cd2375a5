# SPDX-License-Identifier: GPL-2.0-only
"""Single TCP flows of a run, one row each: times, delivered bytes, counters.

columns.py defines the columns.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from penstock.columns import RECEIVER_COUNTERS, SENDER_COUNTERS
from penstock.results import completions, metrics
from penstock.results.metrics import Result

MOST: Final = 10_000  # flows of a run that are kept
COUNTERS: Final = tuple(each.name for each in (*SENDER_COUNTERS, *RECEIVER_COUNTERS))
_NS: Final = 1e9
_DIGITS: Final = 6


def columns(result: Result, groups: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
    """The columns of the first MOST flows; empty where all traffic is that of users."""
    numbered = [(name, index) for name, found in groups.items() for index in found][:MOST]
    if not numbered:
        return {}
    wanted = [index for _, index in numbered]
    flows = {name: values[wanted] for name, values in result.flows.items()}
    done = completions.finished(flows)
    transfers = (flows["done_ns"] - flows["start_ns"]) / _NS
    rates = metrics.goodputs_mbps(flows, result.end_ns)
    nothing = [None] * len(numbered)  # of a counter that the backend does not have
    return {
        "group": [name for name, _ in numbered],
        "flow": [index + 1 for index in wanted],
        "start_s": np.round(flows["start_ns"] / _NS, _DIGITS).tolist(),
        "transfer_s": [
            round(float(value), _DIGITS) if ended else None
            for value, ended in zip(transfers, done, strict=True)
        ],
        "size_bytes": flows["size_bytes"].tolist(),
        "delivered_bytes": flows["delivered_bytes"].tolist(),
        "goodput_mbps": np.round(rates, _DIGITS).tolist(),
        **{name: flows[name].tolist() if name in flows else nothing for name in COUNTERS},
    }
