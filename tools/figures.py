# SPDX-License-Identifier: GPL-2.0-only
"""Plots each method in the simulator into docs/figures/; --check only tells what is out of step.

Gateway methods: the queue while eight CUBIC flows start on 20 Mbit/s, 40 ms and 97 kB, drop-tail
in grey behind. Senders: the congestion window of one flow there, over drop-tail or the gateway
method that asks for this sender; the options of senders, with NewReno alone in grey. Ways of
sharing: the congestion windows of three connections between two hosts there, or of SPAND from three
hosts of a LAN; the second ends before the third begins. Figs. 3.4, 13.3, 13.4 and 13.5 of nis-2004
and the margins of Penstock's law have plots of their own.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from penstock import _native
from penstock.api.questions import surface
from penstock.plan.cells import Cell
from penstock.results.models import margins
from penstock.runs.backends import sim
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

OF_A_LAN: Final = "spand"  # which is shared by hosts, not by the connections of one
OPTIONS: Final = ("hystart", "prr", "rack")
MARKING: Final = {"dctcp": "red_ecn", "prague": "dualpi2"}  # what senders that need marks send over

Series = Mapping[str, Sequence[float]]


def series(method: str, flows: int, sender: str = "cubic", options: Sequence[str] = ()) -> Series:
    """Samples of a run: time_s, queue_bytes, and cwnd_bytes of the first flow."""
    sets = [*SETS, ("tcp.bulk.congestion", sender)]
    sets += [(f"tcp.bulk.{option}", "true") for option in options]
    if method not in params.methods():  # a discipline that has no name for -m
        sets.append((f"variant.{method}.discipline", method))
    scenario = read("live/grid", sets).scenario
    mode = scenario.sweep.mode
    row = sim.backend().run(Cell(scenario, method, mode, "auto", flows, 1, sampled=True))
    assert row.series is not None
    return {**row.series, "cwnd_bytes": row.series["cwnd_bytes"][0]}


def _group(name: str, size: str, start_s: int, sharing: str) -> str:
    source = name if sharing == OF_A_LAN else "senders"
    lines = [f"[tcp.{name}]", f'from = "{source}"', 'to = "receivers"', f'size = "{size}"']
    lines += [f'start = "{start_s}s"', f'sharing = "{sharing}"' if sharing else ""]
    return "\n".join(lines)


def _of_a_lan(grid: str) -> str:
    """The grid with a host for each of CONNECTIONS, all behind the first router."""
    names = [name for name, *_ in CONNECTIONS]
    nodes = ", ".join(f"{node} = 1" for node in (*names, "left", "right", "receivers"))
    before, _, after = grid.partition("[link.access]\n")
    access, mark, rest = after.partition("[link.bottleneck]\n")
    ends = 'from = "{}"\nto = "{}"\n'
    hosts = "".join(f"[link.{name}]\n{ends.format(name, 'left')}{access}" for name in names)
    before = before.replace('shape = "dumbbell"', f"nodes = {{ {nodes} }}")
    rest = ends.format("left", "right") + rest
    egress = "[link.egress]\n"
    return before + hosts + mark + rest.replace(egress, egress + ends.format("right", "receivers"))


def windows(sharing: str) -> Mapping[str, list[tuple[float, float]]]:
    """Time and congestion window, in s and kB, of each of CONNECTIONS while it is open."""
    grid = (SCENARIOS / "live" / "grid.toml").read_text(encoding="utf-8")
    grid = _of_a_lan(grid) if sharing == OF_A_LAN else grid
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


def window(name: str, ours: Series, base: Series | None = None) -> Iterator[str]:
    """The congestion window of a sender, and of another one."""
    values = _kilobytes(ours["cwnd_bytes"])
    behind = _kilobytes(base["cwnd_bytes"]) if base else []
    most = max([*values, *behind]) * 1.05
    yield from axes("congestion window, kB", most, 50 if most < 400 else 100)
    if base:
        yield line(base["time_s"], behind, most, GREY)
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


@dataclass(frozen=True)
class Panel:
    """A plot from `left` to `right` whose axes end at `x_most` and `y_most`."""

    left: int
    right: int
    x_most: float
    y_most: float

    def curve(self, xs: Sequence[float], ys: Sequence[float], colour: str) -> str:
        """One curve; what is above the plot is cut off."""
        points = " ".join(
            f"{self._at(x):.0f},{_y(min(y, self.y_most), self.y_most):.0f}"
            for x, y in zip(xs, ys, strict=True)
        )
        return f'<polyline fill="none" stroke="{colour}" points="{points}"/>'

    def frame(self, title: str, x_title: str, x_step: int, y_step: int) -> Iterator[str]:
        """Axes, ticks and titles."""
        yield f'<path d="M{self.left},{TOP}V{BASE}H{self.right}" fill="none" stroke="{INK}"/>'
        for value in range(0, int(self.y_most) + 1, y_step):
            yield text(self.left - 5, _y(value, self.y_most) + 4, str(value), "end")
        for value in range(0, int(self.x_most) + 1, x_step):
            yield text(self._at(value), BASE + 15, str(value))
        yield text(self.left, TOP - 8, title, "start")
        yield text(self.right, HEIGHT - 3, x_title, "end")

    def legend(self, names: Mapping[str, str]) -> Iterator[str]:
        """Names by colour, one below the other."""
        for row, (colour, name) in enumerate(names.items()):
            yield text(self.right, TOP + 8 + 13 * row, name, "end", colour)

    def _at(self, x: float) -> float:
        return self.left + x * (self.right - self.left) / self.x_most


LEFT_HALF: Final = (LEFT, 310)
RIGHT_HALF: Final = (370, WIDTH - 10)
COLOURS: Final = (BLUE, ORANGE, GREEN, "#8a4ab0", "#806a20")
MSS: Final = 1460


def _sampled(name: str, method: str, flows: int) -> Mapping[str, Any]:
    """The series of a run of a scenario; cwnd_bytes and send_window_bytes are by flow."""
    scenario = read(name).scenario
    receivers = scenario.sweep.receivers[0]
    cell = Cell(scenario, method, scenario.sweep.mode, receivers, flows, 1, sampled=True)
    row = sim.backend().run(cell)
    assert row.series is not None
    return row.series


def two_connections() -> Iterator[str]:
    """Fig. 3.4: the sending windows of both, and the queue, in packets."""
    for half, method, title in (
        (LEFT_HALF, "droptail", "without windows, packets"),
        (RIGHT_HALF, "ewa", "with EWA, packets"),
    ):
        found = _sampled("nis-2004/two-connections", method, 2)
        panel = Panel(*half, 15, 50)
        yield from panel.frame(title, "time, s", 5, 10)
        packets = [value / 1500 for value in found["queue_bytes"]]
        yield panel.curve(found["time_s"], packets, GREY)
        for flow in (0, 1):
            windows = zip(found["cwnd_bytes"][flow], found["send_window_bytes"][flow], strict=True)
            used = [min(pair) / MSS for pair in windows]
            yield panel.curve(found["time_s"], used, COLOURS[flow])
        yield from panel.legend({COLOURS[0]: "first", COLOURS[1]: "second", GREY: "queue"})


def control_surface() -> Iterator[str]:
    """Fig. 13.3 as curves over the queue, one for each of some growths."""
    found = surface.surface("fewa", 99, 1500)
    growths = [-20, -6, 0, 6, 20]
    for half, values, most, title in (
        (LEFT_HALF, found.alphas, 16, "utilization factor alpha"),
        (RIGHT_HALF, found.segments, 100, "sending window, segments"),
    ):
        panel = Panel(*half, 99, most)
        yield from panel.frame(title, "queue, packets", 24, most // 4)
        names = {}
        for colour, growth in zip(COLOURS, growths, strict=False):
            near = min(found.growths, key=lambda each: abs(each - growth))
            row = zip(found.queues, values[found.growths.index(near)], strict=True)
            points = [(queue, value) for queue, value in row if value is not None]
            yield panel.curve([q for q, _ in points], [v for _, v in points], colour)
            names[colour] = f"growth {near}"
        yield from panel.legend(names)


ETCP: Final = {"etcp_1": "ETCP 1", "etcp_2": "ETCP 2", "etcp_3": "ETCP 3"}


def _schematic(method: str, acks: int) -> list[float]:
    """The window after the SYN-ACK and each ACK, with an ARWND of 64 segments, in segments."""
    given = {"syn_window": 1} if method in ETCP else {}
    control = _native.SenderControl(
        method, cwnd_bytes=3 * MSS, ssthresh_bytes=1 << 40, mss_bytes=MSS, params=given
    )
    control.init(0, window_bytes=64 * MSS)
    windows = []
    for _ in range(acks):
        windows.append(min(control.cwnd_bytes, 64 * MSS) / MSS)
        control.ack(0, MSS, flight_bytes=MSS, window_bytes=64 * MSS)
    return windows


def etcp_windows() -> Iterator[str]:
    """Figs. 13.4 and 13.5: windows over ACKs at a constant ARWND, and over time on a path."""
    names = {"newreno": "TCP", **ETCP}
    known = params.methods()
    colours = {name: known[name].colour if name in known else GREY for name in names}
    by_acks = Panel(*LEFT_HALF, 120, 70)
    yield from by_acks.frame("window, segments", "ACKs", 40, 20)
    for method, colour in colours.items():
        yield by_acks.curve(range(0, 120, 2), _schematic(method, 120)[::2], colour)
    over_time = Panel(*RIGHT_HALF, 6, 100)
    yield from over_time.frame("window, segments", "time, s", 2, 20)
    for method, colour in colours.items():
        gateway = method if method in ETCP else params.PLAIN
        found = _sampled("nis-2004/etcp", gateway, 1)
        windows = zip(found["cwnd_bytes"][0], found["send_window_bytes"][0], strict=True)
        used = [min(pair) / MSS for pair in windows]
        yield over_time.curve(found["time_s"], used, colour)
    yield from over_time.legend({colours[method]: name for method, name in names.items()})


def of_nis_2004() -> Iterator[tuple[Path, str]]:
    """The paper's own figures."""
    yield FOLDER / "nis-2004-3-4.svg", svg(two_connections())
    yield FOLDER / "nis-2004-13-3.svg", svg(control_surface())
    yield FOLDER / "nis-2004-13-4.svg", svg(etcp_windows())


