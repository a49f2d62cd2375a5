# SPDX-License-Identifier: GPL-2.0-only
"""Arguments of the API as wishes, or one sentence on what they should be."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from penstock.api.links import Link
from penstock.api.search import Aim
from penstock.api.words import plain
from penstock.errors import UsageError
from penstock.runs import workers
from penstock.runs.precision import Precision, asked
from penstock.runs.wishes import Wishes
from penstock.scenario.model import Scalar
from penstock.scenario.source import Source

Several = str | int | Iterable[str | int]


def _wrong(option: str, given: object, cure: str) -> UsageError:
    return UsageError(f"{option}={given!r}: {cure}")


def _listed(option: str, given: object) -> list[Any]:
    """What was given, as a list of values as they are."""
    if given is None:
        return []
    if isinstance(given, str | int):
        return [given]
    if not isinstance(given, Iterable):
        raise _wrong(option, given, "expected text, a whole number, or a list of them")
    found = [plain(each) for each in given]
    if not found:
        raise _wrong(option, given, "name at least one, or leave it out")
    if any(isinstance(each, list | tuple | dict) for each in found):
        raise _wrong(option, found, "expected a list of single values")
    return found


def _texts(option: str, given: object) -> list[str]:
    return [_text(each) for each in _listed(option, given)]


def _numbers(option: str, given: object) -> list[str | int]:
    """Numbers as they are; the rest as text, which says what is wrong with it."""
    return [each if type(each) is int else _text(each) for each in _listed(option, given)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _scalar(value: object) -> Scalar:
    """A value of a key; the text of what is none says what is wrong."""
    return value if isinstance(value, str | int | float | bool) else str(value)


def _swept(key: str, given: object) -> str | list[Scalar]:
    """The values of a swept key; a text may have commas, as on the command line."""
    if isinstance(given, str):
        return given
    listed = [given] if isinstance(given, float) else _listed(f"sweep of {key}", given)
    return list(dict.fromkeys(_scalar(each) for each in listed))


def _pairs(option: str, given: object) -> Mapping[str, object]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _wrong(option, given, "expected a dict, such as {'ewt.start_bytes': '10kB'}")
    return given


def _seeds(given: object) -> str | int | Sequence[str | int] | None:
    """A number says how many, a list says which, and text is as on the command line."""
    if given is None or isinstance(given, str):
        return given
    found = _numbers("seeds", given)
    return found[0] if isinstance(given, int) else found


def whole(option: str, given: object, least: int) -> int:
    """A whole number that is not below `least`."""
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise _wrong(option, given, f"expected a whole number from {least}")
    return given


def name(scenario: Link | str | Path) -> str | Source:
    """The source of a scenario."""
    if not isinstance(scenario, Link | str | Path):
        raise _wrong("scenario", scenario, "expected a link, or the file or name of a scenario")
    return scenario.source if isinstance(scenario, Link) else str(scenario)


def wishes(
    methods: Several | None = None,
    flows: Several | None = None,
    receivers: Several | None = None,
    seeds: str | int | Sequence[int] | None = None,
    mode: Several | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002
    sweep: Mapping[str, object] | None = None,
) -> Wishes:
    """What is to be run."""
    return Wishes(
        methods=_texts("methods", methods),
        flows=_numbers("flows", flows),
        receivers=_numbers("receivers", receivers),
        seeds=_seeds(seeds),
        mode=_texts("mode", mode) or None,
        sets={key: _scalar(value) for key, value in _pairs("set", set).items()},
        sweeps={key: _swept(key, values) for key, values in _pairs("sweep", sweep).items()},
    )


def precision(given: str | float | Iterable[str] | None, most_seeds: int) -> Precision | None:
    """The requested intervals, if any."""
    listed = [str(given)] if isinstance(given, float) else _texts("precision", given)
    return asked(listed, whole("most_seeds", most_seeds, 2)) if listed else None


def aim(levels: float | Iterable[float], most: int, by_one: bool) -> Aim:
    """What `ps.capacity` searches for."""
    found: object = [levels] if isinstance(levels, int | float) else levels
    listed = list(found) if isinstance(found, Iterable) and not isinstance(found, str) else []
    if not listed or not all(isinstance(each, int | float) for each in listed):
        raise _wrong("levels", levels, "expected percentages of loss, such as [0.1, 1]")
    return Aim(listed, whole("most", most, 1), by_one)


def worker_count(given: int | None) -> int:
    """The given number of workers, or one per CPU."""
    return workers.default_workers() if given is None else whole("workers", given, 1)
