# SPDX-License-Identifier: GPL-2.0-only
"""The web pages of nis-2004 Table 10.1 as flows of a lab, and what became of them."""

import math
from dataclasses import dataclass, replace

import numpy as np

from penstock.plan.network import Tcp
from penstock.runs.live.plan import LabPlan, LiveFlow
from penstock.runs.live.result import LiveResult

_FILES_MEAN, _FILES_DEVIATION = 8.0, 78.752
_SHAPE, _LEAST_BYTES = 1.7584, 30_458.0
_MOST_BYTES = 10**9
_SAMPLE_NS = 20 * 10**6  # between two looks at what was sent


@dataclass(frozen=True)
class Page:
    """A page that is requested at a time of the run."""

    start_ns: int
    size_bytes: int


def draw(seed: int, interval_s: float, limit_s: float) -> list[Page]:
    """The same pages for every congestion control; eq. 10.4 has their size."""
    random = np.random.default_rng([seed, 10])
    variance = math.log1p((_FILES_DEVIATION / _FILES_MEAN) ** 2)
    place = math.log(_FILES_MEAN) - variance / 2
    pages, time_s = [], 0.0
    while (time_s := time_s + random.exponential(interval_s)) < limit_s:
        files = max(round(random.lognormal(place, math.sqrt(variance))), 1)
        file_bytes = _LEAST_BYTES * (1.0 - random.random()) ** (-1.0 / _SHAPE)
        pages.append(Page(int(time_s * 1e9), int(min(files * file_bytes, _MOST_BYTES))))
    return pages


def with_pages(lab: LabPlan, pages: list[Page], congestion: str) -> LabPlan:
    """The lab with a connection for each page in place of its one flow."""
    (pattern,) = lab.flows
    assert isinstance(pattern.spec, Tcp)
    sender = replace(pattern.spec.sender, method=congestion)
    flows = [
        LiveFlow(
            number,
            pattern.source,
            pattern.sink,
            replace(
                pattern.spec, start_ns=page.start_ns, size_bytes=page.size_bytes, sender=sender
            ),
        )
        for number, page in enumerate(pages)
    ]
    return replace(lab, flows=flows, sample_ns=_SAMPLE_NS, sampled_flows=len(flows))


@dataclass(frozen=True)
class Outcome:
    """A run's metrics: section 10.4, and losses."""

    tpo_segments_per_s: float  # segments over times of all connections
    tpc_segments_per_s: float  # mean over connections
    retransmitted_percent: float


def outcome(result: LiveResult, lab: LabPlan) -> Outcome:
    """What the connections delivered until they ended, or the run did."""
    flows = result.flows
    specs = [flow.spec for flow in lab.flows if isinstance(flow.spec, Tcp)]
    segments = flows["delivered_bytes"] / specs[0].sender.mss_bytes
    ends = np.where(flows["done_ns"] >= 0, flows["done_ns"], lab.limit_ns)
    times = (ends - flows["start_ns"]) / 1e9
    some = (segments > 0) & (times > 0)
    return Outcome(
        float(segments[some].sum() / times[some].sum()),
        float((segments[some] / times[some]).mean()),
        float(100 * flows["retransmissions"].sum() / max(flows["segments_sent"].sum(), 1)),
    )
