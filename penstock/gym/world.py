# SPDX-License-Identifier: GPL-2.0-only
"""Runs of one scenario side by side, in steps: what is seen of them, and what it is worth.

An action is a number from -1 to 1. Of the action "factor" it sets the factor of the law `integral`
at the measured gateway, of "window" the congestion window of each TCP flow, both on a scale of
equal ratios; "nothing" leaves all to the method.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.api import given
from penstock.api.given import Several
from penstock.api.links import Link
from penstock.errors import OptionError, UsageError, near
from penstock.plan.build import build
from penstock.plan.cells import Cell, Plan
from penstock.runs import wishes
from penstock.runs.backends import sim_network
from penstock.scenario import topology, units
from penstock.scenario.model import Back, Scenario

Floats = NDArray[np.float64]

FACTOR, WINDOW, NOTHING = "factor", "window", "nothing"
ACTIONS: Final = (FACTOR, WINDOW, NOTHING)
LEAST_FACTOR: Final = 1 / 16  # of the law; the most is the number of flows
DELAY_COST: Final = 5.0  # a second
LOSS_COST: Final = 10.0
_LAW: Final = "integral"
_PLAIN: Final = "droptail"
_HOLDS: Final = "newreno"  # adds at most a segment in a round trip to the window that was set
_MOST_SHARE: Final = 4.0  # of the link's rate in one step: bursts of what had waited elsewhere
_MOST_TRIPS: Final = 100.0
_LINK: Final = {name: index for index, name in enumerate(_native.LINK_LOOKS)}
_FLOW: Final = {name: index for index, name in enumerate(_native.FLOW_LOOKS)}
_AT_LINK: Final = ("queue", "sent", "dropped", "goodput", "action")
_AT_SENDER: Final = ("goodput", "rtt", "window", "action")
_HIGH: Final = {
    **{"queue": 1.0, "sent": _MOST_SHARE, "dropped": 1.0, "goodput": _MOST_SHARE},
    **{"rtt": _MOST_TRIPS, "window": 1.0, "action": 1.0},
}


@dataclass(frozen=True)
class Wanted:
    """What is asked for, as LinkEnv explains it."""

    scenario: Link | str | Path
    action: str
    method: str | None
    flows: int | None
    receivers: int | str | None
    interval: str
    episode: str | None
    set: Mapping[str, object] | None
    delay_cost: float  # a second
    loss_cost: float


@dataclass(frozen=True)
class Stepped:
    """Of each run after a step: what is seen, its worth, whether its traffic has ended or its
    time, and figures of the step by name."""

    seen: NDArray[np.float32]
    reward: Floats
    ended: NDArray[np.bool_]
    over: NDArray[np.bool_]
    figures: dict[str, Floats]


def _time_ns(option: str, text: str) -> int:
    try:
        found = units.parse(units.TIME, text)
    except ValueError as error:
        raise UsageError(f"{option}={text!r}: {error}") from None
    if found <= 0:
        raise UsageError(f"{option}={text!r}: write a time above 0")
    return found


def _one(option: str, values: Several) -> None:
    if len(list(values if not isinstance(values, str | int) else [values])) != 1:
        raise UsageError(f"the scenario has several {option}; name one")


def _read(wanted: Wanted, method: str | None, sets: Mapping[str, object]) -> Plan:
    asked = given.wishes(method or _PLAIN, wanted.flows, wanted.receivers, 1, None, sets)
    try:
        return wishes.plan(given.name(wanted.scenario), asked, "sim")[1]
    except OptionError as error:
        raise error.in_python() from None


def _plan(wanted: Wanted) -> Plan:
    """The one kind of run that is asked for."""
    if wanted.action not in ACTIONS:
        raise UsageError(f"action={wanted.action!r}: {near(wanted.action, ACTIONS)}")
    sets = dict(wanted.set or {})
    method = wanted.method
    if wanted.action == FACTOR:
        if method is not None:
            raise UsageError(
                f"method={method!r}: the action 'factor' takes its place; leave it out"
            )
        method, sets = _LAW, {f"{_LAW}.gain": 0, **sets}
    if wanted.episode is not None:
        _time_ns("episode", wanted.episode)
        sets |= {"time.limit": wanted.episode, "time.warm_up": "0s"}
    plan = _read(wanted, method, sets)
    if wanted.action == WINDOW:
        held = {f"tcp.{name}.congestion": _HOLDS for name in plan.scenario.tcp}
        plan = _read(wanted, method, {**held, **sets})
    for option in ("methods", "flows", "receivers"):
        _one(option, getattr(plan, option))
    return plan


def _rate_bps(scenario: Scenario) -> int:
    name, direction = topology.measured(scenario)
    link = scenario.link[name]
    back = link.back if direction == "back" else Back()
    return back.rate or link.rate or 0


class World:
    """`count` runs, each with its own network and seed."""

    def __init__(self, wanted: Wanted, count: int, threads: int) -> None:
        self._wanted = wanted
        self._plan = _plan(wanted)
        scenario = self._plan.scenario
        self.interval_ns = _time_ns("interval", wanted.interval)
        self._limit_ns = scenario.time.limit
        self._bytes_per_s = _rate_bps(scenario) / 8
        self._queue_bytes = topology.queue_limit_bytes(scenario, *topology.measured(scenario)) or 0
        if not self._bytes_per_s or not self._queue_bytes:
            raise UsageError("an environment needs a measured link with a rate and a queue limit")
        if any(tcp.quic or tcp.traffic for tcp in scenario.tcp.values()):
            raise UsageError("users and QUIC have no place in an environment; leave them out")
        self.flows = sum(len(each) for each in build(self._cell(1)).groups.values())
        if not self.flows:
            raise UsageError("an environment needs a TCP flow")
        self._mss_bytes = float(next(iter(scenario.tcp.values())).segment)
        self._links = _native.Links(count, self.flows, threads)
        shape = (count, self._links.looks)
        self._looks, self._before = np.zeros(shape), np.zeros(shape)
        self._trip_ns = np.full((count, self.flows), np.inf)  # the shortest that was seen
        self._action = np.zeros((count, self.actions))
        self._time_ns = np.zeros(count, np.int64)
        for index in range(count):
            self.begin(index, 1)
        self._check()

    def _cell(self, seed: int) -> Cell:
        plan = self._plan
        return plan.cell(plan.methods[0], plan.receivers[0], plan.flows[0], seed)

    def _check(self) -> None:
        if self._wanted.action != FACTOR:
            return
        try:
            self._links.step(0, factors=np.full(len(self._looks), np.nan), out=self._looks)
        except ValueError as error:
            raise UsageError(
                f"action='factor': {error}; the scenario fixes another method"
            ) from None

    @property
    def actions(self) -> int:
        """Numbers that an action has."""
        return self.flows if self._wanted.action == WINDOW else 1

    @property
    def names(self) -> tuple[str, ...]:
        """What is seen, in its order: at the link, or at each of the senders."""
        return _AT_SENDER * self.flows if self._wanted.action == WINDOW else _AT_LINK

    @cached_property
    def low(self) -> NDArray[np.float32]:
        """The least that is seen of each."""
        return np.array([-1.0 if name == "action" else 0.0 for name in self.names], np.float32)

    @cached_property
    def high(self) -> NDArray[np.float32]:
        """The most."""
        return np.array([_HIGH[name] for name in self.names], np.float32)

    @property
    def most_window_bytes(self) -> float:
        """What the action 1 sets: twice the queue, and what its link carries in 200 ms."""
        return 2 * self._queue_bytes + 0.2 * self._bytes_per_s

    def begin(self, index: int, seed: int) -> None:
        """Begins the run of that seed."""
        built = build(self._cell(seed))
        self._links.put(index, sim_network.make(built.network), built.measured)
        self._looks[index] = self._before[index] = 0.0
        self._trip_ns[index] = np.inf
        self._action[index] = 0.0
        self._time_ns[index] = 0

    def seen(self) -> NDArray[np.float32]:
        """What is seen of each run, before its first step."""
        return self._stepped().seen

    def step(self, actions: Floats) -> Stepped:
        """An interval with these actions: a row for each run, each number from -1 to 1."""
        self._action = np.clip(actions, -1.0, 1.0).reshape(len(self._looks), self.actions)
        self._before[:] = self._looks
        part = (self._action + 1) / 2
        factors = cwnds = None
        if self._wanted.action == FACTOR:
            factors = LEAST_FACTOR * (max(self.flows, 1) / LEAST_FACTOR) ** part[:, 0]
        elif self._wanted.action == WINDOW:
            cwnds = self._mss_bytes * (self.most_window_bytes / self._mss_bytes) ** part
        self._links.step(self.interval_ns, factors=factors, cwnds=cwnds, out=self._looks)
        self._time_ns += self.interval_ns
        return self._stepped()

    def _flow(self, name: str, looks: Floats) -> Floats:
        each = looks[:, len(_LINK) :].reshape(len(looks), self.flows, len(_FLOW))
        return each[:, :, _FLOW[name]]

    def _stepped(self) -> Stepped:
        now, change = self._looks, self._looks - self._before
        capacity_bytes = self._bytes_per_s * self.interval_ns * 1e-9
        queue_bytes = now[:, _LINK["queue_bytes"]]
        figures = {
            "queue": np.minimum(queue_bytes / self._queue_bytes, 1.0),
            "sent": change[:, _LINK["sent_bytes"]] / capacity_bytes,
            "dropped": change[:, _LINK["drops"]] / np.maximum(change[:, _LINK["arrivals"]], 1.0),
            "goodput": change[:, _LINK["received_bytes"]] / capacity_bytes,
            "delay_s": queue_bytes / self._bytes_per_s,
        }
        reward = (
            figures["goodput"]
            - self._wanted.delay_cost * figures["delay_s"]
            - self._wanted.loss_cost * figures["dropped"]
        )
        seen = (
            self._at_senders(capacity_bytes)
            if self._wanted.action == WINDOW
            else self._at_link(figures)
        )
        return Stepped(
            seen=np.clip(seen, self.low, self.high).astype(np.float32),
            reward=reward,
            ended=now[:, _LINK["goes_on"]] == 0,
            over=self._time_ns + self.interval_ns > self._limit_ns,
            figures=figures,
        )

    def _at_link(self, figures: Mapping[str, Floats]) -> Floats:
        return np.column_stack([*(figures[name] for name in _AT_LINK[:-1]), self._action[:, 0]])

    def _at_senders(self, capacity_bytes: float) -> Floats:
        now = self._looks
        srtt_ns = self._flow("srtt_ns", now)
        self._trip_ns = np.where(srtt_ns > 0, np.minimum(self._trip_ns, srtt_ns), self._trip_ns)
        received = self._flow("received_bytes", now) - self._flow("received_bytes", self._before)
        each = {
            "goodput": received / capacity_bytes,
            "rtt": srtt_ns / np.where(np.isfinite(self._trip_ns), self._trip_ns, 1.0),
            "window": self._flow("cwnd_bytes", now) / self.most_window_bytes,
            "action": self._action,
        }
        return np.stack([each[name] for name in _AT_SENDER], axis=2).reshape(len(now), -1)
