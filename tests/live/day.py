# SPDX-License-Identifier: GPL-2.0-only
"""A day of a home in ten minutes: with nothing, with `penstock-gw auto`, and with a shaper.

As a program: the tables of docs/operator/day.md. Needs root, and runs in real time:

    python tests/live/day.py [day|short|changes|neighbour|radio] [--minutes M] [--ways A,B] [-j]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from day_home import SERVER, DayHome, day_home
from day_plan import CHANGES, DAY, NEIGHBOUR, RADIO, SHORT, Scene, Seen, Span, plans_of, spans_of
from day_table import changes_table, day_table
from live_support import ROOT, environment, program

HOSTS: Final = str(Path(__file__).with_name("day_hosts.py"))
QUIC: Final = (sys.executable, "-m", "penstock.runs.clients.quic")
QUIC_PORT: Final = "4433"
QUIC_MBPS: Final = 12  # the most that one is asked for
START_S: Final = 4.0  # from the first process to the epoch
ATTACHED: Final = {
    "none": (),
    "shaper": (("lan0", "--rate", "19mbit"), ("wan0", "--rate", "4.75mbit")),
    "held": (("wan0", "--down"), ("wan0", "--rate", "auto", "--source", "passive")),
}
WAYS: Final = ("auto", *ATTACHED)
SCENES: Final = {
    "day": DAY,
    "changes": CHANGES,
    "short": SHORT,
    "neighbour": NEIGHBOUR,
    "radio": RADIO,
}
TRACE_STEP_MS: Final = 100
TRACE_LEAST_BPS: Final = 300_000


def say(text: str) -> None:
    """Progress."""
    print(f"-- {text}", file=sys.stderr, flush=True)


def started(command: Sequence[str]) -> subprocess.Popen[str]:
    """A process whose output is read at its end."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment())


