# SPDX-License-Identifier: GPL-2.0-only
"""Runs whose progress somebody is told of."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from penstock.errors import Exit, UserError
from penstock.plan.cells import Plan
from penstock.results.tables import Columns
from penstock.runs import rounds
from penstock.runs.campaign import Campaign
from penstock.runs.precision import Precision
from penstock.runs.rounds import Each, Rows


class Console(Protocol):
    """Who is told; penstock.cli.screen is one."""

    def say(self, message: str) -> None:
        """One line."""

    def progress(self, what: str, total: int | None) -> AbstractContextManager[Any]:
        """Gives a function that is told how many runs have finished."""

    def warn_of_seeds(self, rows: Sequence[Columns]) -> None:
        """Is told where intervals over seeds are meaningless."""

    def print_failures(self, failures: Sequence[tuple[Any, str]]) -> None:
        """Is told of failed cells."""


class Silent:
    """Nobody."""

    def say(self, message: str) -> None:
        """Nothing."""

    def progress(self, what: str, total: int | None) -> AbstractContextManager[Any]:
        """Nothing."""
        return nullcontext(lambda _: None)

    def warn_of_seeds(self, rows: Sequence[Columns]) -> None:
        """Nothing."""

    def print_failures(self, failures: Sequence[tuple[Any, str]]) -> None:
        """Nothing."""


def execute(
    name: str,
    plan: Plan,
    campaign: Campaign,
    console: Console,
    each: Each | None = None,
    precision: Precision | None = None,
) -> Rows:
    """Runs a plan and stores the results; returns rows in the plan's order."""

    @contextmanager
    def watch(total: int) -> Iterator[None]:
        with console.progress(name, total) as advance:
            campaign.advance = advance
            yield

    rows = rounds.play(plan, campaign, precision, watch, each)
    console.warn_of_seeds(rows)
    return rows


def finish(campaign: Campaign, rows: Rows, console: Console) -> None:
    """Reports failed cells: exit 5 if some failed, 1 if all did."""
    if not campaign.failures:
        return
    console.print_failures(campaign.failures)
    count = len(campaign.failures)
    code = Exit.SOME_CELLS_FAILED if rows else Exit.FAILURE
    raise UserError(f"{count} of {count + len(rows)} runs failed", code)
