# SPDX-License-Identifier: GPL-2.0-only
"""`penstock live real`: live runs with nginx, curl, iperf3, ssh and aioquic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UsageError, UserError, near

if TYPE_CHECKING:
    from penstock.runs.clients.run import Outcome

T = TypeVar("T")
_HEADERS: Final = (
    *("case", "method", "Mbit/s", "Jain", "p50 ms", "p90 ms", "p99 ms"),
    *("drops", "retransmissions", "timeouts", "queue ms", "queue p99 ms"),
)
_FILE: Final = "results.json"


def _words(given: Sequence[str], known: Sequence[str], what: str) -> list[str]:
    """Names, also with commas; all that are known if there are none."""
    words = [word for text in given for word in text.split(",") if word] or list(known)
    for word in words:
        if word not in known:
            raise UsageError(f"there is no {what} {word!r}; {near(word, known)}")
    return list(dict.fromkeys(words))


def _methods(given: Sequence[str]) -> list[str]:
    from penstock.runs.clients.cases import METHODS
    from penstock.scenario import params

    live_ones = [name for name, each in params.methods().items() if each.rewrites]
    return _words(given or METHODS, [params.PLAIN, *live_ones], "method for penstock-gw")


def _joined(parts: dict[str, T], text: Callable[[T], str]) -> str:
    """'tcp 7.2, quic 2.3', or the one value alone."""
    found = [(name, text(each)) for name, each in parts.items()]
    if len(found) == 1:
        return found[0][1]
    return ", ".join(f"{name} {value}" for name, value in found if value)


def _row(each: Outcome) -> list[str]:
    return [
        *(each.case, each.method, _joined(each.rates, lambda rates: f"{rates.mbps:.2f}")),
        _joined(each.rates, lambda rates: "" if rates.jain is None else f"{rates.jain:.3f}"),
        _joined(each.times_ms, lambda times: f"{times.p50:.0f}"),
        _joined(each.times_ms, lambda times: f"{times.p90:.0f}"),
        _joined(each.times_ms, lambda times: f"{times.p99:.0f}"),
        str(each.drops),
        ", ".join(f"{host} {count}" for host, count in each.retransmissions.items()) or "0",
        str(each.timeouts),
        *(f"{each.queue_delay_ms_mean:.1f}", f"{each.queue_delay_ms_p99:.1f}"),
    ]


def _play(cases: Sequence[str], methods: Sequence[str], version: int) -> Iterator[Outcome | None]:
    """Runs the cases that can run here, and reports why others cannot; None for a failed run."""

    from penstock.runs.clients import lab, run
    from penstock.runs.clients.cases import CASES

    for name in cases:
        if absent := list(lab.missing(CASES[name].clients)):
            screen.say(f"{name}: skipped, as there is no {', no '.join(absent)}")
            continue
        for method in methods:
            try:
                yield run.play(name, CASES[name], method, version)
            except RuntimeError as error:
                screen.say(f"{name}, {method}: {error}")
                yield None


def _broken(found: Sequence[Outcome]) -> list[str]:
    """The runs that left their bounds, and how."""
    from penstock.runs.clients import bounds

    return [
        f"{each.case}, {each.method}: {', '.join(why)}"
        for each in found
        if (why := bounds.broken(each))
    ]


def _save(folder: Path | None, found: Sequence[Outcome]) -> None:
    """Writes results after each run, so that an interrupt keeps them."""
    from penstock.results import sealed

    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with sealed.replacing(folder / _FILE) as partial:
            partial.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}") from None


def real(
    cases: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE]...", help="Default: the usual cases; --list shows all."),
    ] = None,
    method: options.Methods = [],  # noqa: B006
    ipv6: Annotated[bool, typer.Option("--ipv6", help="Over IPv6.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the cases without running them.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", parser=options.path, help=f"Write {_FILE} there."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Fail if a case leaves the bounds that docs/live.md lists."),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Run the cases of live/real: nginx, curl, iperf3, ssh and aioquic on one bottleneck."""

    from penstock.runs.backends import live
    from penstock.runs.clients.cases import CASES

    usual = [name for name, each in CASES.items() if each.usual or listed]
    names, methods = _words(cases or usual, list(CASES), "case"), _methods(method)
    if listed:
        rows = [[name, CASES[name].title] for name in names]
        screen.out().print(screen.table("", ["case", "what it is"], rows, left=2))
        return
    version = 6 if ipv6 else 4
    live.backend(version)
    found: list[Outcome] = []
    failed = 0
    for each in _play(names, methods, version):
        if each is None:
            failed += 1
            continue
        found.append(each)
        _save(output, found)
        if as_json:
            typer.echo(json.dumps(asdict(each)))
    if not found and not failed:
        raise UserError("live real: no case could be run", Exit.SKIPPED)
    if found and not as_json:
        screen.out().print(screen.table("", _HEADERS, [_row(each) for each in found], left=2))
    if failed:
        raise UserError(f"live real: failed runs: {failed}", Exit.SOME_CELLS_FAILED)
    if check and (outside := _broken(found)):
        raise UserError("live real: outside of the bounds: " + "; ".join(outside))
