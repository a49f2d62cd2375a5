# SPDX-License-Identifier: GPL-2.0-only
"""Arrivals and departures by script, for one of our queue disciplines and the same of ns-3."""

import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Event:
    """An arrival, or a departure if it has no bytes."""

    time_ns: int
    packet_bytes: int = 0
    queue: int = 0
    capable: bool = False


@dataclass(frozen=True)
class Load:
    """A link of a packet in `service_ns`, and bursts that come a little faster on average."""

    seed: int
    service_ns: int = 1_000_000
    pressure: float = 1.1
    packet_bytes: Sequence[int] = (1000,)
    queues: int = 1
    events: int = 12_000

    def events_of(self) -> list[Event]:
        """Loads that come and go: pressure for some time, then half of it."""
        draw = random.Random(self.seed)
        # Not on a grid, on which a departure meets the very time of a decision.
        offsets = [draw.randrange(self.service_ns // 3) for _ in range(self.events)]
        events = [Event((i + 1) * self.service_ns + by) for i, by in enumerate(offsets)]
        time_ns = 0.0
        while time_ns < self.events * self.service_ns:
            busy = int(time_ns // (1500 * self.service_ns)) % 3 != 2
            rate = self.pressure if busy else self.pressure / 2
            time_ns += draw.expovariate(rate / (4 * self.service_ns))
            for _ in range(draw.randint(1, 7)):
                size = draw.choice(self.packet_bytes)
                queue = min(draw.randrange(self.queues), draw.randrange(self.queues))
                events.append(Event(int(time_ns), size, queue, draw.random() < 0.5))
        return sorted(events, key=lambda event: event.time_ns)


def _lines(events: Sequence[Event], numbers: Sequence[int]) -> str:
    lines, arrivals = [], 0
    for e in events:
        if not e.packet_bytes:
            lines.append(f"leave {e.time_ns}")
            continue
        lines.append(
            f"arrive {e.time_ns} {e.packet_bytes} {e.queue} {int(e.capable)} {numbers[arrivals]}"
        )
        arrivals += 1
    return "\n".join(lines) + "\n"


def _play(program: Path, name: str, options: Mapping[str, object], script: str) -> list[str]:
    command = [str(program), name, *(f"{key}={value}" for key, value in options.items())]
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def ours(
    program: Path,
    name: str,
    options: Mapping[str, int],
    events: Sequence[Event],
    draws: Sequence[float],
) -> list[str]:
    """What our discipline does with each packet."""
    numbers = [int(draw * (1 << 32)) for draw in draws]
    return _play(program, name, options, _lines(events, numbers))


def theirs(
    program: Path, name: str, options: Mapping[str, object], events: Sequence[Event]
) -> list[str]:
    """What ns-3's does."""
    return _play(program, f"ns3::{name}", options, _lines(events, range(len(events))))


def draws_of(program: Path, count: int) -> list[float]:
    """The random number that ns-3 takes for each arrival."""
    done = subprocess.run(
        [str(program), "--random", str(count)], capture_output=True, text=True, check=True
    )
    return [float(line) for line in done.stdout.split()]


def kinds(lines: Sequence[str]) -> dict[str, int]:
    """How many packets were sent, dropped and marked."""
    found = {"send": 0, "drop": 0, "mark": 0}
    for line in lines:
        found[line.split()[1]] += 1
    return found


def parting(mine: Sequence[str], yours: Sequence[str]) -> tuple[str, str] | None:
    """The first two lines that are not the same; None if all are."""
    for one, other in zip(mine, yours, strict=False):
        if one != other:
            return one, other
    return None if len(mine) == len(yours) else (f"{len(mine)} lines", f"{len(yours)} lines")
