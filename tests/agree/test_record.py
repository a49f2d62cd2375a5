# SPDX-License-Identifier: GPL-2.0-only
"""core = ns-3: what ns-3's gateway was told, told to core again, has the same answers.

The record is of a run with losses. Queue, randomness and packets are the record's; nothing is
approximate. Every method that the ns-3 module has takes part, but those that write into packets.
"""

import subprocess
from collections.abc import Iterator

import pytest
from scripts import record

from penstock.scenario import params

MSS, LIMIT_BYTES, RATE_BYTES_PER_S = 1460, 40_000, 1_000_000


def cases() -> Iterator[object]:
    """Every method in every mode; the mode is of no account to one that rewrites nothing."""
    for method in params.methods().values():
        discipline = params.disciplines()[method.discipline]
        if discipline.schedules or discipline.header:
            continue  # several queues; or headers and labels, which no record holds
        for mode in ("safe", "strict", "literal") if method.rewrites else ("safe",):
            yield pytest.param(method, mode, id=f"{method.name}-{mode}")


@pytest.mark.parametrize(("method", "mode"), list(cases()))
def test_core_answers_as_in_ns3(runner, replayed, method, mode):
    lines = record(method.name, mode, MSS, LIMIT_BYTES, RATE_BYTES_PER_S)
    parts = (method.discipline, method.law, method.signal, mode)
    numbers = (str(LIMIT_BYTES), str(RATE_BYTES_PER_S), str(MSS))
    done = subprocess.run(
        [replayed, *parts, *numbers],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    arrivals, departures, acks = map(int, done.stdout.split())
    assert arrivals > 1000
    assert departures > 1000 or not any(line.startswith("leave") for line in lines)
    assert (acks > 500) == method.rewrites
