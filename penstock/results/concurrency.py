# SPDX-License-Identifier: GPL-2.0-only
"""Fairness between connections that come and go, from what each had sent at regular times."""

import numpy as np
from numpy.typing import NDArray

from penstock.results import metrics


def fairness(sent_bytes: NDArray[np.int64]) -> float:
    """Of what was sent by flow and time, with -1 where a flow is not open.

    A period lasts as long as the same connections are open; those that send nothing in it are
    left out, and the mean is not weighted (nis-2004 section 2.3.2.7.2). 1 without a period.
    """
    is_open = sent_bytes >= 0
    changes = np.flatnonzero((is_open[:, 1:] != is_open[:, :-1]).any(axis=0)) + 1
    starts = [0, *changes.tolist()]
    ends = [*changes.tolist(), is_open.shape[1]]
    indices = []
    for start, end in zip(starts, ends, strict=True):
        grown = (sent_bytes[:, end - 1] - sent_bytes[:, start])[is_open[:, start]]
        if (grown > 0).sum() > 1:
            indices.append(metrics.jain(grown[grown > 0].astype(float)) or 0.0)
    return float(np.mean(indices)) if indices else 1.0
