# SPDX-License-Identifier: GPL-2.0-only
"""The queue of a live run: what is sampled of it, and counted at its gateway."""

import numpy as np
import pytest

from penstock.plan.cells import Cell
from penstock.results import arithmetic
from penstock.runs.backends import live
from penstock.runs.live import result, samples
from penstock.scenario.read import read


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


def test_more_than_the_rate_is_wrong_but_for_a_late_sample() -> None:
    """8 Mbit/s are 5,000 bytes a sample; half a second of 1 % more is within 100 ms."""
    for bytes_each, use in ((5000, 1.0), (5050, 1.0), (6500, 1.3)):
        rows = [[i * samples.EVERY_NS, 1000, 1, 0, bytes_each * i, i] for i in range(101)]
        queue = samples.Samples(np.array(rows, dtype=np.int64)).queue([(0, 8_000_000)])
        assert queue["utilisation"] == pytest.approx(use)
        assert bool(arithmetic.broken(queue, from_start=True)) == (use > 1)


def test_udp_of_another_way_is_no_arrival() -> None:
    rows = [[i * samples.EVERY_NS, 1000, 1, 0, 500 * i, i] for i in range(101)]
    taken = samples.Samples(np.array(rows, dtype=np.int64))
    counted = {"acks_rewritten": 0, "acks_seen": 0, "early_drops": 0}
    counts = result.queue_counts(taken, [(0, 8_000_000)], (500, 450), counted)
    assert (counts["udp_arrivals"], counts["tcp_arrivals"]) == (100, 0)
    arithmetic.check("queue", counts, from_start=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bytes_p50": 5e6}, "queue: not 0 <= bytes_p50 <= bytes_p99"),
        ({"bytes_max": 20_000.0}, "queue: not bytes_max <= limit_bytes"),
        ({"drops": 1000}, "queue: not "),
    ],
)
def test_a_live_row_that_breaks_a_relation_ends_the_run(
    wrong: dict[str, float], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a played result in place of namespaces."""
    rows = [[i * samples.EVERY_NS, 1000, 1, 0, 500 * i, i] for i in range(101)]
    counted = {"acks_rewritten": 7, "acks_seen": 9, "early_drops": 3}
    taken = samples.Samples(np.array(rows, dtype=np.int64))
    counts = result.queue_counts(taken, [(0, 8_000_000)], (0, 0), counted)
    names = ("is_udp", "delivered_bytes", "bytes_sent", "retransmissions", "timeouts")
    flow = {key: [0] for key in (*names, "segments_sent", "retransmitted_bytes", "start_ns")}
    flow |= {"done_ns": [10**9], "size_bytes": [1000], "delivered_bytes": [1000]}
    flows = {name: np.array(values) for name, values in (flow | {"bytes_sent": [1000]}).items()}
    found = read("link", [("link.bottleneck.queue", "10kB")]).scenario
    cell = Cell(found, "droptail", "safe", "65535", 1, 1)
    for given, message in (({}, ""), (wrong, said)):
        played = result.LiveResult(10**9, flows, counts | given)
        monkeypatch.setattr(
            live.run, "play", lambda *_, played=played: (played, live.run.Extra({}))
        )
        if not message:
            assert live.Live(4).run(cell).columns["utilisation_percent"] == pytest.approx(10)
            continue
        with pytest.raises(RuntimeError, match=f"arithmetic broken: {message}"):
            live.Live(4).run(cell)


def test_samples_between_two_times() -> None:
    rows = np.array([[t, 0, 0, 0, t, 0] for t in range(10)], dtype=np.int64)
    assert list(samples.Samples(rows).between(3, 5).time_ns) == [3, 4, 5]
    assert samples.Samples(rows).busy_from_ns() == 1
    with pytest.raises(RuntimeError, match="too short"):
        samples.Samples(rows).between(20, 30)


def test_delays_have_quantiles_over_time() -> None:
    """Each of a hundred samples waits a millisecond more than the one before."""
    rows = [[i * samples.EVERY_NS, 1000 * i, i, 0, 500 * i, i] for i in range(1, 101)]
    taken = samples.Samples(np.array(rows, dtype=np.int64))
    quantiles = taken.delay_quantiles_ns([(0, 8_000_000)])
    assert quantiles == pytest.approx([1e6 * max(percent, 1) for percent in range(101)])
