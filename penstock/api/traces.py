# SPDX-License-Identifier: GPL-2.0-only
"""`ps.trace`: how the rate of a link varies, made up or as it was recorded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from penstock.api.files import folder, saved
from penstock.api.words import in_python
from penstock.errors import OptionError, UsageError, UserError, near
from penstock.scenario import trace_formats, traces, units
from penstock.scenario.rate_tables import TIME_UNITS_NS, Asked, OtherKindError

_UNITS_BPS: Final = {"": None, "bit": 1.0, "kbit": 1e3, "mbit": 1e6}
_UNKNOWN: Final = "not stated"


@dataclass(frozen=True)
class Trace:
    """Opportunities to send, as a file of mahimahi's format has them.

    `told` says of a recording what was read, joined, filled and left out.
    """

    text: str
    told: tuple[str, ...] = ()

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


class OtherSortError(UserError):
    """A file that is no recording of the kind that is asked for."""


def _recorded(kind: str, file: Path, asked: Asked, origin: dict[str, str]) -> Trace:
    try:
        found = trace_formats.converted(kind, file.read_bytes(), origin, asked)
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from None
    except OtherKindError as error:
        raise OtherSortError(f"{file}: {error}") from None
    except ValueError as error:
        raise UserError(f"{file}: {error}") from None
    return Trace(found.text, found.told)


@dataclass
class Conversion:
    """Recordings as traces, and the files where they go; nothing is written yet."""

    traces: list[tuple[Path, Path | None, Trace]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # of a folder: what, and why

    def summary(self) -> Iterator[str]:
        """A line for each finding."""
        for file, _, made in self.traces:
            for told in made.told:
                yield f"{file}: {told}"
        for each in self.left_out:
            yield f"left out: {each}"


def _of_folder(given: Path, output: Path, made: Callable[[Path], Trace]) -> Conversion:
    """All files, before the first is written: one that is damaged refuses all."""
    found, wrong = Conversion(), list[str]()
    for path in sorted(given.iterdir()):
        if not path.is_file():
            found.left_out.append(f"{path}, no file; name it by itself")
            continue
        try:
            found.traces.append((path, output / f"{path.name}.trace", made(path)))
        except OtherSortError as error:
            found.left_out.append(str(error))
        except UserError as error:
            wrong.append(str(error))
    if wrong:
        raise UserError("\n".join([*wrong, "nothing was written"]))
    if not found.traces:
        reasons = "; ".join(found.left_out) or "there are no files in it"
        raise UserError(f"{given}: no recording of this kind: {reasons}")
    return found


def convert(given: Path, output: Path | None, made: Callable[[Path], Trace]) -> Conversion:
    """Recordings by `made`: a file, or each of a folder, whose traces go into another folder."""
    if not given.is_dir():
        return Conversion([(given, output, made(given))])
    if output is None:
        raise UsageError(f"{given} is a folder: name one for its traces with -o")
    found = _of_folder(given, output, made)
    folder(output)
    return found


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
    time_column: str = "",
    time_unit: str = "",
    source: str = "",
    licence: str = "",
) -> Trace:
    """A trace of a link whose rate varies.

    Of `kind` "lte", "satellite" or "wifi" it is made up: number `seed`, `duration` long, with the
    mean `rate`. Of "mahimahi", "cellsim" or "csv" it is that of the file `recording`; of a csv,
    `column` and `unit` name the rate, `time_column` and `time_unit` the time. `source` and
    `licence` become comments at its top.

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
    if time_unit and time_unit not in TIME_UNITS_NS:
        raise OptionError("--time-unit", time_unit, "s, ms, us or ns")
    if (kind in trace_formats.KINDS) != (recording is not None):
        raise UsageError(f"{kind} takes {'no file' if recording else 'a file with a recording'}")
    if recording is None:
        return Trace(_synthetic(kind, seed, duration, rate))
    file = Path(recording)
    origin = {"source": source or file.name, "licence": licence or _UNKNOWN}
    asked = Asked(column, _UNITS_BPS[unit], time_column, time_unit)
    return _recorded(kind, file, asked, origin)
