# SPDX-License-Identifier: GPL-2.0-only
"""`penstock packetdrill`: packetdrill's scripts against the simulator's TCP."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import options
from penstock.errors import Exit, UsageError

_ENDING: Final = ".pkt"
_OUTCOMES: Final = ("passed", "failed", "skipped")


def _scripts(paths: list[str]) -> list[tuple[Path, str]]:
    """The scripts of files and folders, each with the name that is printed."""
    found: list[tuple[Path, str]] = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            inside = sorted(path.rglob(f"*{_ENDING}"))
            if not inside:
                raise UsageError(f"{text} holds no scripts (*{_ENDING})")
            found += [(file, file.relative_to(path).as_posix()) for file in inside]
        elif path.is_file():
            found.append((path, text))
        else:
            raise UsageError(f"there is no script and no folder {text}")
    return found


def _print_features(as_json: bool) -> None:
    from penstock.runs.packetdrill import claims

    for claimed, table in ((True, claims.CLAIMED), (False, claims.UNCLAIMED)):
        for name, feature in table.items():
            if as_json:
                print(
                    json.dumps({"feature": name, "claimed": claimed, **dataclasses.asdict(feature)})
                )
            else:
                mark = "yes" if claimed else "no"
                print(f"{mark:<4} {name:<18} {feature.what} ({feature.reference})")


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
    from penstock.runs.packetdrill import run

    if features:
        _print_features(as_json)
        return
    if not scripts:
        raise UsageError("packetdrill needs a script or a folder; see penstock packetdrill --help")
    if ip_version not in run.FAMILIES:
        known = ", ".join(run.FAMILIES)
        raise UsageError(f"--ip-version {ip_version}: it is one of {known}")
    count = Counter(dict.fromkeys(_OUTCOMES, 0))
    for file, name in _scripts(scripts):
        verdict = run.verdict(file, name, tolerance_us, ip_version)
        count[verdict.outcome] += 1
        if as_json:
            print(json.dumps(dataclasses.asdict(verdict)), flush=True)
        else:
            where = f":{verdict.line}: {verdict.reason}" if verdict.line else ""
            print(f"{verdict.outcome:<8} {name}{where}", flush=True)
    if as_json:
        print(json.dumps(dict(count)))
    else:
        print(", ".join(f"{count[outcome]} {outcome}" for outcome in _OUTCOMES))
    if count["failed"]:
        raise typer.Exit(Exit.FAILURE)
    if not count["passed"]:
        raise typer.Exit(Exit.SKIPPED)
