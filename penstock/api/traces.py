# SPDX-License-Identifier: GPL-2.0-only
"""`ps.trace`: how the rate of a link varies, made up or as it was recorded."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.api.files import folder, saved
from penstock.api.words import in_python
from penstock.errors import OptionError, UsageError, UserError, near
from penstock.scenario import trace_formats, traces, units

_UNITS_BPS: Final = {"": None, "bit": 1.0, "kbit": 1e3, "mbit": 1e6}
_UNKNOWN: Final = "not stated"


@dataclass(frozen=True)
class Trace:
    """Opportunities to send, as a file of mahimahi's format has them."""

    text: str

    def save(self, path: str | Path) -> Path:
        """Writes the file, which is the `trace` of a link."""
        return saved(path, self.text)


def _parsed(option: str, kind: units.Kind, text: str) -> int:
    try:
        return units.parse(kind, text)
    except ValueError as error:
        raise OptionError(option, text, str(error)) from None


def _synthetic(kind: str, seed: int, duration: str, rate: str) -> str:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 1 <= seed < 2**63:
        raise OptionError("--seed", str(seed), "must be a whole number from 1 to 2^63 - 1")
    duration_ms = _parsed("--duration", units.TIME, duration) // 10**6
    if not 1 <= duration_ms <= traces.LONGEST_MS:
        raise OptionError("--duration", duration, "from 1ms to 24h")
    mean_bps = _parsed("--rate", units.RATE, rate) if rate else None
    try:
        return traces.synthetic(kind, seed, duration_ms, mean_bps)
    except ValueError as error:
        raise OptionError("--rate", rate, str(error)) from None


def _recorded(kind: str, file: Path, column: str, unit: str, origin: dict[str, str]) -> str:
    try:
        return trace_formats.converted(kind, file.read_bytes(), origin, column, _UNITS_BPS[unit])
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file}: not a text file") from None
    except ValueError as error:
        raise UserError(f"{file}: {error}") from None


def recordings(given: Path, output: Path | None) -> Iterator[tuple[Path, Path | None]]:
    """Recordings, and where their traces go: of a folder, each file into another folder."""
    if not given.is_dir():
        yield given, output
        return
    if output is None:
        raise UsageError(f"{given} is a folder: name one for its traces with -o")
    files = sorted(path for path in given.iterdir() if path.is_file())
    if not files:
        raise UserError(f"{given}: there are no files in it")
    folder(output)
    for file in files:
        yield file, output / f"{file.name}.trace"


@in_python
def trace(
    kind: str,
    recording: str | Path | None = None,
    *,
    seed: int = 1,
    duration: str = "60s",
    rate: str = "",
    column: str = "",
    unit: str = "",
    source: str = "",
    licence: str = "",
) -> Trace:
    """A trace of a link whose rate varies.

    Of `kind` "lte" or "satellite" it is made up: number `seed`, `duration` long, with the mean
    `rate`. Of "mahimahi", "cellsim" or "csv" it is that of the file `recording`; of a csv,
    `column` and `unit` name the rate. `source` and `licence` become comments at its top.

    Examples:
        >>> trace("lte", seed=3, duration="1s").text.splitlines()[:2]
        ['2', '4']
        >>> trace("lte", duration="0s")
        Traceback (most recent call last):
        penstock.errors.UsageError: duration='0s': from 1ms to 24h
    """
    kinds = (*traces.KINDS, *trace_formats.KINDS)
    if kind not in kinds:
        raise UsageError(f"there is no kind of trace {kind!r}; {near(kind, kinds)}")
    if unit not in _UNITS_BPS:
        raise OptionError("--unit", unit, "bit, kbit or mbit")
    if (kind in trace_formats.KINDS) != (recording is not None):
        raise UsageError(f"{kind} takes {'no file' if recording else 'a file with a recording'}")
    if recording is None:
        return Trace(_synthetic(kind, seed, duration, rate))
    file = Path(recording)
    origin = {"source": source or file.name, "licence": licence or _UNKNOWN}
    return Trace(_recorded(kind, file, column, unit, origin))
