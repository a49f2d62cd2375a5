# SPDX-License-Identifier: GPL-2.0-only
"""Plays a script against the simulator's TCP on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.runs.packetdrill import calls, wire
from penstock.runs.packetdrill.asserts import Asserts
from penstock.runs.packetdrill.claims import UnclaimedError
from penstock.runs.packetdrill.script import (
    Call,
    Code,
    Event,
    Packet,
    Script,
    ScriptError,
    Shell,
    When,
    read,
)
from penstock.runs.packetdrill.settings import Settings
from penstock.runs.packetdrill.sockets import Answer, Program
from penstock.text import decoded

TOLERANCE_US: Final = 4000  # packetdrill's own
# What the suites' own runners add for each address family, unless the script says otherwise. On the
# wire a mapped address is one of IPv4.
FAMILIES: Final = {
    "ipv4": {"ip_version": "ipv4"},
    "ipv6": {"ip_version": "ipv6", "mtu": "1520"},
    "ipv4-mapped-ipv6": {"ip_version": "ipv4-mapped-ipv6"},
}
_TOLERANCE_PERCENT: Final = 12.5  # of the time since the event before, likewise
_MOST_TIMERS: Final = 100_000


@dataclass(frozen=True)
class Verdict:
    """Of one script."""

    script: str
    outcome: str  # passed, failed or skipped
    line: int  # where it failed, or needs what is not claimed; 0 if it passed
    reason: str
    feature: str = ""  # of a skipped one: its name in the table


class FailedError(Exception):
    """An event did not happen as the script says: that of `line`, or else the current one."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class _Pending:
    """A call that blocks."""

    event: Event
    call: Call
    until_ns: int
    ask: Callable[[], Answer | None]


def verdict(
    file: Path, name: str, tolerance_us: int | None = None, ip_version: str = "ipv4"
) -> Verdict:
    """Plays the script in `file`. What cannot be read here is no failure of TCP: it is skipped."""
    line = 0
    try:
        script = read(_text(file))
        script.flags = {**FAMILIES[ip_version], **script.flags}
        player = _Player(script, file.parent, tolerance_us)
        for line in player.play():  # noqa: B007
            pass
    except UnclaimedError as need:
        return Verdict(name, "skipped", need.line or line or 1, need.reason, need.feature)
    except ScriptError as error:
        unread = UnclaimedError("language", error.line, str(error))
        return Verdict(name, "skipped", unread.line, unread.reason, unread.feature)
    except FailedError as error:
        return Verdict(name, "failed", error.line or line, str(error))
    return Verdict(name, "passed", 0, "")


