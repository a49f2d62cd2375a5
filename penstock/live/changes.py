# SPDX-License-Identifier: GPL-2.0-only
"""Links whose rate changes during a live run."""

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.live import queues
from penstock.live.network import Device, Network
from penstock.live.plan import LabPlan
from penstock.live.session import Session


@dataclass(frozen=True)
class Step:
    """A device has another rate from `at_ns` after the epoch on."""

    at_ns: int
    device: Device
    rate_bps: int


def _steps(net: Network, plan: LabPlan) -> Iterator[Step]:
    for wire in plan.wires:
        for name, way in (("forward", wire.forward), ("back", wire.back)):
            for at_ns, rate_bps in way.later_rates:
                yield Step(at_ns, net.devices[wire.name, name], rate_bps)


class Timetable:
    """The steps of a run, made by whoever waits in it."""

    def __init__(self, session: Session, net: Network, plan: LabPlan, epoch_ns: int) -> None:
        self._session = session
        self._epoch_ns = epoch_ns
        self._steps = sorted(_steps(net, plan), key=lambda step: step.at_ns)

    def make_until(self, now_ns: int) -> None:
        """Makes the steps whose time has come by `now_ns` of CLOCK_MONOTONIC."""
        while self._steps and self._epoch_ns + self._steps[0].at_ns <= now_ns:
            step = self._steps.pop(0)
            queues.change_rate(self._session, step.device.space, step.device.name, step.rate_bps)

    def sleep_until(self, time_ns: int) -> None:
        """Waits, and makes the steps of the meantime."""
        while self._steps and (due_ns := self._epoch_ns + self._steps[0].at_ns) <= time_ns:
            self._session.sleep_until(due_ns)
            self.make_until(due_ns)
        self._session.sleep_until(time_ns)
