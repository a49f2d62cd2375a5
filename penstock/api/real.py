# SPDX-License-Identifier: GPL-2.0-only
"""The cases of `penstock live real`: which to run, their runs one by one, and their table."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from penstock.errors import UsageError, UserError, near
from penstock.results import sealed
from penstock.runs.backends import live
from penstock.runs.clients import bounds, lab, run
from penstock.runs.clients.cases import CASES, METHODS
from penstock.runs.clients.run import Outcome
from penstock.runs.console import Console
from penstock.scenario import params

T = TypeVar("T")
FILE: Final = "results.json"
HEADERS: Final = (
    *("case", "method", "Mbit/s", "Jain", "p50 ms", "p90 ms", "p99 ms"),
    *("drops", "retransmissions", "timeouts", "queue ms", "queue p99 ms"),
)


@dataclass(frozen=True)
class Chosen:
    """Names of cases, and the methods to run each with."""

    cases: Sequence[str]
    methods: Sequence[str]

    def titles(self) -> list[tuple[str, str]]:
        """Each case and what it is."""
        return [(name, CASES[name].title) for name in self.cases]


@dataclass
class Real:
    """What the runs gave so far: outcomes, and how many runs failed."""

    outcomes: list[Outcome] = field(default_factory=list)
    failed: int = 0

    def broken(self) -> list[str]:
        """The runs that left the bounds of docs/live.md, and how."""
        return [
            f"{each.case}, {each.method}: {', '.join(why)}"
            for each in self.outcomes
            if (why := bounds.broken(each))
        ]

    def rows(self) -> list[list[str]]:
        """The table below HEADERS."""
        return [_row(each) for each in self.outcomes]

    def save(self, folder: Path) -> None:
        """Writes FILE into the folder."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with sealed.replacing(folder / FILE) as partial:
                found = [asdict(each) for each in self.outcomes]
                partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{folder}: {error.strerror}") from None


def _named(given: Sequence[str], known: Sequence[str], what: str) -> list[str]:
    for name in given:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}; {near(name, known)}")
    return list(dict.fromkeys(given))


def choose(cases: Sequence[str] = (), methods: Sequence[str] = (), every: bool = False) -> Chosen:
    """By name; the usual ones where none is named, or `every` case."""
    usual = [name for name, each in CASES.items() if each.usual or every]
    live_ones = [name for name, each in params.methods().items() if each.rewrites]
    return Chosen(
        _named(cases or usual, list(CASES), "case"),
        _named(methods or METHODS, [params.PLAIN, *live_ones], "method for penstock-gw"),
    )


def _outcomes(chosen: Chosen, version: int, told: Console) -> Iterator[Outcome | None]:
    """Runs the cases that can run here, and tells why others cannot; None for a failed run."""
    for name in chosen.cases:
        if absent := list(lab.missing(CASES[name].clients)):
            told.say(f"{name}: skipped, as there is no {', no '.join(absent)}")
            continue
        for method in chosen.methods:
            try:
                yield run.play(name, CASES[name], method, version)
            except RuntimeError as error:
                told.say(f"{name}, {method}: {error}")
                yield None


def play(
    chosen: Chosen,
    told: Console,
    version: int = 4,
    folder: Path | None = None,
    each: Callable[[Outcome], None] | None = None,
) -> Real:
    """Runs them over this version of IP. Saves and tells `each` after every run."""
    live.backend(version)
    real = Real()
    for found in _outcomes(chosen, version, told):
        if found is None:
            real.failed += 1
            continue
        real.outcomes.append(found)
        if folder is not None:
            real.save(folder)
        if each is not None:
            each(found)
    return real


def _joined(parts: Mapping[str, T], text: Callable[[T], str]) -> str:
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