def margin_curves() -> Iterator[str]:
    """Phase and gain margins of Penstock's law over the RTT."""
    curves = list(zip((BLUE, GREEN, ORANGE, COLOURS[3]), margins.curves(), strict=True))
    phases = Panel(*LEFT_HALF, 400, 100)
    yield from phases.frame("phase margin, degrees", "RTT, ms", 100, 20)
    gains = Panel(*RIGHT_HALF, 400, 16)
    yield from gains.frame("gain margin", "RTT, ms", 100, 4)
    for colour, (_, points) in curves:
        xs = [ms for ms, _ in points]
        yield phases.curve(xs, [found.phase for _, found in points], colour)
        yield gains.curve(xs, [found.gain for _, found in points], colour)
    for row, (colour, (name, _)) in enumerate(curves):
        yield text(phases.right, BASE - 44 + 13 * row, name, "end", colour)


def pictures() -> Iterator[tuple[Path, str]]:
    """Each file with its content."""
    yield from of_nis_2004()
    yield FOLDER / "penstock-margins.svg", svg(margin_curves())
    base = series(params.PLAIN, 8)
    disciplines = [each.name for each in _native.disciplines()]
    laws = [each.name for each in _native.laws() if each.name != params.NO_LAW]
    for name in (*disciplines, *laws):
        method = params.methods().get(name) or params.compose(name, name, params.NO_LAW)
        ours = base if name == params.PLAIN else series(name, 8)
        yield FOLDER / f"{name}.svg", svg(queue(method, ours, base))
    # The first that asks for a sender is the one of its page.
    askers = reversed(params.methods().values())
    gateways = {method.sender: method.name for method in askers} | MARKING
    for sender in params.senders():
        ours = series(gateways.get(sender, params.PLAIN), 1, sender)
        yield FOLDER / f"sender-{sender}.svg", svg(window(sender, ours))
    alone, both = (series(params.PLAIN, 1, "newreno", options) for options in ((), OPTIONS))
    yield FOLDER / "sender-options.svg", svg(window(", ".join(OPTIONS), both, alone))
    for sharing in ("", *params.sharings()):
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
