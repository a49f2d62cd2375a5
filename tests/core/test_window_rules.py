# SPDX-License-Identifier: GPL-2.0-only
"""The window rules as properties: any sequence of segments, any scale, all three modes."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import _native

NOTHING = -(1 << 40)
MODES = ["safe", "strict", "literal"]
FIELDS = st.one_of(st.integers(0, 65_535), st.integers(0, 3), st.just(65_535))
ALLOWED = st.one_of(st.integers(0, 1 << 30), st.integers(0, 20_000))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("data"), st.integers(1, 9_000), st.integers(-40_000, 40_000)),
        st.tuples(st.just("ack"), st.integers(0, 30_000), FIELDS, ALLOWED, st.booleans()),
        st.tuples(st.just("ack"), st.integers(0, 3_000), st.just(60_000), ALLOWED, st.just(True)),
        st.tuples(st.just("repeat"), ALLOWED),
        st.tuples(st.just("old"), st.integers(1, 50_000), FIELDS, ALLOWED),
        st.tuples(st.just("syn_ack"), st.just(0)),
    ),
    max_size=60,
)


@dataclass
class Flow:
    """What the test knows of a flow, beside the gateway; positions do not wrap."""

    window: _native.Window
    mode: str
    scale: int
    mss: int
    origin: int
    ack: int = 0
    sent: int = NOTHING
    edge: int = NOTHING  # rightmost granted
    doubted: tuple[int, int] | None = None  # data against the estimate: its start and end
    last: tuple[int, int, int] = (-1, -1, -1)  # ack, field in, field out
    has_ack: bool = False
    unseen: int = 0  # ACKs of what was not seen sent, since data was
    ramp: tuple[int, int] | None = None  # where a reduced window began to grow: ack, window

    def send(self, length: int, ahead: int) -> None:
        start = self.ack + ahead
        self.unseen = 0
        self.window.data((self.origin + start) % 2**32, length)
        beyond = self.edge != NOTHING and start + length > self.edge + 1
        if beyond or (self.has_ack and start + length <= self.ack):
            self.doubt(start, start + length)
        if beyond:
            return
        self.sent = max(self.sent, start + length)
        self.mss = max(self.mss, length)

    def doubt(self, start: int, end: int) -> None:
        """R35: no sender that keeps to its window sends this, or sends it once more."""
        if self.doubted is not None and self.doubted[0] <= end and start <= self.doubted[1]:
            start, end = min(start, self.doubted[0]), max(end, self.doubted[1])
        self.doubted = (start, end)

    def settle(self, ack: int, offered: int) -> None:
        """R35: both ends know of doubted data, so ACKs are learned again."""
        old = self.has_ack and ack < self.ack
        if not (old or self.is_unseen(ack)) or self.doubted is None:
            return
        if not self.doubted[0] < ack <= self.doubted[1] + 1:
            return
        covered = ack <= self.sent <= ack + (offered << self.scale)
        if self.sent != NOTHING and not covered:
            self.sent = self.doubted[1]
        if self.ramp is not None:
            ack_then, window_then = self.ramp
            self.ramp = (ack, window_then + self.ack - ack_then)
        self.ack, self.has_ack, self.doubted = ack, False, None

    def receive(self, ack: int, offered: int, allowed: int, pure: bool) -> None:
        self.settle(ack, offered)
        if self.is_unseen(ack):
            passed = self.window.ack((self.origin + ack) % 2**32, offered, allowed, pure=pure)
            held = self.has_ack and self.last[2] and self.unseen < 255
            least = max(self.last[2], self.floor() >> self.scale) if held else offered
            assert passed == (min(offered, least), "unseen"), "R35: an ACK of what nobody sent"
            self.unseen += 1
            return
        out, limit = self.window.ack((self.origin + ack) % 2**32, offered, allowed, pure=pure)
        self.check_always(ack, offered, allowed, out, limit)
        old = self.has_ack and ack < self.ack
        if self.mode != "literal" and offered:
            self.check_guarded(ack, offered, out, pure, old)
            self.check_ramp(ack, out, old)
        if not old:
            largest = 65_535 << self.scale
            edge = ack + (out << self.scale)
            self.edge = max(self.edge, edge) if self.edge <= ack + largest else edge
            if self.sent != NOTHING and not ack - 1 <= self.sent <= ack + largest:
                self.sent = ack
        if not old and not self.is_ignored(ack, offered, pure):
            self.keep_ramp(ack, offered, out)
            self.ack, self.has_ack = ack, True
            self.last = (ack, offered, out)

    def is_unseen(self, ack: int) -> bool:
        """Whether it acknowledges more than was seen sent, and a FIN (RFC 5961 section 5)."""
        return self.sent != NOTHING and ack > self.sent + 1

    def floor(self) -> int:
        """R4: a whole segment, in whole granules; literal mode has no such rule."""
        if self.mode == "literal":
            return 0
        granule = 1 << self.scale
        return -(-self.mss // granule) * granule

    def is_ignored(self, ack: int, offered: int, pure: bool) -> bool:
        """Whether the sender takes no window from it (RFC 9293 section 3.10.7.4)."""
        return self.has_ack and pure and ack == self.ack and offered <= self.last[1]

    def check_always(self, ack: int, offered: int, allowed: int, out: int, limit: str) -> None:
        granule = 1 << self.scale
        assert out <= offered, "R1: raised"
        assert (out == 0) == (offered == 0), "R4, R5: a zero made, or one opened"
        if limit == "method":
            assert out == max(-(-allowed // granule), 1), "R3: not the method's, rounded up"
        if limit == "receiver":
            assert out == offered
            assert allowed >= offered << self.scale

    def check_guarded(self, ack: int, offered: int, out: int, pure: bool, old: bool) -> None:
        right, offer = ack + (out << self.scale), ack + (offered << self.scale)
        if self.is_ignored(ack, offered, pure):
            assert out == min(self.last[2], offered), "R9, R10: a duplicate with another field"
            return
        if not (old and self.last[2] == 0):
            assert out << self.scale >= min(offered << self.scale, self.floor()), "R4"
            held = self.edge if self.mode == "strict" else self.sent
            assert right >= min(held, offer), "R2: the edge went left"

    def check_ramp(self, ack: int, out: int, old: bool) -> None:
        """R26: over any stretch that the ramp alone decides, no more than was acknowledged."""
        if old or self.ramp is None:
            return
        ack_then, window_then = self.ramp
        granule = 1 << self.scale
        held = self.edge if self.mode == "strict" else self.sent
        least = max(self.mss, held - ack)
        assert out << self.scale <= max(
            window_then + ack - ack_then, -(-least // granule) * granule
        )

    def keep_ramp(self, ack: int, offered: int, out: int) -> None:
        reduced = out < offered
        if reduced and self.ramp is not None:
            ack_then, window_then = self.ramp
            if (window_then + ack - ack_then) >> self.scale == out:
                return
        self.ramp = (ack, out << self.scale) if reduced else None


def play(flow: Flow, steps: list[tuple[object, ...]]) -> None:
    for kind, *args in steps:
        match kind, args:
            case "data", [int(length), int(ahead)]:
                flow.send(length, ahead)
            case "ack", [int(advance), int(offered), int(allowed), bool(pure)]:
                flow.receive(flow.ack + advance, offered, allowed, pure)
            case "repeat", [int(allowed)]:
                if flow.has_ack:
                    flow.receive(flow.ack, flow.last[1], allowed, True)
            case "old", [int(back), int(offered), int(allowed)]:
                if flow.has_ack:
                    flow.receive(flow.ack - back, offered, allowed, True)
            case "syn_ack", _:
                flow.window.syn(False, flow.scale)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=300)
@given(
    scale=st.integers(0, 14),
    mss=st.integers(0, 9_000),
    origin=st.one_of(st.just(2**32 - 20_000), st.integers(0, 2**32 - 1)),
    steps=STEPS,
)
def test_the_rules_hold_for_any_sequence(
    mode: str, scale: int, mss: int, origin: int, steps: list[tuple[object, ...]]
) -> None:
    window = _native.Window(mode, mss_bytes=mss)
    window.syn(True, 3)
    window.syn(False, scale)
    play(Flow(window, mode, scale, max(mss, 1), origin), steps)


@pytest.mark.parametrize("mode", MODES)
@given(steps=st.lists(st.tuples(FIELDS, ALLOWED, st.booleans()), max_size=20))
def test_a_flow_that_was_up_before_is_never_touched(
    mode: str, steps: list[tuple[int, int, bool]]
) -> None:
    window = _native.Window(mode)
    for ack, (offered, allowed, pure) in enumerate(steps):
        assert window.ack(ack, offered, allowed, pure=pure) == (offered, "unknown_scale")


@pytest.mark.parametrize("mode", ["safe", "strict"])
@given(
    scale=st.integers(0, 14),
    acks=st.lists(st.tuples(st.integers(0, 200_000), st.integers(1, 65_535), ALLOWED), max_size=30),
)
def test_reordered_acks_change_nothing_for_those_in_order(
    mode: str, scale: int, acks: list[tuple[int, int, int]]
) -> None:
    """R11: what an ACK that is the newest gets does not depend on the late ones between."""
    shuffled, ordered = _native.Window(mode), _native.Window(mode)
    for window in (shuffled, ordered):
        window.syn(True, 3)
        window.syn(False, scale)
    newest = -1
    for ack, offered, allowed in acks:
        got = shuffled.ack(ack, offered, allowed)
        if ack >= newest:
            assert got == ordered.ack(ack, offered, allowed)
            newest = ack
        else:
            assert got[1] == "old_ack"
