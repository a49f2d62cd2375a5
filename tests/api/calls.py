# SPDX-License-Identifier: GPL-2.0-only
"""A call of each public function, small, with what it must return; for any place that calls."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import penstock as ps

LINK = ps.link(rate="10mbit", rtt="20ms", buffer="60kB", size="30kB")


def _runs() -> Any:
    return ps.run(LINK, ["droptail", "ewt"], flows=2, seeds=2, workers=2, progress=True)


def _stored() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        ps.run(LINK, "droptail", flows=1, seeds=1, output=folder)
        return ps.load(folder).frame.height


def _trace() -> str:
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "t"
        recording.write_text("1\n2\n", encoding="utf-8")
        return ps.trace("mahimahi", recording).text[-4:]


# The last part of each name is the public one.
CALLS: dict[str, tuple[Callable[[], Any], Any]] = {
    "aggressiveness": (lambda: len(ps.aggressiveness(members="1,2", lost="0,10", runs=2)), 4),
    "capacity": (lambda: ps.capacity(LINK, "droptail", levels=5, seeds=1, most=2).height, 1),
    "explain": (lambda: ps.explain("ewt", queue=50_000, window=60_000).window_bytes > 0, True),
    "link": (lambda: isinstance(ps.link(rate="10mbit"), ps.Link), True),
    "load": (_stored, 1),
    "pftk": (lambda: ps.pftk(0.001, window=10, losses=0)[0].formula_per_s, 100.0),
    "recommend": (lambda: ps.recommend(LINK, "ewt", flows=1, seeds=3).seeds, 3),
    "run": (lambda: _runs().frame.height, 4),
    "run.plot": (lambda: _runs().plot.bars()._repr_png_()[:4], b"\x89PNG"),
    "run.summary": (lambda: _runs().summary().height, 2),
    "sqrt_p": (lambda: len(ps.sqrt_p(0.001, losses=0)), 1),
    "trace": (_trace, "1\n2\n"),
    "zhang": (lambda: ps.zhang(samples=2, g=0.5) is not None, True),
}


def wrong() -> list[str]:
    """The calls whose result is not what it must be."""
    return [f"{name}: {call()!r}" for name, (call, right) in CALLS.items() if call() != right]


if __name__ == "__main__":
    print(wrong())
