# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce`: all figures and tables of a paper, ours beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import capacity, options, reproduce_all, reproduce_runs, run, screen
from penstock.cli.report import write
from penstock.cli.reproduce_runs import Effort, Runs
from penstock.errors import Exit, UsageError, UserError, near
from penstock.reproduce.entries import NOT_RUN, Entry, counts
from penstock.reproduce.papers import LEVELS, PAPERS, Guess, Paper, Part

if TYPE_CHECKING:
    from penstock.plots.data import Data
    from penstock.report import reproduce as pages
    from penstock.report import sheet
    from penstock.runs.campaign import Campaign

_QUICK_RECEIVERS: Final = "65535"  # --quick searches the flows served with this window alone
_QUICK_GUESSES: Final = ("65535", "49152")
_MOST_FLOWS: Final = 512
_BASE: Final = ("droptail",)


@dataclass(frozen=True)
class Study:
    """Runs of a paper's own, and what makes statements and plots of their results."""

    run: Callable[[], Any]
    entries: Callable[[Any], Iterable[Entry]]
    plots: Callable[[Any], Iterable[tuple[str, Any]]]


@dataclass
class Outcome:
    """The results for a paper."""

    entries: list[Entry] = field(default_factory=list)
    served: list[tuple[str, Data]] = field(default_factory=list)
    calibrations: list[pages.Calibrated] = field(default_factory=list)
    reports: list[sheet.Link] = field(default_factory=list)
    plots: list[tuple[str, Any]] = field(default_factory=list)

    def collect(self, study: Study) -> None:
        """Runs a study and keeps its statements and plots."""
        results = study.run()
        self.entries += study.entries(results)
        self.plots += study.plots(results)


def _runs(part: Part, effort: Effort, **more: Any) -> Runs:
    from penstock.runs.wishes import Wishes

    wishes = Wishes(
        methods=more.get("methods", part.methods),
        receivers=more.get("receivers", part.receivers),
        seeds=effort.seeds,
        sets=(*effort.sets, *more.get("sets", ())),
    )
    folder = effort.folder / more.get("folder", part.name)
    return Runs(part.scenario, wishes, folder, part.backend)


def _searched(part: Part, effort: Effort) -> Runs | None:
    """The search for the flows served, stored beside the runs."""
    if not part.served or (effort.quick and part.slow):
        return None
    receivers = (_QUICK_RECEIVERS,) if effort.quick else part.receivers
    return _runs(part, effort, receivers=receivers, methods=part.searched or part.methods)


def _reduced(part: Part, effort: Effort) -> tuple[Part, Effort]:
    """What --quick leaves of a slow part."""
    if effort.quick and part.slow:
        return part.model_copy(update={"receivers": part.slow}), replace(effort, seeds="1")
    return part, effort


def _search(part: Part, runs: Runs, campaign: Campaign) -> None:
    _, plan = runs.plan()
    with screen.progress(f"{part.name}: flows served", None) as advance:
        campaign.advance = advance
        records = capacity.search(plan, campaign, LEVELS, _MOST_FLOWS)
    assert campaign.store is not None
    campaign.store.keep_search(campaign.about, records)


def _part(part: Part, effort: Effort, outcome: Outcome) -> None:
    """Runs a part and keeps its statements; reports one that cannot run here as not run."""
    from penstock.plots.data import gather
    from penstock.report import reproduce as pages
    from penstock.report import sheet
    from penstock.runs.campaign import Campaign

    part, effort = _reduced(part, effort)
    try:
        campaign = Campaign(part.backend, effort.workers, cluster=effort.cluster)
    except UserError as error:
        if error.code != Exit.BACKEND_MISSING:
            raise
        ours = Entry(part.name, "all", part.scenario, "", "", str(error), NOT_RUN, "")
        outcome.entries.append(ours)
        return
    runs, searched = _runs(part, effort), _searched(part, effort)
    with campaign:
        loaded, plan = runs.plan()
        store = campaign.keep_in(runs.folder, loaded)
        rows = run.execute(loaded, plan, campaign)
        run.finish(campaign, rows)
        if searched:
            _search(part, searched, campaign)
    data = gather(store)
    outcome.entries += pages.statements(part.name, data)
    if searched:
        outcome.served.append((part.name, data))
    target = write(runs.folder, shared=effort.folder).relative_to(effort.folder)
    outcome.reports.append(sheet.Link(part.name, str(target)))


