# SPDX-License-Identifier: GPL-2.0-only
"""What Penstock's target has on top, so that the queue outlasts pauses: equation 9."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.penstock import Pauses, target

from penstock import _native

RATE = 2_500_000
LIMIT = 200_000
MSS = 1448
MS = 1_000_000
HALF = 1 << 14  # of the link, in Q15
MAX_WINDOW = 65535 << 14


class Steps:
    """A gateway whose flows all want more, or none does, and the queue that its steps find."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.control = _native.Control(
            "droptail", "penstock", limit_bytes=limit, rate_bytes_per_s=RATE, mss_bytes=MSS
        )
        self.step = 0

    @property
    def target(self) -> int:
        return self.control.state["target_bytes"]

    @property
    def pause_ms(self) -> float:
        return self.control.state["pause_ns"] / MS

    def find(
        self, queue: int, *, wanted: bool = True, others: int = 0, inferred: bool = False
    ) -> None:
        self.step += 1
        now_ns = self.step * 10 * MS
        for acked in (0, 10 * MSS) if wanted else ():
            self.control.ack(
                now_ns,
                queue,
                0,
                MAX_WINDOW,
                flight_bytes=acked,
                granted_bytes=MAX_WINDOW - 1,
                acked_bytes=acked,
                fills=True,
            )
        self.control.tick(now_ns, queue, 0, others_use_q15=others, inferred=inferred)

    def settle(self) -> None:
        """The mean is at the target."""
        for _ in range(200):
            self.find(self.target)
        assert self.pause_ms == 0


@given(
    steps=st.lists(
        st.tuples(
            st.floats(0, 3),
            st.sampled_from(["stands", "empty", "inferred"]),
            st.integers(0, 1 << 15),
        ),
        min_size=1,
        max_size=80,
    )
)
def test_the_target_follows_equations_8_and_9(steps: list[tuple[float, str, int]]) -> None:
    found, twin = Steps(), Pauses(RATE, MSS)
    found.settle()
    for level, kind, others in steps:
        state = found.control.state
        # Where rounding may take another branch than real numbers, go on from there.
        twin.pause, twin.mean, twin.least = (
            state["pause_ns"] / 1e9,
            state["mean_bytes"],
            state["least_bytes"],
        )
        aim = target(LIMIT * 3 // 10, RATE, MSS, 1, pause=twin.pause)
        queue = 0 if kind == "empty" else int(level * aim)
        found.find(queue, others=others, inferred=kind == "inferred")
        if kind == "inferred":
            twin.unlearn()
        else:
            twin.step(queue, aim, wanted=True, others=others / (1 << 15))
        assert found.target == pytest.approx(aim, abs=2)
        if abs(twin.mean - 3 / 4 * aim) > 20:
            assert found.pause_ms == pytest.approx(twin.pause * 1e3, abs=0.01)
        assert found.control.state["mean_bytes"] == pytest.approx(twin.mean, abs=20)
        assert found.control.state["least_bytes"] == pytest.approx(twin.least, abs=2)


def test_a_queue_that_pauses_empty_gets_up_to_three_times_the_target() -> None:
    found = Steps()
    found.settle()
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue)
    assert found.pause_ms == pytest.approx(10, rel=0.01)
    assert found.target == pytest.approx(3 * 12_500, rel=0.01)


def test_it_is_never_more_than_the_part_of_the_buffer() -> None:
    found = Steps(limit=60_000)
    found.settle()
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue)
    assert found.target == 18_000


@pytest.mark.parametrize(
    ("wanted", "others"), [(False, 0), (True, HALF)], ids=["nobody wants more", "others empty it"]
)
def test_only_flows_that_windows_hold_make_room(wanted: bool, others: int) -> None:
    found = Steps()
    found.settle()
    for _ in range(100):  # what they wanted before is forgotten
        found.find(found.target, wanted=wanted)
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue, wanted=wanted, others=others)
    assert found.pause_ms == 0


def test_a_link_that_is_found_empty_at_first_makes_none() -> None:
    found = Steps()
    for _ in range(1000):
        found.find(0)
    assert found.pause_ms == 0


def test_what_stood_unused_is_taken_off_within_seconds() -> None:
    found = Steps()
    found.settle()
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue)
    for _ in range(300):
        found.find(found.target)
    assert found.pause_ms == 0


def test_a_queue_that_may_be_path_makes_none_and_takes_it_off() -> None:
    found = Steps()
    found.settle()
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue, inferred=True)
    assert found.pause_ms == 0
    for _ in range(100):
        for queue in (0, 2 * found.target, found.target, found.target):
            found.find(queue)
    for _ in range(257):
        found.find(0, inferred=True)
    assert found.pause_ms == 0
