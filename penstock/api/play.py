# SPDX-License-Identifier: GPL-2.0-only
"""`ps.run`: runs the cells of a scenario, as `penstock run` does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from penstock.api import given
from penstock.api.given import Several
from penstock.api.links import Link
from penstock.api.results import Results
from penstock.api.words import in_python
from penstock.errors import UserError
from penstock.plan.cells import Plan
from penstock.results.metrics import Value
from penstock.results.row import Row
from penstock.runs import provenance, rounds, wishes
from penstock.runs.campaign import Campaign
from penstock.runs.precision import Precision
from penstock.scenario.read import Loaded


@contextmanager
def watching(campaign: Campaign, shown: bool, what: str, total: int | None) -> Iterator[None]:
    """A bar, in a terminal or a notebook, that counts finished runs."""
    with Progress(transient=True, disable=not shown, console=Console()) as bar:
        task = bar.add_task(what, total=total)
        campaign.advance = lambda count: bar.advance(task, count)
        yield


def stop(campaign: Campaign) -> UserError:
    """All failures as one error."""
    cell, message = campaign.failures[0]
    return UserError(f"{len(campaign.failures)} runs failed; {cell.label}: {message}")


def results(
    loaded: Loaded, plan: Plan, campaign: Campaign, goal: Precision | None, progress: bool
) -> Results:
    """The runs of a plan; a failed one ends in an error that names it."""
    found: list[Row] = []

    def each(columns: Mapping[str, Value], row: Row) -> None:
        found.append(replace(row, columns=dict(columns)))

    rounds.play(
        plan, campaign, goal, lambda total: watching(campaign, progress, loaded.name, total), each
    )
    if campaign.failures:
        raise stop(campaign)
    about = campaign.about or provenance.describe(loaded, campaign.engine, campaign.backend)
    return Results(found, about)


@in_python
def run(
    scenario: Link | str | Path,
    methods: Several | None = None,
    *,
    flows: Several | None = None,
    receivers: Several | None = None,
    seeds: str | int | Sequence[int] | None = None,
    mode: Several | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002
    sweep: Mapping[str, object] | None = None,
    precision: str | float | Iterable[str] | None = None,
    most_seeds: int = 100,
    output: str | Path | None = None,
    workers: int | None = None,
    cluster: str = "",
    backend: str = "sim",
    progress: bool = False,
) -> Results:
    """Runs a scenario: what is not given is as its `[sweep]` says.

    `scenario` is a `Link`, a file, or a name that `penstock list` shows. `set` and `sweep` take
    the keys of `--set`, the latter with the values to run. `seeds` is a number of seeds, or a
    list of them; `precision="5%"` adds seeds until the interval of the goodput is that narrow.
    With `output`, runs are kept in a folder, and those that it has are not run again. `cluster`
    is the address of a scheduler of dask.distributed. `progress` shows a bar.

    Examples:
        >>> import penstock as ps
        >>> home = ps.link(rate="10mbit", size="100kB")
        >>> found = ps.run(home, "ewt", flows=2, seeds=1, sweep={"ewt.start_bytes": ["1kB", "9kB"]})
        >>> found.frame["ewt.start_bytes"].to_list()
        ['1kB', '9kB']
        >>> ps.run(home, "ewd")
        Traceback (most recent call last):
        penstock.errors.UsageError: there is no method 'ewd'; did you mean 'red' or 'ewt' or 'ewa'?
    """
    asked = given.wishes(methods, flows, receivers, seeds, mode, set, sweep)
    goal, count = given.precision(precision, most_seeds), given.worker_count(workers)
    loaded, plan = wishes.plan(given.name(scenario), asked, backend)
    with Campaign(backend, min(count, plan.runs), cluster=cluster) as campaign:
        if output is not None:
            campaign.keep_in(Path(output), loaded)
        return results(loaded, plan, campaign, goal, progress)
