# SPDX-License-Identifier: GPL-2.0-only
"""Links that change during a live run."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from penstock.runs.live import queues
from penstock.runs.live.network import Network
from penstock.runs.live.plan import LabPlan, Wire
from penstock.runs.live.session import Process, Session

_ANSWER_S: Final = 5.0


@dataclass(frozen=True)
class Step:
    """What is to be done at `at_ns` after the epoch."""

    at_ns: int
    make: Callable[[], None]


def _rates(session: Session, net: Network, wire: Wire) -> Iterator[Step]:
    for name, way in (("forward", wire.forward), ("back", wire.back)):
        device = net.devices[wire.name, name]
        for at_ns, rate_bps in way.later_rates:
            change = functools.partial(queues.change_rate, session, device.space, device.name)
            yield Step(at_ns, functools.partial(change, rate_bps))


def shape_line(wire: Wire, at_ns: int) -> str:
    """Delays and losses of both directions from a time on, as penstock-link takes them."""
    (delay_ns, loss), (delay_back_ns, loss_back) = (
        way.shape_at(at_ns) for way in (wire.forward, wire.back)
    )
    delays = f"delay {delay_ns}ns delay-back {delay_back_ns}ns"
    return f"{delays} loss {loss:.9f} loss-back {loss_back:.9f}"


def _reshape(link: Process, line: str) -> None:
    link.answer(lambda: link.write(line), _ANSWER_S)


def _shapes(net: Network, wire: Wire) -> Iterator[Step]:
    changes = (*wire.forward.later_shapes, *wire.back.later_shapes)
    for at_ns in sorted({change.at_ns for change in changes}):
        line = shape_line(wire, at_ns)
        yield Step(at_ns, functools.partial(_reshape, net.links[wire.name], line))


class Timetable:
    """The steps of a run, made by whoever waits in it."""

    def __init__(self, session: Session, net: Network, plan: LabPlan, epoch_ns: int) -> None:
        self._session = session
        self._epoch_ns = epoch_ns
        steps = [
            step
            for wire in plan.wires
            for step in (*_rates(session, net, wire), *_shapes(net, wire))
        ]
        self._steps = sorted(steps, key=lambda step: step.at_ns)

    def make_until(self, now_ns: int) -> None:
        """Makes the steps whose time has come by `now_ns` of CLOCK_MONOTONIC."""
        while self._steps and self._epoch_ns + self._steps[0].at_ns <= now_ns:
            self._steps.pop(0).make()

    def sleep_until(self, time_ns: int) -> None:
        """Waits, and makes the steps of the meantime."""
        while self._steps and (due_ns := self._epoch_ns + self._steps[0].at_ns) <= time_ns:
            self._session.sleep_until(due_ns)
            self.make_until(due_ns)
        self._session.sleep_until(time_ns)
