# SPDX-License-Identifier: GPL-2.0-only
"""`ps.explain` and `ps.capacity`: one decision, and how many flows a method serves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from penstock.api import given, play
from penstock.api.decisions import Asked, answer, question
from penstock.api.given import Several
from penstock.api.links import Link
from penstock.api.search import search
from penstock.api.words import in_python
from penstock.errors import OptionError
from penstock.runs import wishes
from penstock.runs.campaign import Campaign
from penstock.scenario.source import SET


@dataclass(frozen=True)
class Decision:
    """A method's decision on one ACK: the keys of `penstock explain -j`."""

    answer: Mapping[str, Any]

    @property
    def window_bytes(self) -> int:
        """The window that the gateway sends on."""
        return int(self.answer["window_bytes"])

    def __getitem__(self, key: str) -> Any:
        return self.answer[key]

    def __str__(self) -> str:
        return (
            f"{self['method']} ({self['mode']})\n{self['formula']}\n"
            f"= {self['formula_with_numbers']}\n"
            f"window {self.window_bytes} bytes; limited by {self['limited_by_text']}"
        )


@in_python
def explain(
    method: str,
    *,
    queue: str | int | None = None,
    window: str | int = 65535,
    flight: str | int = 0,
    mode: str = "safe",
    scale: int | None = None,
    **arguments: str | float,
) -> Decision:
    """The decision of a method on one ACK.

    Sizes are bytes, or texts with a unit: `queue` up to `buffer`, `window` up to what a window
    field can carry, `flight` up to 2^30. The other arguments are parameters of the method, and
    what the gateway sees: buffer, buffer_packets, queue_packets, queue_before, mss, flows, rate
    and rtt. Anything else is a UsageError.

    Examples:
        >>> decision = explain("ewt", queue=50_000, window=60_000, start_bytes="30kB")
        >>> decision.window_bytes
        30000
        >>> print(decision)
        ewt (safe)
        min(window_bytes, max(window_bytes * (buffer_bytes - reserve_bytes - queue_bytes) / \
    buffer_bytes, mss_bytes)) if queue_bytes > start_bytes else window_bytes
        = min(60000, max(60000 * (100000 - 0 - 50000) / 100000, 1448)) if 50000 > 30000 else 60000
        window 30000 bytes; limited by the method's own value; no rule had to step in
    """
    asked = Asked(str(method), queue, window, flight, mode, scale, list(arguments.items()))
    try:
        return Decision(answer(question(asked)))
    except OptionError as error:
        if error.option != SET:
            raise
        raise OptionError(error.key, error.given, error.why) from None


@in_python
def capacity(
    scenario: Link | str | Path,
    methods: Several | None = None,
    *,
    levels: float | Iterable[float] = (0.1, 0.5, 1.0),
    receivers: Several | None = None,
    seeds: str | int | Sequence[int] | None = None,
    mode: Several | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002
    sweep: Mapping[str, object] | None = None,
    most: int = 1024,
    by_one: bool = False,
    workers: int | None = None,
    backend: str = "sim",
    progress: bool = False,
) -> pl.DataFrame:
    """The number of flows that each method serves at each level of loss, in percent.

    Examples:
        >>> import penstock as ps
        >>> tight = ps.link(rate="2mbit", buffer="15kB", size="50kB", window=65535)
        >>> ps.capacity(tight, "droptail", levels=5, seeds=1, most=8).columns[:3]
        ['method', 'mode', 'parameters']
    """
    asked = given.wishes(methods, None, receivers, seeds, mode, set, sweep)
    aim = given.aim(levels, most, by_one)
    count = given.worker_count(workers)
    loaded, plan = wishes.plan(given.name(scenario), asked, backend)
    with (
        Campaign(backend, count) as campaign,
        play.watching(campaign, progress, loaded.name, None),
    ):
        found, _ = search(plan, campaign, aim, play.stop)
    return pl.DataFrame(found, infer_schema_length=None)
