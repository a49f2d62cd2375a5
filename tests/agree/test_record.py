# SPDX-License-Identifier: GPL-2.0-only
"""core = ns-3: what ns-3's gateway was told, told to core again, has the same answers.

The record is of a run with losses; core is asked through the extension that the simulator
uses too. Queue, randomness and ACKs are the record's; nothing is approximate.
"""

import pytest
from scripts import record

from penstock import _native
from penstock.scenario import params

METHODS = ["red", "ared", "red_rwm", "ewa", "awm", "ewt", "ewt_iot"]
VERDICTS = ["pass", "drop", "mark", "signal"]
LIMITS = [name for name, _ in _native.limits()]
ASKED = {"receiver", "method", "floor", "edge", "ramp"}  # the others are decided without the method
SYN, FIN, RST = 2, 1, 4
MSS, LIMIT_BYTES, RATE_BYTES_PER_S = 1460, 40_000, 1_000_000


class Replay:
    """One gateway, as core sees it."""

    def __init__(self, method, mode):
        parts = params.methods()[method]
        self.control = _native.Control(
            parts.discipline,
            parts.law,
            signal=parts.signal,
            limit_bytes=LIMIT_BYTES,
            rate_bytes_per_s=RATE_BYTES_PER_S,
            mss_bytes=MSS,
        )
        self.mode = mode
        self.windows = {}
        self.compared = {"arrive": 0, "ack": 0}

    def window(self, port):
        return self.windows.setdefault(port, _native.Window(self.mode, mss_bytes=MSS))

    def play(self, line):
        what, *words = line.split()
        now_ns, queue_bytes, packets, flows, *rest = map(int, words)
        getattr(self, what)((now_ns, queue_bytes, packets), flows, rest, line)

    def data(self, queue, flows, rest, line):
        port, seq, payload, flags, scale = rest
        if flags & SYN:
            self.window(port).syn(True, scale)
        elif payload:
            self.window(port).data(seq, payload)

    def arrive(self, queue, flows, rest, line):
        random, size, ecn, verdict = rest
        answer = self.control.arrive(
            *queue, size, flows=flows, random=random, ecn_capable=bool(ecn)
        )
        assert answer == VERDICTS[verdict], line
        self.compared["arrive"] += 1

    def accepted(self, queue, flows, rest, line):
        self.control.accepted(*queue, rest[0], flows=flows)

    def overflow(self, queue, flows, rest, line):
        self.control.overflow(*queue, rest[0])

    def left(self, queue, flows, rest, line):
        self.control.left(*queue, rest[0], flows=flows)

    def tick(self, queue, flows, rest, line):
        self.control.tick(*queue, flows=flows)

    def ack(self, queue, flows, rest, line):
        port, random, ack, field, payload, flags, scale, field_out, limit = rest
        window = self.window(port)
        if flags & SYN:
            window.syn(False, scale)
        allowed = 0
        if LIMITS[limit] in ASKED:
            offered = field << window.scale
            allowed = self.control.ack(
                *queue, offered, flows=flows, random=random, granule_bytes=1 << window.scale
            )
        pure = payload == 0 and not flags & (SYN | FIN | RST)
        answer = window.ack(ack, field, allowed, syn=bool(flags & SYN), pure=pure)
        assert answer == (field_out, LIMITS[limit]), line
        self.compared["ack"] += 1


def cases():
    """Every method in every mode; the mode is of no account to one that rewrites nothing."""
    rewrites = {m.name: m.rewrites for m in params.methods().values()}
    for method in METHODS:
        for mode in ("safe", "strict", "literal") if rewrites[method] else ("safe",):
            yield pytest.param(method, mode, rewrites[method], id=f"{method}-{mode}")


@pytest.mark.parametrize(("method", "mode", "rewrites"), list(cases()))
def test_core_answers_as_in_ns3(runner, method, mode, rewrites):
    replay = Replay(method, mode)
    for line in record(method, mode, MSS, LIMIT_BYTES, RATE_BYTES_PER_S):
        if rewrites or not line.startswith("ack"):
            replay.play(line)
    assert replay.compared["arrive"] > 1000
    assert replay.compared["ack"] > 500 or not rewrites
