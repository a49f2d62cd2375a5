# SPDX-License-Identifier: GPL-2.0-only
"""[paper]: what a paper states, to stand beside our results."""

from typing import Annotated, Literal

from pydantic import Field

from penstock.scenario.table import Flows, Name, Table
from penstock.scenario.types import Window


class PaperValue(Table):
    """[[paper.value]]: a number that the paper's text or tables give, or a bound.

    Equal within the tolerance if our interval reaches it; a bound is kept by our mean.
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


class PaperChange(Table):
    """[[paper.change]]: by how much `method` changes a column against each of `others`, percent.

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
    note: str = ""


class PaperCapacity(Table):
    """[[paper.capacity]]: the gain in flows served that the paper states, percent."""

    figure: str
    source: str
    method: Name
    over: str
    gain_percent: Annotated[float, Field(allow_inf_nan=False)]
    note: str = ""


class Paper(Table):
    """[paper]: what the paper says, to stand beside our results."""

    name: str
    receivers: Window | None = None
    value: list[PaperValue] = []
    order: list[PaperOrder] = []
    change: list[PaperChange] = []
    capacity: list[PaperCapacity] = []
