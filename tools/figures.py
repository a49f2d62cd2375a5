# SPDX-License-Identifier: GPL-2.0-only
"""Plots each method in the simulator into docs/figures/; --check only tells what is out of step.

Gateway methods: the queue while eight CUBIC flows start on 20 Mbit/s, 40 ms and 97 kB, drop-tail
in grey behind. Senders: the congestion window of one flow there, over drop-tail or the gateway
method that asks for this sender. Ways of sharing: the congestion windows of three connections
between two hosts there; the second ends before the third begins.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.backends import sim
from penstock.plan.cells import Cell
from penstock.scenario import params
from penstock.scenario.read import read

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "docs" / "figures"
SCENARIOS: Final = ROOT / "scenarios"
SECONDS: Final = 12
LIMIT_KB: Final = 97
SETS: Final = (
    ("time.limit", f"{SECONDS}s"),
    ("time.warm_up", "0s"),
    ("sample.interval", "40ms"),
    ("tcp.bulk.start", "0s..1s"),
)
WIDTH, HEIGHT, LEFT, BASE, TOP = 640, 190, 46, 158, 22  # the plot ends at WIDTH - 10
GREY, INK, BLUE, ORANGE, GREEN = "#a0a0a0", "#707070", "#2a6fb0", "#d55e00", "#009e73"
SHARED_KB: Final = 240  # the first slow start exceeds it
CONNECTIONS: Final = (
    ("first", "1GB", 0, BLUE),
    ("second", "2MB", 3, ORANGE),
    ("third", "1GB", 8, GREEN),
)

Series = Mapping[str, Sequence[float]]


def series(method: str, flows: int, sender: str = "cubic") -> Series:
    """Samples of a run: time_s, queue_bytes, and cwnd_bytes of the first flow."""
    sets = [*SETS, ("tcp.bulk.congestion", sender)]
    scenario = read("live/grid", sets).scenario
    mode = scenario.sweep.mode
    row = sim.backend().run(Cell(scenario, method, mode, "auto", flows, 1, sampled=True))
    assert row.series is not None
    return {**row.series, "cwnd_bytes": row.series["cwnd_bytes"][0]}


def _group(name: str, size: str, start_s: int, sharing: str) -> str:
    lines = [f"[tcp.{name}]", 'from = "senders"', 'to = "receivers"', f'size = "{size}"']
    lines += [f'start = "{start_s}s"', f'sharing = "{sharing}"' if sharing else ""]
    return "\n".join(lines)


def windows(sharing: str) -> Mapping[str, list[tuple[float, float]]]:
    """Time and congestion window, in s and kB, of each of CONNECTIONS while it is open."""
    grid = (SCENARIOS / "live" / "grid.toml").read_text(encoding="utf-8")
    before, _, rest = grid.partition("[tcp.bulk]")
    groups = [_group(*row[:3], sharing) for row in CONNECTIONS]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write("\n".join([before, *groups, rest[rest.index("[time]") :]]))
        file.flush()
        sets = (*SETS[:2], ("sample.interval", "80ms"), ("sample.flows", str(len(CONNECTIONS))))
        scenario = read(file.name, sets).scenario
    row = sim.backend().run(
        Cell(scenario, params.PLAIN, scenario.sweep.mode, "auto", 1, 1, sampled=True)
    )
    assert row.series is not None
    times, lasted = row.series["time_s"], row.flows["transfer_s"]
    return {
        name: [
            (second, window / 1e3)
            for second, window in zip(times, row.series["cwnd_bytes"][number], strict=True)
            if start <= second <= start + (lasted[number] or SECONDS)
        ]
        for number, (name, _, start, _) in enumerate(CONNECTIONS)
    }


def _x(second: float) -> float:
    return LEFT + second * (WIDTH - 10 - LEFT) / SECONDS


def _y(value: float, most: float) -> float:
    return BASE - value * (BASE - TOP) / most


def line(times: Sequence[float], kilobytes: Sequence[float], most: float, colour: str) -> str:
    """One curve."""
    points = " ".join(
        f"{_x(second):.0f},{_y(value, most):.0f}"
        for second, value in zip(times, kilobytes, strict=True)
    )
    return f'<polyline fill="none" stroke="{colour}" points="{points}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = INK) -> str:
    """A label."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def axes(title: str, most: float, step: int) -> Iterator[str]:
    """Frame, ticks and titles."""
    yield f'<path d="M{LEFT},{TOP}V{BASE}H{WIDTH - 10}" fill="none" stroke="{INK}"/>'
    for value in range(0, int(most) + 1, step):
        yield text(LEFT - 5, _y(value, most) + 4, str(value), "end")
    for second in range(0, SECONDS + 1, 2):
        yield text(_x(second), BASE + 15, str(second))
    yield text(LEFT, TOP - 8, title, "start")
    yield text(WIDTH - 10, HEIGHT - 3, "time, s", "end")


