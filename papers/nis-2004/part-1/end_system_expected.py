# SPDX-License-Identifier: GPL-2.0-only
"""Chapters 7 to 9: what the tables and the text state, as expected.toml has it."""

from collections.abc import Mapping, Sequence
from typing import Final

from penstock.api.reproduce.papers import Strict
from penstock.api.reproduce.study import expected


class Gain(Strict):
    """A metric with standard TCP and with the method, of three connections or of all together."""

    standard: Sequence[float]
    shared: Sequence[float]
    signs: str

    @property
    def sign(self) -> str:
        """The sign of the test, or of most of three tests, else '='."""
        if len(self.signs) == 1:
            return self.signs
        return next((sign for sign in "+-" if self.signs.count(sign) >= 2), "=")


class Table(Strict):
    """Metrics in one setting, and what new connections begin with."""

    name: str
    method: str
    rtt_ms: int
    hop: str
    values: Mapping[str, Gain]
    initial: Mapping[str, Sequence[float]] = {}


class Rates(Strict):
    """Loss rates of the bottleneck router by RTTS_MS."""

    method: str
    hop: str
    rates: Sequence[float]


class Summary(Strict):
    """The signs of a metric by RTTS_MS."""

    method: str
    hop: str
    metric: str
    signs: str


class Share(Strict):
    """New connections that come to others, percent of all."""

    method: str
    rtt_ms: int
    hop: str
    percent: float


class Count(Strict):
    """Connections of the end system in a run, to half of the step that the number is rounded to."""

    method: str
    rtt_ms: int
    hop: str
    connections: float
    digit: float


class Text(Strict):
    """What the text says of a round trip for which our copy has no table.

    `percent`: the gain over standard TCP; two: the range that it is in. `value`: what newcomers
    begin with.
    """

    section: str
    method: str
    rtt_ms: int
    hop: str
    metric: str
    percent: Sequence[float] = ()
    value: float | None = None


class Expected(Strict):
    """expected.toml."""

    table: Sequence[Table]
    loss_rate: Sequence[Rates]
    summary: Sequence[Summary]
    controllable: Sequence[Share]
    count: Sequence[Count]
    text: Sequence[Text]


STATED: Final = expected(__file__, Expected)
LOSS_RATES: Final = {(each.method, each.hop): each.rates for each in STATED.loss_rate}
