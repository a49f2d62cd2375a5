# SPDX-License-Identifier: GPL-2.0-only
"""`penstock trace`: a synthetic trace of a link whose rate varies."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import screen
from penstock.errors import UsageError, UserError, near
from penstock.scenario import units

_LONGEST_MS = 24 * 3600 * 1000
_MOST = 50_000_000


def _parsed(option: str, kind: units.Kind, text: str) -> int:
    try:
        return units.parse(kind, text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def trace(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="lte or satellite.")],
    seed: Annotated[int, typer.Option(min=1, max=2**63 - 1, help="Number of the trace.")] = 1,
    duration: Annotated[str, typer.Option(help="Length of the trace, which is repeated.")] = "60s",
    rate: Annotated[
        str, typer.Option(help="Mean rate; 12mbit for lte, 80mbit for satellite.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Stdout by default.")
    ] = None,
) -> None:
    """Write a synthetic trace of a mobile or a satellite link, in mahimahi's format."""
    from penstock.scenario import traces

    if kind not in traces.KINDS:
        raise UsageError(f"there is no kind of trace {kind!r}; {near(kind, traces.KINDS)}")
    duration_ms = _parsed("--duration", units.TIME, duration) // 10**6
    if not 1 <= duration_ms <= _LONGEST_MS:
        raise UsageError("--duration: from 1ms to 24h")
    mean_bps = _parsed("--rate", units.RATE, rate) if rate else traces.KINDS[kind][1]
    if mean_bps * duration_ms // 12_000_000 > _MOST:
        raise UsageError(f"--rate: more than {_MOST:,} opportunities; write less, or a shorter one")
    text = traces.text(traces.opportunities(kind, seed, duration_ms, mean_bps))
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text)
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror}") from None
    screen.say(f"{output}: use it with --set link.NAME.trace={output}")
