# SPDX-License-Identifier: GPL-2.0-only
"""The axes of a sweep: keys that take several values, from [sweep], --sweep and --set."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import OptionError, UsageError
from penstock.scenario import units, write
from penstock.scenario.model import Scalar, Scenario
from penstock.scenario.source import SET, SWEEP, Origin, Source

_ABOUT: Final = ("scenario", "sweep", "paper")  # tables that change no run
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_PIECE: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|.", re.DOTALL)

Sets = Sequence[str] | Mapping[str, Scalar]  # KEY=VALUE each, or a program's own values
Sweeps = Sequence[str] | Mapping[str, str | Sequence[Scalar]]  # KEY=V1,V2 each, or likewise


@dataclass(frozen=True)
class Axis:
    """A key, and the values that it takes, each as --set takes it, or typed, with its origin."""

    key: str
    values: Sequence[Scalar]
    origins: Sequence[Origin]


def of_scenario(key: str) -> bool:
    """Whether a key is one of the scenario, and not a method's parameter."""
    first, dot, _ = key.partition(".")
    return bool(dot) and first in {field.alias or name for name, field in _fields()}


def _fields() -> Iterator[tuple[str, Any]]:
    yield from Scenario.model_fields.items()


def changes_runs(key: str) -> bool:
    """Whether a key of the scenario has a part in the results."""
    return key.partition(".")[0] not in _ABOUT


def split(text: str) -> list[str]:
    """'a,b' at its commas, those within brackets and quotes aside."""
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += _BRACKETS.get(piece, 0)
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def pairs(option: str, texts: Sequence[str], sweeps: bool = False) -> list[tuple[str, str]]:
    """KEY=VALUE, taken apart; each key once. `sweeps`: whether there is a --sweep instead."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise UsageError(f"{option} {text}: write KEY=VALUE, such as ewt.start_bytes=30000")
        if key in found:
            both = f"{SWEEP} {key}={found[key]},{value} runs both"
            cure = both if sweeps else "leave one of them out"
            raise UsageError(f"{option} {key}: given twice; {cure}")
        found[key] = value
    return list(found.items())


def given(sets: Sets, sweeps: Sweeps) -> list[Axis]:
    """The axes that a command line or a program asks for."""
    single = sets if isinstance(sets, Mapping) else dict(pairs(SET, sets, sweeps=True))
    several: Mapping[str, str | Sequence[Scalar]] = (
        sweeps if isinstance(sweeps, Mapping) else dict(pairs(SWEEP, sweeps, sweeps=True))
    )
    axes = [Axis(key, [value], [Origin(SET)]) for key, value in single.items()]
    for key, listed in several.items():
        if key in single:
            raise OptionError(SWEEP, "", f"{SET} gives it too; leave one of them out", key)
        if of_scenario(key) and not changes_runs(key):
            raise OptionError(SWEEP, "", f"it changes no run; {SET} {key}=VALUE takes it", key)
        values = split(listed) if isinstance(listed, str) else listed
        axes.append(Axis(key, values, [Origin(SWEEP)] * len(values)))
    return axes


def of_file(scenario: Scenario, source: Source) -> list[Axis]:
    """The axes that [sweep] names: its keys with a dot."""
    return [
        Axis(key, values, _origins(source, key, len(values)))
        for key, values in scenario.sweep.axes().items()
    ]


def _origins(source: Source, key: str, count: int) -> list[Origin]:
    whole = source.origins.get(("sweep", key), Origin(source.name, 1))
    return [source.origins.get(("sweep", key, index), whole) for index in range(count)]


def shown(value: Any) -> str:
    """A value as an option has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def texts(scenario: Scenario, keys: Iterable[str]) -> dict[str, str]:
    """The values of keys of the scenario as `penstock show` writes them; '' if nobody set it."""
    tables = write.tables(scenario)
    found = {}
    for key in keys:
        value: Any = tables
        for part in key.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        found[key] = _round_trip(scenario, key) or shown(value)
    return found


def _round_trip(scenario: Scenario, key: str) -> str:
    """A link's `rtt`, which the tables have as its delay; else ''."""
    table, _, name = key.partition(".")
    name, _, last = name.rpartition(".")
    link = scenario.link.get(name)
    if (table, last) != ("link", "rtt") or link is None or link.delay is None:
        return ""
    ends = dict.fromkeys((link.delay.first_ns, link.delay.last_ns))
    return "..".join(units.form(units.TIME, 2 * end) for end in ends)


def text(scenario: Scenario, key: str) -> str:
    """The same of one key."""
    return texts(scenario, [key])[key]