def _text(file: Path) -> str:
    try:
        return decoded(file.read_bytes())
    except OSError as error:
        raise ScriptError(1, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ScriptError(1, str(error)) from None


class _Player:
    """The clock, and what has left and was not expected yet."""

    def __init__(self, script: Script, folder: Path, tolerance_us: int | None) -> None:
        self.script = script
        self.folder = folder
        flags = script.flags
        self.settings = Settings(
            family=6 if flags.get("ip_version") == "ipv6" else 4,
            mtu_bytes=int(flags.get("mtu", 1500)),
        )
        self.tolerance_us = int(flags.get("tolerance_usecs", tolerance_us or TOLERANCE_US))
        self.tick_us = int(flags.get("tcp_ts_tick_usecs", 0))
        self.strict = "strict_segments" in flags
        self.line = 0
        self.now_ns = 0
        self.before_ns = 0  # of the event before
        self.arrived_ns: int | None = None  # the script's time, if that was an arrival
        self.program = Program(self.settings)
        self.clock = wire.Clock()
        self.asserts = Asserts()
        self.left: list[_native.HostSegment] = []
        self.pending: _Pending | None = None
        self._check()

    def _check(self) -> None:
        """That all events need only what is claimed."""
        for event in self.script.events:
            match event.what:
                case Call():
                    calls.check(event.what, event.line)
                case Code():
                    self.asserts.check(event.what.text, event.line)
                case Packet():
                    if "R" in event.what.flags and not event.what.inbound:
                        raise UnclaimedError("reset", event.line)
                    syn = "S" in event.what.flags and "." not in event.what.flags
                    if syn and event.what.payload_bytes:
                        raise UnclaimedError("fast-open", event.line)

    def play(self) -> Iterator[int]:
        """Plays all events, and yields the line of each before."""
        for event in self.script.events:
            self.line = event.line
            yield event.line
            self._event(event)
        if self.pending is not None:
            self._advance(self.pending.until_ns, at_end=True)
            self._poll()
        if self.pending is not None:
            pending = self.pending
            raise FailedError(f"{pending.call.name}() has not returned", pending.event.line)
        if not any(self._can_fail(event) for event in self.script.events):
            raise UnclaimedError("no-assertion", 1)

    def _can_fail(self, event: Event) -> bool:
        """Whether an event asserts anything."""
        match event.what:
            case Call():
                return event.what.result != "..."
            case Code():
                return self.asserts.asserts(event.what.text, event.line)
            case Packet():
                return not event.what.inbound
        return False

    def _event(self, event: Event) -> None:
        inbound = isinstance(event.what, Packet) and event.what.inbound
        # As packetdrill: relative to the script's time between two arrivals, else to the clock.
        base_ns = self.now_ns
        if inbound and self.arrived_ns is not None:
            base_ns = self.arrived_ns
        at_ns = self._at(event.when, base_ns)
        if isinstance(event.what, Packet) and not event.what.inbound:
            self._expect(event.what, event.when, at_ns, base_ns)
            self.arrived_ns = None
        else:
            self._advance(at_ns)
            self._happen(event, base_ns)
            self.arrived_ns = at_ns if inbound else None
        self._poll()
        self.before_ns = at_ns

    def _at(self, when: When, base_ns: int) -> int:
        if when.from_ns is None:
            return base_ns
        return when.from_ns + (base_ns if when.relative else 0)

    def _advance(self, to_ns: int, at_end: bool = False) -> None:
        """Time passes, and timers run; those of `to_ns` itself after what happens then, unless

        nothing does: `at_end`. A kernel's timers are never early.
        """
        for _ in range(_MOST_TIMERS):
            host = self.program.host
            due = None if host is None else host.next_timer_ns
            if host is None or due is None or due >= to_ns + at_end:
                break
            self.now_ns = max(self.now_ns, due)
            host.timer(self.now_ns)
            self._collect()
            self._poll()
        self.now_ns = max(self.now_ns, to_ns)

    def _collect(self) -> None:
        if self.program.host is not None:
            self.left.extend(self.program.host.take())

    def _happen(self, event: Event, base_ns: int) -> None:
        match event.what:
            case Shell():
                option = self.settings.sysctls["tcp_ecn_option"]
                self.settings.shell(event.what.text, event.line, self.folder)
                if self.program.host and option != self.settings.sysctls["tcp_ecn_option"]:
                    raise UnclaimedError("accecn-modes", event.line, "changed while connected")
            case Code():
                self._assert(event.what)
            case Packet():
                self._arrive(event.what)
            case Call():
                self._call(event, event.what, base_ns)
        self._collect()

    def _assert(self, code: Code) -> None:
        if self.program.host is None:
            if not self.asserts.asserts(code.text, self.line):
                return
            raise FailedError("an assertion without a connection")
        failure = self.asserts.run(code.text, self.line, self.program.host.info())
        if failure:
            raise FailedError(failure)

    def _arrive(self, packet: Packet) -> None:
        host = self.program.host
        if "S" in packet.flags and "." not in packet.flags:
            stamps = packet.options is not None and packet.options.timestamps is not None
            host = self.program.on_syn(stamps, self.line)
        if host is None or ("R" in packet.flags and not host.established):
            raise UnclaimedError("reset", self.line)
        host.segment(wire.arriving(packet, self.clock), self.now_ns)

    def _call(self, event: Event, call: Call, base_ns: int) -> None:
        ask = self.program.call(call, self.now_ns, event.line)
        if event.when.blocking:
            until_ns = event.when.to_ns or 0
            until_ns += base_ns if event.when.relative else 0
            self.pending = _Pending(event, call, until_ns, ask)
            return
        answer = ask()
        if answer is None:
            raise FailedError(f"{call.name}() blocks")
        self._compare(call, answer)

    def _poll(self) -> None:
        """The call that blocks may return."""
        if self.pending is None:
            return
        answer = self.pending.ask()
        if answer is None:
            return
        pending, self.pending = self.pending, None
        self._compare(pending.call, answer)
        self._on_time(pending.until_ns, pending.until_ns, self.now_ns, f"{pending.call.name}()")

    def _compare(self, call: Call, answer: Answer) -> None:
        if call.result != "..." and int(call.result, 0) != answer.result:
            raise FailedError(f"{call.name}() = {answer.result} {answer.error}".rstrip())
        if answer.error != call.error and (answer.result < 0 or answer.error):
            raise FailedError(f"{call.name}(): {answer.error or 'no error'}")

    def _tolerance_ns(self, at_ns: int) -> int:
        percent = round((at_ns - self.before_ns) * _TOLERANCE_PERCENT / 100)
        return max(self.tolerance_us * 1000, percent)

    def _on_time(self, from_ns: int, to_ns: int, at_ns: int, what: str) -> None:
        slack_ns = self._tolerance_ns(from_ns)
        if from_ns - slack_ns <= at_ns <= to_ns + slack_ns:
            return
        expected = f"{from_ns / 1e9:.6f}" + (f" to {to_ns / 1e9:.6f}" if to_ns > from_ns else "")
        raise FailedError(f"{what} at {at_ns / 1e9:.6f} s, not at {expected} s")

    def _expect(self, packet: Packet, when: When, from_ns: int, base_ns: int) -> None:
        """A segment must leave, or several in a row that make it up."""
        to_ns = from_ns
        if when.to_ns is not None:
            to_ns = when.to_ns + (base_ns if when.relative else 0)
        deadline_ns = None if when.from_ns is None else to_ns + self._tolerance_ns(from_ns)
        if not self._await(deadline_ns):
            raise FailedError(f"nothing sent by {self.now_ns / 1e9:.6f} s")
        left = wire.Left([self.left.pop(0)])
        while not self.strict and left.payload_bytes < packet.payload_bytes:
            if not self._await(deadline_ns) or not left.continues(self.left[0]):
                break
            left.segments.append(self.left.pop(0))
        wrong = wire.difference(packet, left, self.clock, self.tick_us, self.tolerance_us)
        if wrong:
            sent = wire.text(left.first, left.payload_bytes, left.flags)
            raise FailedError(f"{wrong}: sent {sent} at {left.first.at_ns / 1e9:.6f} s")
        if deadline_ns is not None:
            self._on_time(from_ns, to_ns, left.first.at_ns, "sent")
        self.now_ns = max(self.now_ns, left.segments[-1].at_ns)

    def _await(self, deadline_ns: int | None) -> bool:
        """Lets time pass until a segment leaves, but not beyond the deadline."""
        for _ in range(_MOST_TIMERS):
            if self.left:
                return True
            host = self.program.host
            due = None if host is None else host.next_timer_ns
            if due is None or (deadline_ns is not None and due > deadline_ns):
                return False
            self._advance(due, at_end=True)
        return False
