# SPDX-License-Identifier: GPL-2.0-only
"""`penstock packetdrill`: packetdrill's scripts against the simulator's TCP."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options
from penstock.errors import Exit, UsageError

if TYPE_CHECKING:
    from penstock.runs.packetdrill.run import Verdict


def _print_features(as_json: bool) -> None:
    from penstock.api import packetdrill as api

    for each in api.features():
        if as_json:
            print(json.dumps(dataclasses.asdict(each)))
        else:
            mark = "yes" if each.claimed else "no"
            print(f"{mark:<4} {each.feature:<18} {each.what} ({each.reference})")


def _print(verdict: Verdict, as_json: bool) -> None:
    if as_json:
        print(json.dumps(dataclasses.asdict(verdict)), flush=True)
        return
    where = f":{verdict.line}: {verdict.reason}" if verdict.line else ""
    print(f"{verdict.outcome:<8} {verdict.script}{where}", flush=True)


def packetdrill(
    scripts: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCRIPT...", help="Scripts (*.pkt), or folders that hold some."),
    ] = None,
    tolerance_us: Annotated[
        int | None,
        typer.Option(
            "--tolerance-usecs",
            metavar="N",
            min=1,
            help="How far a time may be off, where the script does not say; packetdrill's 4000.",
        ),
    ] = None,
    ip_version: Annotated[
        str,
        typer.Option(
            "--ip-version",
            metavar="FAMILY",
            help="ipv4, ipv6 or ipv4-mapped-ipv6, for scripts that name none.",
        ),
    ] = "ipv4",
    features: Annotated[
        bool, typer.Option("--features", help="List what of TCP is claimed, and what is not.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Run packetdrill's scripts against the simulator's TCP: one line per script."""
    from penstock.api import packetdrill as api

    if features:
        _print_features(as_json)
        return
    if not scripts:
        raise UsageError("packetdrill needs a script or a folder; see penstock packetdrill --help")
    count = Counter(dict.fromkeys(api.OUTCOMES, 0))
    for verdict in api.play(scripts, tolerance_us, ip_version):
        count[verdict.outcome] += 1
        _print(verdict, as_json)
    if as_json:
        print(json.dumps(dict(count)))
    else:
        print(", ".join(f"{many} {outcome}" for outcome, many in count.items()))
    if count["failed"]:
        raise typer.Exit(Exit.FAILURE)
    if not count["passed"]:
        raise typer.Exit(Exit.SKIPPED)