def _guesses(paper: Paper, effort: Effort) -> Iterator[tuple[Part, Guess, Runs]]:
    """Each assumed setting, and drop-tail's runs with it."""
    known = paper.calibration
    for part in (part for part in paper.parts if known and part.name in known.flows):
        assert known is not None
        for guess in known.guess:
            windows = [
                window for window in guess.receivers if window in _QUICK_GUESSES or not effort.quick
            ]
            folder = f"{part.name}-windows"
            more = {"receivers": windows, "sets": guess.sets, "folder": folder}
            yield part, guess, _runs(Part(scenario=part.scenario, methods=_BASE), effort, **more)


def _calibrate(paper: Paper, effort: Effort, outcome: Outcome) -> None:
    """Flows at which drop-tail reaches the paper's levels, for each assumed setting."""
    from penstock.report import reproduce as pages
    from penstock.runs.campaign import Campaign
    from penstock.runs.store import Store

    for part, guess, runs in _guesses(paper, effort):
        assert paper.calibration is not None
        _, plan = runs.plan()
        with (
            Campaign("sim", effort.workers, store=Store(runs.folder).open()) as campaign,
            screen.progress(f"{part.name}, {guess.what}", None) as advance,
        ):
            campaign.advance = advance
            records = capacity.search(plan, campaign, guess.levels, _MOST_FLOWS)
        stated = paper.calibration.flows[part.name]
        for receivers in plan.receivers:
            flows = [record["flows"] for record in records if record["receivers"] == receivers]
            found = pages.Calibrated(part.name, guess.what, receivers, flows, stated)
            outcome.calibrations.append(found)


def _work(paper: Paper, effort: Effort) -> Iterator[reproduce_runs.Part]:
    """All that a paper runs, live runs aside."""
    from penstock.cli.reproduce_end_system import Runner as EndSystemRunner
    from penstock.cli.reproduce_radio import Runner as RadioRunner
    from penstock.cli.reproduce_senders import Runner as SendersRunner

    if "senders" in paper.analyses:
        yield from SendersRunner(**vars(effort)).work()
    if "end_system" in paper.analyses:
        yield from EndSystemRunner(**vars(effort)).work()
    if "radio" in paper.analyses:
        yield from RadioRunner(**vars(effort)).work()
    for part, less in (_reduced(part, effort) for part in paper.parts):
        runs, searched = _runs(part, less), _searched(part, effort)
        if not runs.backend_is_here:
            continue
        yield runs, runs.quiet_plan().cells()
        if searched:
            yield searched, reproduce_runs.searched(searched.quiet_plan(), LEVELS)
    for _, guess, runs in _guesses(paper, effort):
        yield runs, reproduce_runs.searched(runs.quiet_plan(), guess.levels)


def _cost(paper: Paper, effort: Effort) -> reproduce_all.Cost:
    """What is left to run."""
    from penstock.cli.reproduce_linux import Runner as LinuxRunner

    live = LinuxRunner(**vars(effort)).live() if "linux" in paper.analyses else ()
    return reproduce_all.cost(_work(paper, effort), live, effort.workers)


def _studies(paper: Paper, effort: Effort) -> Iterator[Study]:
    """What a paper shows beside its scenarios, as far as it is run."""
    from penstock.cli.reproduce_end_system import Runner as EndSystemRunner
    from penstock.cli.reproduce_linux import Runner as LinuxRunner
    from penstock.cli.reproduce_radio import Runner as RadioRunner
    from penstock.cli.reproduce_senders import Runner as SendersRunner
    from penstock.report import end_system as end_system_page
    from penstock.report import linux_efcm as linux_page
    from penstock.report import log_westwood as log_westwood_page
    from penstock.report import radio_access as radio_access_page
    from penstock.report import single_connections as single_page
    from penstock.reproduce import (
        end_system,
        linux_efcm,
        log_westwood,
        radio_access,
        single_connections,
    )

    if "senders" in paper.analyses:
        senders = SendersRunner(**vars(effort))
        yield Study(senders.everything, log_westwood.entries, log_westwood_page.plots)
    if "end_system" in paper.analyses:
        host = EndSystemRunner(**vars(effort))
        yield Study(host.single_connections, single_connections.entries, single_page.plots)
        yield Study(host.everything, end_system.entries, end_system_page.plots)
    if "linux" in paper.analyses:
        live = LinuxRunner(**vars(effort))
        yield Study(live.everything, linux_efcm.entries, linux_page.plots)
    if "radio" in paper.analyses:
        cells = RadioRunner(**vars(effort))
        yield Study(cells.everything, radio_access.entries, radio_access_page.plots)