def used_s(pid: int) -> float:
    """Processor time of a process."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


class Automatic:
    """A running `auto`."""

    def __init__(self, home: DayHome) -> None:
        self.home = home
        self.run = started(home.gateway("auto", "wan0"))
        end_s = time.monotonic() + 20
        while "auto since" not in self.text():
            if time.monotonic() > end_s:
                raise RuntimeError("auto does not start")
            time.sleep(0.1)

    def text(self) -> str:
        """`auto status`."""
        command = self.home.gateway("auto", "status", "wan0")
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def note(self, seen: Seen, epoch_s: float) -> None:
        """What it did."""
        found = json.loads(self.home.tool("auto", "status", "-j", "wan0"))
        real_s = time.time() - time.monotonic()
        seen.decisions = [
            {**row, "at_s": row["time_ns"] / 1e9 - real_s - epoch_s} for row in found["decisions"]
        ]
        seen.reasons = {
            way: f"{found[way]['state']}: {found[way]['reason']}" for way in ("down", "up")
        }
        seen.processor_s = used_s(self.run.pid)

    def end(self) -> None:
        """As by Ctrl-C."""
        self.run.terminate()
        self.run.communicate(timeout=30)


@contextmanager
def controlled(home: DayHome, way: str) -> Iterator[Automatic | None]:
    """The home with what a way attaches."""
    if way == "auto":
        one = Automatic(home)
        try:
            yield one
        finally:
            one.end()
        return
    for words in ATTACHED[way]:
        home.tool("attach", *words)
    yield None


def trace(seconds: float) -> Iterator[tuple[float, int]]:
    """When an LTE link has which rate, from its beginning on."""
    from penstock.scenario.traces import KINDS, PACKET_BYTES, opportunities

    all_ms = opportunities("lte", 1, round(seconds * 1000), KINDS["lte"].mean_bps)
    steps = range(0, round(seconds * 1000), TRACE_STEP_MS)
    for begin_ms in steps:
        count = sum(begin_ms < ms <= begin_ms + TRACE_STEP_MS for ms in all_ms)
        bps = count * PACKET_BYTES * 8 * 1000 // TRACE_STEP_MS
        yield begin_ms / 1000, max(bps, TRACE_LEAST_BPS)


def changes_of(span: Span) -> list[tuple[float, str]]:
    """What changes on the line, and when."""
    if span.phase.rate_mbps:
        return [(span.begin_s, span.phase.line)] if span.phase.line else []
    return [(span.begin_s + at_s, f"rate {bps}bit") for at_s, bps in trace(span.seconds)]


def fetch(home: DayHome, span: Span, epoch_s: float) -> subprocess.Popen[str]:
    """An HTTP/3 download, in its phase."""
    times = [str(round((epoch_s + at_s) * 1e9)) for at_s in (span.begin_s, span.end_s)]
    size = str(int(span.seconds * QUIC_MBPS * 1e6 / 8))
    return started(home.at("two", *QUIC, "fetch", SERVER, QUIC_PORT, size, *times))


def ask(home: DayHome, scene: Scene, spans: Sequence[Span], epoch_s: float) -> Iterator[Any]:
    """The processes of the clients."""
    for who, plan in plans_of(scene, spans).items():
        words = [sys.executable, HOSTS, "use", SERVER, str(epoch_s), json.dumps(plan)]
        yield who, started(home.at(who.split()[0], *words))


def follow(
    home: DayHome, spans: Sequence[Span], epoch_s: float, name: str, stack: ExitStack
) -> Any:
    """Waits through the phases; the HTTP/3 downloads by phase."""
    fetching: dict[str, subprocess.Popen[str]] = {}
    for span in spans:
        time.sleep(max(0.0, epoch_s + span.begin_s - time.monotonic()))
        say(f"{name}: {span.phase.name}, {span.seconds:.0f} s")
        if span.phase.quic:
            fetching[span.phase.name] = fetch(home, span, epoch_s)
            stack.callback(fetching[span.phase.name].kill)
        for at_s, words in changes_of(span):
            time.sleep(max(0.0, epoch_s + at_s - time.monotonic()))
            home.change(words)
    return fetching


def play(scene: Scene, way: str, seconds: float, name: str = "") -> Seen:
    """The scene, in one way."""
    spans = spans_of(scene, seconds)
    seen = Seen(spans)
    with ExitStack() as stack:
        home = stack.enter_context(day_home(scene.radio))
        one = stack.enter_context(controlled(home, way))
        epoch_s = time.monotonic() + START_S
        serving = [sys.executable, HOSTS, "serve", SERVER, str(epoch_s)]
        server = stack.enter_context(program(*home.at("server", *serving)))
        if any(span.phase.quic for span in spans):
            words = [*QUIC, "serve", SERVER, QUIC_PORT]
            stack.enter_context(program(*home.at("server", *words)))
        users = []
        for who, user in ask(home, scene, spans, epoch_s):
            stack.callback(user.kill)
            users.append((who, user))
        fetching = follow(home, spans, epoch_s, f"{name}, {way}", stack)
        for who, user in users:
            said = json.loads(user.communicate(timeout=seconds + 60)[0])
            if not who.startswith("neighbour"):
                seen.add(said)
        for phase, process in fetching.items():
            said = process.communicate(timeout=30)[0].split()
            seen.quic_bytes[phase] = int(said[0]) if said else 0
        server.send_signal(signal.SIGTERM)
        seen.add(json.loads(server.communicate(timeout=30)[0]))
        if one:
            one.note(seen, epoch_s)
    return seen


def main() -> None:
    """Plays, and prints."""
    parser = argparse.ArgumentParser(description="A day of a home in ten minutes.")
    parser.add_argument("scene", nargs="?", default="day", choices=SCENES)
    parser.add_argument("--minutes", type=float, help="how long it lasts, each way")
    parser.add_argument("--ways", help="such as none,auto")
    parser.add_argument("-j", "--json", action="store_true", help="all that was seen")
    options = parser.parse_args()
    if os.geteuid():
        parser.error("namespaces need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    scene = SCENES[options.scene]
    seconds = 60 * options.minutes if options.minutes else scene.seconds
    ways = options.ways.split(",") if options.ways else scene.ways
    for way in ways:
        if way not in WAYS:
            parser.error(f"--ways: no way '{way}': {', '.join(WAYS)}")
    seen = {way: play(scene, way, seconds, options.scene) for way in ways}
    if options.json:
        print(json.dumps({way: asdict(one) for way, one in seen.items()}))
    elif options.scene in {"day", "short"}:
        print(day_table(seen))
    else:
        print(changes_table(seen))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
