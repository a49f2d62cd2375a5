# SPDX-License-Identifier: GPL-2.0-only
"""Runs what a paper shows, and puts its statements beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from penstock.api import search
from penstock.api.reproduce import costs, pages, runs
from penstock.api.reproduce.pages import Calibrated, Outcome
from penstock.api.reproduce.papers import LEVELS, Guess, Paper, Part
from penstock.api.reproduce.runs import Effort, Runs
from penstock.api.reproduce.study import studies
from penstock.errors import Exit, UserError
from penstock.results.entries import NOT_RUN, Entry
from penstock.results.store import Store
from penstock.runs import console
from penstock.runs.campaign import Campaign
from penstock.runs.wishes import Wishes
from penstock.scenario import statements
from penstock.scenario.read import read
from penstock.scenario.statements import PaperChange, PaperOrder
from penstock.view import report
from penstock.view.plots.data import gather
from penstock.view.report.sheet import Link

_QUICK_RECEIVERS: Final = "65535"  # --quick searches the flows served with this window alone
_QUICK_GUESSES: Final = ("65535", "49152")
_MOST_FLOWS: Final = 512
_BASE: Final = ("droptail",)


def methods(paper: statements.Paper) -> tuple[str, ...]:
    """The methods that a scenario's statements speak of."""
    named = [value.method for value in paper.value]
    named += [trend.method for trend in paper.trend]
    rivals: list[PaperOrder | PaperChange] = [*paper.order, *paper.change]
    named += [name for one in rivals for name in (one.method, *one.others)]
    return tuple(dict.fromkeys(named))


def stated(paper: Paper) -> Paper:
    """The paper with the methods that its statements speak of."""
    parts = []
    for part in paper.parts:
        of = read(part.scenario).scenario.paper
        named = methods(of) if of else ()
        parts.append(part.model_copy(update={"methods": named or part.methods}))
    return paper.model_copy(update={"parts": parts})


def runs_of(part: Part, effort: Effort, folder: str = "", sets: Sequence[str] = ()) -> Runs:
    """The runs of a part, kept in the folder of that name, or of the part's own."""
    wishes = Wishes(
        methods=part.methods,
        receivers=part.receivers,
        seeds=effort.seeds,
        sets=(*effort.sets, *sets),
    )
    return Runs(part.scenario, wishes, effort.folder / (folder or part.name), part.backend)


def _searched(part: Part, effort: Effort) -> Runs | None:
    """The search for the flows served, stored beside the runs."""
    if not part.served or (effort.quick and part.slow):
        return None
    receivers = (_QUICK_RECEIVERS,) if effort.quick else part.receivers
    asked = {"receivers": receivers, "methods": part.searched or part.methods}
    return runs_of(part.model_copy(update=asked), effort)


def reduced(part: Part, effort: Effort) -> tuple[Part, Effort]:
    """What --quick leaves of a slow part."""
    if effort.quick and part.slow:
        return part.model_copy(update={"receivers": part.slow}), replace(effort, seeds="1")
    return part, effort


def _search(
    what: str, asked: Runs, levels: Sequence[float], effort: Effort, campaign: Campaign
) -> list[dict[str, Any]]:
    _, plan = effort.plan(asked.scenario, asked.wishes, asked.backend)
    with effort.console.progress(what, None) as advance:
        campaign.advance = advance
        return search.told(plan, campaign, search.Aim(levels, _MOST_FLOWS), effort.console)


def _part(part: Part, effort: Effort, outcome: Outcome) -> None:
    """Runs a part and keeps its statements; reports one that cannot run here as not run."""
    part, effort = reduced(part, effort)
    try:
        campaign = Campaign(part.backend, effort.workers, cluster=effort.cluster)
    except UserError as error:
        if error.code != Exit.BACKEND_MISSING:
            raise
        ours = Entry(part.name, "all", part.scenario, "", "", str(error), NOT_RUN, "")
        outcome.entries.append(ours)
        return
    own, searched = runs_of(part, effort), _searched(part, effort)
    with campaign:
        loaded, plan = effort.plan(own.scenario, own.wishes, own.backend)
        store = campaign.keep_in(own.folder, loaded)
        rows = console.execute(loaded.name, plan, campaign, effort.console)
        console.finish(campaign, rows, effort.console)
        if searched:
            found = _search(f"{part.name}: flows served", searched, LEVELS, effort, campaign)
            store.keep_search(campaign.about, found)
    data = gather(store)
    outcome.entries += pages.statements(part.name, data)
    if searched:
        outcome.served.append((part.name, data))
    target = report.write(own.folder, shared=effort.folder).relative_to(effort.folder)
    outcome.reports.append(Link(part.name, str(target)))


