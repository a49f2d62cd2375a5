# SPDX-License-Identifier: GPL-2.0-only
"""`penstock trace`: traces of links whose rate varies, synthetic ones and recordings."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import screen
from penstock.errors import UsageError, UserError, near
from penstock.scenario import units

_UNITS_BPS: Final = {"": None, "bit": 1.0, "kbit": 1e3, "mbit": 1e6}
_UNKNOWN: Final = "not stated"


def _parsed(option: str, kind: units.Kind, text: str) -> int:
    try:
        return units.parse(kind, text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def _synthetic(kind: str, seed: int, duration: str, rate: str) -> str:
    from penstock.scenario import traces

    duration_ms = _parsed("--duration", units.TIME, duration) // 10**6
    if not 1 <= duration_ms <= traces.LONGEST_MS:
        raise UsageError("--duration: from 1ms to 24h")
    mean_bps = _parsed("--rate", units.RATE, rate) if rate else None
    try:
        return traces.synthetic(kind, seed, duration_ms, mean_bps)
    except ValueError as error:
        raise UsageError(f"--rate: {error}") from None


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text)
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror}") from None
    screen.say(f"{output}: use it with --set link.NAME.trace={output}")


def _recorded(kind: str, file: Path, column: str, unit: str, notes: dict[str, str]) -> str:
    from penstock.scenario import trace_formats

    origin = {"source": notes["source"] or file.name, "licence": notes["licence"] or _UNKNOWN}
    try:
        data = file.read_bytes()
        return trace_formats.converted(kind, data, origin, column, _UNITS_BPS[unit])
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file}: not a text file") from None
    except ValueError as error:
        raise UserError(f"{file}: {error}") from None


def _pairs(given: Path, output: Path | None) -> Iterator[tuple[Path, Path | None]]:
    """Recordings, and where their traces go: of a folder, each file into another folder."""
    if not given.is_dir():
        yield given, output
        return
    if output is None:
        raise UsageError(f"{given} is a folder: name one for its traces with -o")
    files = sorted(path for path in given.iterdir() if path.is_file())
    if not files:
        raise UserError(f"{given}: there are no files in it")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{output}: cannot be made: {error.strerror}") from None
    for file in files:
        yield file, output / f"{file.name}.trace"


def trace(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="lte or satellite; of recordings mahimahi, cellsim, or csv, as for 5G.",
        ),
    ],
    recording: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A recording, or a folder of them.")
    ] = None,
    seed: Annotated[int, typer.Option(min=1, max=2**63 - 1, help="Number of the trace.")] = 1,
    duration: Annotated[str, typer.Option(help="Length of the trace, which is repeated.")] = "60s",
    rate: Annotated[
        str, typer.Option(help="Mean rate; 12mbit for lte, 80mbit for satellite.")
    ] = "",
    column: Annotated[str, typer.Option(help="Of a csv: the column with the rate.")] = "",
    unit: Annotated[str, typer.Option(help="Of that column: bit, kbit or mbit.")] = "",
    source: Annotated[str, typer.Option(help="Where a recording is from.")] = "",
    licence: Annotated[str, typer.Option(help="Its licence.")] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Stdout by default.")
    ] = None,
) -> None:
    """Write a trace of a link whose rate varies, synthetic or of a recording."""
    from penstock.scenario import trace_formats, traces

    kinds = (*traces.KINDS, *trace_formats.KINDS)
    if kind not in kinds:
        raise UsageError(f"there is no kind of trace {kind!r}; {near(kind, kinds)}")
    if unit not in _UNITS_BPS:
        raise UsageError(f"--unit {unit}: bit, kbit or mbit")
    if (kind in trace_formats.KINDS) != (recording is not None):
        raise UsageError(f"{kind} takes {'no file' if recording else 'a file with a recording'}")
    if recording is None:
        _write(_synthetic(kind, seed, duration, rate), output)
        return
    notes = {"source": source, "licence": licence}
    for file, target in _pairs(recording, output):
        _write(_recorded(kind, file, column, unit, notes), target)
