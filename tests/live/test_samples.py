# SPDX-License-Identifier: GPL-2.0-only
"""The queue of a live run: what is sampled of it, and counted at its gateway."""

import numpy as np
import pytest

from penstock.results import arithmetic
from penstock.runs.live import result, samples


def test_a_sampled_queue_is_averaged_over_time() -> None:
    step = samples.EVERY_NS
    rows = [[i * step, 1000 * (i % 2), i % 2, i // 2, 500 * i, i] for i in range(101)]
    queue = samples.Samples(np.array(rows, dtype=np.int64)).queue([(0, 8_000_000)])
    assert queue["bytes_mean"] == pytest.approx(495, abs=1)
    assert queue["bytes_max"] == 1000
    assert queue["drops"] == 50
    assert queue["arrivals"] == 150
    assert queue["delay_ns_mean"] == pytest.approx(queue["bytes_mean"] * 1000)
    # 50,000 bytes at 1 byte a microsecond, in 0.5 s.
    assert queue["utilisation"] == pytest.approx(0.1)


def test_a_queue_has_what_its_gateway_counted() -> None:
    rows = [[i * samples.EVERY_NS, 1000, 1, 0, 500 * i, i] for i in range(101)]
    taken = samples.Samples(np.array(rows, dtype=np.int64))
    of_gateway = {"acks_rewritten": 7, "acks_seen": 9, "early_drops": 3}
    counts = result.queue_counts(taken, [(0, 8_000_000)], (0, 0), of_gateway)
    assert (counts["acks_rewritten"], counts["acks_seen"], counts["drops"]) == (7, 9, 3)
    arithmetic.check("queue", counts, from_start=True)


def test_a_queue_is_as_long_as_its_rate_of_the_time_makes_it() -> None:
    """8 Mbit/s, and from the middle on 4: half of what could be sent is 3 Mbit/s on average."""
    step = samples.EVERY_NS
    rows = [[i * step, 1000, 1, 0, i * 1875, i] for i in range(101)]
    measured = samples.Samples(np.array(rows, dtype=np.int64))
    queue = measured.queue([(0, 8_000_000), (50 * step, 4_000_000)])
    assert queue["utilisation"] == pytest.approx(0.5)
    assert queue["delay_ns_mean"] == pytest.approx(1_500_000, rel=0.01)
    assert queue["delay_ns_p99"] == 2_000_000
    assert queue["delay_ns_sd"] == pytest.approx(500_000, rel=0.01)


def test_samples_between_two_times() -> None:
    rows = np.array([[t, 0, 0, 0, t, 0] for t in range(10)], dtype=np.int64)
    assert list(samples.Samples(rows).between(3, 5).time_ns) == [3, 4, 5]
    assert samples.Samples(rows).busy_from_ns() == 1
    with pytest.raises(RuntimeError, match="too short"):
        samples.Samples(rows).between(20, 30)
