# SPDX-License-Identifier: GPL-2.0-only
"""Chapters 16 and 17: what the tables and the text state, as expected.toml has it."""

from collections.abc import Mapping, Sequence
from typing import Final

from penstock.api.reproduce.papers import Strict
from penstock.api.reproduce.study import expected


class Table(Strict):
    """One table: by metric, the values of cells 1 to 6 and the column of t tests.

    `halves`: of the paper's own 95 % intervals, by metric in RAN 1 and RAN 2, for each method.
    """

    name: str
    users: int
    methods: Sequence[str]
    values: Mapping[str, Sequence[Sequence[float]]]
    tests: Mapping[str, Sequence[str]]
    halves: Mapping[str, Sequence[Sequence[float]]]


class Queue(Strict):
    """The mean queue of the base stations in RAN 2, packets: sections 16.4 and 17.4."""

    method: str
    users: int
    packets: float


class Gain(Strict):
    """What the text says that one method has more than another in the cells of a RAN, percent."""

    section: str
    users: int
    ran: int
    metric: str
    method: str
    over: str
    percent: float
    digit: float = 0.5  # half of the last one


class Stated(Strict):
    """expected.toml."""

    table: Sequence[Table]
    queue: Sequence[Queue]
    gain: Sequence[Gain]


STATED: Final = expected(__file__, Stated)
TABLES: Final = STATED.table
QUEUES: Final = {(each.method, each.users): each.packets for each in STATED.queue}