def _guesses(paper: Paper, effort: Effort) -> Iterator[tuple[Part, Guess, Runs]]:
    """Each assumed setting, and drop-tail's runs with it."""
    known = paper.calibration
    for part in (part for part in paper.parts if known and part.name in known.flows):
        assert known is not None
        for guess in known.guess:
            windows = [
                window for window in guess.receivers if window in _QUICK_GUESSES or not effort.quick
            ]
            droptail = Part(scenario=part.scenario, methods=_BASE, receivers=windows)
            yield part, guess, runs_of(droptail, effort, f"{part.name}-windows", guess.sets)


def _calibrate(paper: Paper, effort: Effort, outcome: Outcome) -> None:
    """Flows at which drop-tail reaches the paper's levels, for each assumed setting."""
    for part, guess, asked in _guesses(paper, effort):
        assert paper.calibration is not None
        with Campaign("sim", effort.workers, store=Store(asked.folder).open()) as campaign:
            what = f"{part.name}, {guess.what}"
            records = _search(what, asked, guess.levels, effort, campaign)
        stated = paper.calibration.flows[part.name]
        for receivers in dict.fromkeys(record["receivers"] for record in records):
            flows = [record["flows"] for record in records if record["receivers"] == receivers]
            found = Calibrated(part.name, guess.what, receivers, flows, stated)
            outcome.calibrations.append(found)


def work(paper: Paper, effort: Effort) -> Iterator[runs.Part]:
    """All that a paper runs, live runs aside."""
    for study in studies(paper, effort):
        yield from study.work()
    for part, less in (reduced(part, effort) for part in paper.parts):
        own, searched = runs_of(part, less), _searched(part, effort)
        if not own.backend_is_here:
            continue
        yield own, own.plan().cells()
        if searched:
            yield searched, runs.searched(searched.plan(), LEVELS)
    for _, guess, asked in _guesses(paper, effort):
        yield asked, runs.searched(asked.plan(), guess.levels)


def cost(paper: Paper, effort: Effort) -> costs.Cost:
    """What is left to run."""
    live = [each for study in studies(paper, effort) for each in study.live()]
    return costs.cost(work(paper, effort), live, effort.workers)


def left(paper: Paper) -> Iterator[Entry]:
    """The statements that nothing here decides, and why."""
    for one in paper.not_run:
        texts = "beyond runs", one.figure, one.what, "", one.stated, one.why
        yield Entry(*texts, NOT_RUN, one.source)


def results(paper: Paper, effort: Effort) -> Outcome:
    """Runs what is missing, and compares."""
    outcome = Outcome()
    for study in studies(paper, effort):
        found = study.run()
        outcome.entries += study.entries(found)
        outcome.plots += study.plots(found)
    for part in paper.parts:
        _part(part, effort, outcome)
    outcome.entries += pages.gains(outcome.served)
    _calibrate(paper, effort, outcome)
    outcome.entries += left(paper)
    return outcome


def efforts(papers: Sequence[Paper], like: Effort, apart: bool) -> Iterator[tuple[Paper, Effort]]:
    """Each paper with the extent of its runs: `like`, but with a paper's own few seeds if quick.

    `like.own`: of each paper only the methods of its statements.
    `apart`: each paper has a folder of its own in that of `like`.
    Other values than the scenarios' have one in that, as a page is of one set of values.
    """
    for paper in papers:
        few = str(paper.quick_seeds) if like.quick else None
        folder = like.folder / paper.name if apart else like.folder
        folder = folder / like.values if like.sets else folder
        chosen = stated(paper) if like.own else paper
        yield chosen, replace(like, folder=folder, seeds=like.seeds or few)


def reproduce(paper: Paper, effort: Effort) -> tuple[Outcome, pages.Reproduced]:
    """Runs what is missing, and writes the paper's page, reproduce.html, into the folder."""
    outcome = results(paper, effort)
    page = effort.folder / "reproduce.html"
    pages.write(page, pages.page(paper, outcome, effort.sets))
    return outcome, pages.Reproduced(paper, outcome.entries, page)