def svg(parts: Iterator[str]) -> str:
    """The file."""
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">'
    )
    licence = "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
    return "\n".join([head, licence, *parts, "</svg>"]) + "\n"


def _kilobytes(values: Sequence[float]) -> list[float]:
    return [value / 1e3 for value in values]


def queue(method: params.Variant, ours: Series, base: Series) -> Iterator[str]:
    """The queue with a method, and with drop-tail."""
    most = LIMIT_KB * 1.05
    yield from axes("queue, kB", most, 20)
    limit = _y(LIMIT_KB, most)
    yield f'<path d="M{LEFT},{limit:.0f}H{WIDTH - 10}" stroke="{INK}" stroke-dasharray="2 4"/>'
    if method.name != params.PLAIN:
        yield line(base["time_s"], _kilobytes(base["queue_bytes"]), most, GREY)
        yield text(WIDTH - 100, TOP - 8, "drop-tail", "end", GREY)
    colour = method.colour or BLUE
    yield line(ours["time_s"], _kilobytes(ours["queue_bytes"]), most, colour)
    yield text(WIDTH - 10, TOP - 8, method.label, "end", colour)


def window(name: str, ours: Series) -> Iterator[str]:
    """The congestion window of a sender."""
    values = _kilobytes(ours["cwnd_bytes"])
    most = max(values) * 1.05
    yield from axes("congestion window, kB", most, 50 if most < 400 else 100)
    yield line(ours["time_s"], values, most, BLUE)
    yield text(WIDTH - 10, TOP - 8, name, "end", BLUE)


def shared(sharing: str) -> Iterator[str]:
    """The congestion windows of connections that share."""
    yield from axes("congestion windows, kB", SHARED_KB, 50)
    curves = windows(sharing)
    for number, (name, _, _, colour) in enumerate(CONNECTIONS):
        times, kilobytes = zip(*curves[name], strict=True)
        yield line(times, [min(value, SHARED_KB) for value in kilobytes], SHARED_KB, colour)
        yield text(WIDTH - 114 + 52 * number, TOP - 8, name, "end", colour)


def pictures() -> Iterator[tuple[Path, str]]:
    """Each file with its content."""
    base = series(params.PLAIN, 8)
    parts = {method.name for method in (*_native.disciplines(), *_native.laws())}
    for method in params.methods().values():
        if method.name in parts:  # not those made of two
            ours = base if method.name == params.PLAIN else series(method.name, 8)
            yield FOLDER / f"{method.name}.svg", svg(queue(method, ours, base))
    # The first that asks for a sender is the one of its page.
    askers = reversed(params.methods().values())
    gateways = {method.sender: method.name for method in askers}
    for sender in params.senders():
        ours = series(gateways.get(sender, params.PLAIN), 1, sender)
        yield FOLDER / f"sender-{sender}.svg", svg(window(sender, ours))
    # Between two hosts, spand's windows are those of tcbi_temporal.
    for sharing in ("", *(name for name in params.sharings() if name != "spand")):
        yield FOLDER / f"sharing-{sharing or 'none'}.svg", svg(shared(sharing))


def main() -> int:
    """Writes what changed; with --check, 1 if anything would."""
    changed = [
        (path, content)
        for path, content in pictures()
        if not path.is_file() or path.read_text(encoding="utf-8") != content
    ]
    for path, content in changed:
        if "--check" not in sys.argv:
            path.write_text(content, encoding="utf-8")
        print(path)
    return int("--check" in sys.argv and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
