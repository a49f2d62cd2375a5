# SPDX-License-Identifier: GPL-2.0-only
"""[paper]: what a paper states, to stand beside our results."""

from typing import Annotated, Literal

from pydantic import Field

from penstock.scenario.table import Flows, Name, Table
from penstock.scenario.types import Window


class PaperValue(Table):
    """[[paper.value]]: a number that the paper's text or tables give, or a bound.

    `tolerance`: half of the last digit that the paper gives.
    """

    figure: str
    source: str
    column: Name
    method: Name
    flows: Flows
    relation: Literal["equal", "at most", "at least"] = "equal"
    value: Annotated[float, Field(allow_inf_nan=False)]
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    note: str = ""


class PaperOrder(Table):
    """[[paper.order]]: an order of methods that the paper states: `method` against `others`."""

    figure: str
    source: str
    column: Name
    method: Name
    flows: Annotated[list[Flows], Field(min_length=1)]
    relation: Literal["lowest", "highest", "similar"]
    others: Annotated[list[Name], Field(min_length=1)]
    note: str = ""


class PaperTrend(Table):
    """[[paper.trend]]: a column that falls or rises from each number of flows to the next."""

    figure: str
    source: str
    column: Name
    method: Name
    flows: Annotated[list[Flows], Field(min_length=2)]
    relation: Literal["falls", "rises"]
    note: str = ""


class PaperChange(Table):
    """[[paper.change]]: by how much `method` changes a column against each of `others`, percent.

    `up_to`: the largest change is that, of all flows and others, which the paper does not name.
    `plus` is added to the column first: what the paper's quantity includes and the column does not.
    """

    figure: str
    source: str
    column: Name
    method: Name
    flows: Annotated[list[Flows], Field(min_length=1)]
    others: Annotated[list[Name], Field(min_length=1)]
    change_percent: Annotated[float, Field(allow_inf_nan=False)]
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    plus: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    up_to: bool = False
    note: str = ""


class PaperCapacity(Table):
    """[[paper.capacity]]: the gain in flows served that the paper states, percent.

    Without `gain_percent`: `method` serves more than `over` at each level.
    """

    figure: str
    source: str
    method: Name
    over: str
    gain_percent: Annotated[float | None, Field(allow_inf_nan=False)] = None
    note: str = ""


class Paper(Table):
    """[paper]: what the paper says, to stand beside our results.

    `runs`: how many independent runs are behind each of its figures, which tells its own interval.
    """

    name: str
    runs: Annotated[int, Field(ge=0)] = 0
    receivers: Window | None = None
    value: list[PaperValue] = []
    order: list[PaperOrder] = []
    trend: list[PaperTrend] = []
    change: list[PaperChange] = []
    capacity: list[PaperCapacity] = []
