# SPDX-License-Identifier: GPL-2.0-only
"""The margins of the law `penstock`, and that docs/papers/penstock.md states them."""

import math

import pytest

from penstock import _native
from penstock.results.models import margins

RTTS = [0.004, 0.01, 0.04, 0.09, 0.2, 0.4]
FLOWS = [1, 2, 8, 32, 64, 200]


def _loop() -> margins.Loop:
    """With the law's parameters, on 20 Mbit/s and 97 kB."""
    control = _native.Control(
        "droptail", "penstock", limit_bytes=97_000, rate_bytes_per_s=2_500_000
    )
    found = control.params
    return margins.Loop(
        target=found["target_bytes"],
        gain=found["gain_q16"] / 65536,
        slow_gain=found["slow_gain_q16"] / 65536,
        delayed_ack=found["delayed_ack_ns"] / 1e9,
    )


def test_it_is_the_loop_of_the_default_parameters() -> None:
    found, default = _loop(), margins.Loop()
    assert found.target == default.target
    assert found.gain == pytest.approx(default.gain, abs=2**-16)
    assert found.slow_gain == default.slow_gain
    assert found.delayed_ack == default.delayed_ack


@pytest.mark.parametrize("rtt", RTTS)
@pytest.mark.parametrize("flows", FLOWS)
def test_the_margins_hold_over_round_trips_and_flows(rtt: float, flows: int) -> None:
    found = margins.margins(_loop(), rtt, flows)
    if found is None:  # windows of one are too much: c is at its bottom
        assert (rtt, flows) in [(0.004, 200), (0.01, 200), (0.04, 200)]
        return
    assert found.phase >= 68
    assert found.gain >= 4.2


@pytest.mark.parametrize("rtt", RTTS)
def test_flows_with_other_round_trips_add_to_the_margins(rtt: float) -> None:
    loop = _loop()
    equal = margins.pairs(loop, [rtt])
    spread = margins.pairs(loop, [0.004 + (rtt - 0.004) * n / 31 for n in range(32)])
    assert equal.phase == pytest.approx(90 - math.degrees(loop.gain), abs=0.3)
    assert equal.gain == pytest.approx(math.pi / 2 / loop.gain, rel=0.01)
    assert spread.phase >= equal.phase - 0.3
    assert spread.gain >= equal.gain * 0.99


@pytest.mark.parametrize("rtt", RTTS)
@pytest.mark.parametrize("flows", FLOWS)
def test_receivers_that_wait_200_ms_leave_it_stable(rtt: float, flows: int) -> None:
    found = margins.margins(_loop(), rtt, flows, receiver=0.2)
    assert found is not None
    assert found.phase >= (27 if flows == 200 else 53)
    assert found.gain >= (1.4 if flows == 200 else 2.4)


def test_a_larger_gain_would_oscillate() -> None:
    assert margins.of_delay(math.pi / 2).phase == pytest.approx(0)
    assert margins.pairs(margins.Loop(gain=1.6), [0.04]).phase < 0
