# SPDX-License-Identifier: GPL-2.0-only
"""Options common to several verbs, and their application to a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import screen
from penstock.errors import UsageError
from penstock.scenario.source import SET

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.runs.wishes import Wishes
    from penstock.scenario.read import Loaded


def path(text: str | Path) -> Path:
    """A path that was named; the empty one would mean the current folder."""
    if not str(text).strip():
        raise UsageError("'' is no path; name a file or folder ('.' is the current one)")
    return Path(text)


def folder(flag: str, help_: str) -> Any:
    """The option of a folder to write into."""
    return typer.Option(flag, metavar="DIR", parser=path, help=help_)


def output(help_: str, what: str = "DIR") -> Any:
    """The option -o, of a folder or a file to write."""
    return typer.Option("-o", "--output", metavar=what, parser=path, help=help_)


ScenarioName = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="A file, - for stdin, or a name that `penstock list` shows."
    ),
]
Methods = Annotated[
    list[str],
    typer.Option(
        "-m", "--method", metavar="METHOD", help="Method; again or with commas for several; or all."
    ),
]
FlowCounts = Annotated[
    list[str],
    typer.Option("-n", "--flows", metavar="N", help="Number of flows; again, with commas, or 4-8."),
]
Receivers = Annotated[
    list[str],
    typer.Option(
        "--receivers",
        "--window",
        metavar="BYTES",
        help="Receive buffer: bytes, or auto; with commas.",
    ),
]
Seeds = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="N",
        help="Number of seeds per combination; or a list of seeds: 3,7,9 or 4-8.",
    ),
]
Sets = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A method's parameter (ewt.start_bytes=30000, or start_bytes=30000 for all that have "
        "it), or a key of the scenario (link.bottleneck.queue=60kB).",
    ),
]
Sweeps = Annotated[
    list[str],
    typer.Option(
        "--sweep",
        metavar="KEY=V1,V2",
        help="Run each value of a key as for --set; repeat it for all combinations.",
    ),
]
Mode = Annotated[
    str | None,
    typer.Option(
        "--mode",
        metavar="MODE",
        help="How windows are written: safe, strict or literal, or several.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, max=1024, help="Parallel runs; default: one per CPU."
    ),
]
OnCluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        metavar="tcp://HOST:PORT|slurm|pbs|...",
        help="Run on a cluster of dask.distributed, or as --workers jobs of a batch system.",
    ),
]
BackendName = Annotated[
    str, typer.Option("--backend", metavar="NAME", help="Backend that runs the cells.")
]
AsJson = Annotated[bool, typer.Option("-j", "--json", help="JSON, one object per line.")]
TrafficGroup = Annotated[
    str,
    typer.Option(
        "--group",
        metavar="NAME",
        help="One group of traffic, [tcp.NAME] or [udp.NAME]: its transfers, and its delays.",
    ),
]
GatewayName = Annotated[
    str,
    typer.Option(
        "--gateway",
        metavar="NAME",
        help="The queue of one gateway, [gateway.NAME], instead of the measured one.",
    ),
]
OfMethods = Annotated[
    list[str],
    typer.Option("-m", "--method", metavar="METHOD", help="These methods; default: all."),
]
Where = Annotated[
    list[str],
    typer.Option(
        "--where",
        metavar="KEY=VALUE",
        help="Only results with this value of flows, receivers or a swept key; repeat it.",
    ),
]
Output = Annotated[Path | None, output("Store results, and continue an earlier run.")]


def pairs(sets: Sequence[str]) -> list[tuple[str, str]]:
    """Parses the KEY=VALUE of --set."""
    from penstock.scenario import axes

    return axes.pairs(SET, sets)


def plan(name: str, asked: Wishes, backend: str = "sim") -> tuple[Loaded, Plan]:
    """The scenario and the sweep given by a command line; notes go to stderr."""
    from penstock.runs import wishes

    return wishes.plan(name, asked, backend, screen.say)


def worker_count(asked: int | None) -> int:
    """--workers, or one per CPU."""
    from penstock.runs import workers

    return asked or workers.default_workers()