def results(paper: Paper, effort: Effort) -> Outcome:
    """Runs what is missing, and compares."""
    from penstock.report import reproduce as pages
    from penstock.reproduce import model_checks

    outcome = Outcome()
    if "zhang" in paper.analyses:
        outcome.entries += model_checks.entries()
    for study in _studies(paper, effort):
        outcome.collect(study)
    for part in paper.parts:
        _part(part, effort, outcome)
    outcome.entries += pages.gains(outcome.served)
    _calibrate(paper, effort, outcome)
    return outcome


def _print_json(paper: Paper, outcome: Outcome, named: bool) -> None:
    name = {"of": paper.name} if named else {}
    for entry in outcome.entries:
        print(json.dumps({"kind": "statement", **name, **asdict(entry)}))
    for found in outcome.calibrations:
        print(json.dumps({"kind": "calibration", **name, **asdict(found)}))
    print(json.dumps({"kind": "verdict", "of": paper.name, **counts(outcome.entries)}))


def _print(outcome: Outcome) -> None:
    from rich.markup import escape

    from penstock.report import reproduce as pages

    console = screen.out()
    for grid in pages.tables(outcome.entries):
        rows = [[escape(cell) for cell in row] for row in grid.rows]
        console.print(screen.table(grid.title, grid.headers, rows, left=len(grid.headers)))
        console.print()
    if outcome.calibrations:
        console.print(
            screen.table(
                "flows at which drop-tail loses 0.1, 0.5 and 1 %, by what the paper may have used",
                pages.CALIBRATION_HEADERS,
                pages.calibration_rows(outcome.calibrations),
                left=len(pages.CALIBRATION_HEADERS),
            )
        )
    console.print()


def _write(page: Path, about: sheet.Sheet) -> None:
    from penstock.report import sheet
    from penstock.report.document import Place

    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        sheet.write(Place(page), about)
    except OSError as error:
        raise UserError(f"{page}: cannot be written: {error.strerror}") from None


def _publish(paper: Paper, effort: Effort, outcome: Outcome) -> Path:
    """The page of a paper."""
    from penstock.report import reproduce as pages

    page = effort.folder / "reproduce.html"
    about = pages.page(paper, outcome.entries, outcome.calibrations, outcome.reports)
    _write(page, replace(about, plots=outcome.plots))
    return page


def find(name: str) -> Paper:
    """The paper of that name, or a usage error."""
    if name not in PAPERS:
        raise UsageError(f"there is no paper {name!r}; {near(name, [*PAPERS, reproduce_all.ALL])}")
    return PAPERS[name]


def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(PAPERS)}; or all papers.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Few seeds and short runs: minutes on a laptop.")
    ] = False,
    seeds: options.Seeds = None,
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.path,
            help="Where results and pages go (out/reproduce/PAPER by default); continue what is "
            "there.",
        ),
    ] = None,
    workers: options.Workers = None,
) -> None:
    """Run all that a paper shows: its statements beside ours, as table, page or JSON."""
    from penstock.report import reproduce as pages

    every = paper == reproduce_all.ALL
    chosen = reproduce_all.papers() if every else [find(paper)]
    root = output or Path("out/reproduce")
    count = options.worker_count(workers)
    efforts = [
        Effort(
            folder=root / one.name if every or not output else root,
            workers=count,
            seeds=seeds or (str(one.quick_seeds) if quick else None),
            quick=quick,
        )
        for one in chosen
    ]
    if every:
        costs = (_cost(one, effort) for one, effort in zip(chosen, efforts, strict=True))
        for line in reproduce_all.plan(chosen, costs, count):
            screen.say(line)
    pages_of = []
    for one, effort in zip(chosen, efforts, strict=True):
        outcome = results(one, effort)
        page = _publish(one, effort, outcome)
        pages_of.append(reproduce_all.Reproduced(one, outcome.entries, page))
        if as_json:
            _print_json(one, outcome, named=every)
        elif not every:
            _print(outcome)
        for sentence in pages.found_text(outcome.entries):
            screen.say(f"{one.name}: {sentence}" if every else sentence)
        screen.say(f"{one.document} says what was tried of each difference; page: {page}")
    if every:
        target = root / "reproduce.html"
        _write(target, reproduce_all.overview(pages_of, root))
        screen.say(f"every figure and table of the papers: {target}")
        if as_json:
            total = counts(entry for each in pages_of for entry in each.entries)
            print(json.dumps({"kind": "verdict", "of": reproduce_all.ALL, **total}))
