# SPDX-License-Identifier: GPL-2.0-only
"""Checks of links that change during a run, or follow a trace."""

from collections.abc import Iterator

from penstock.scenario import topology
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import Link, Scenario

_CURE = "write queue = '97kB', or queue_packets = 64"


def varies(link: Link) -> str:
    """The key by which a link varies, a trace first; '' if it does not."""
    if link.trace or link.back.trace:
        return "trace"
    return "change" if link.change else ""


def _change(link: Link) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for index, change in enumerate(link.change or ()):
        if change.rate is None and change.delay is None and change.loss is None:
            yield ("change", index), "nothing changes; write a rate, a delay or a loss"
        if change.rate is not None and (link.trace or link.back.trace):
            yield ("change", index, "rate"), "a link that follows a trace has no rate to change"


def _at_once(link: Link) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Changes of one key at one instant: which of them would hold?"""
    seen: dict[tuple[int, str], int] = {}
    for index, change in enumerate(link.change or ()):
        for key in ("rate", "delay", "loss"):
            if getattr(change, key) is None:
                continue
            first = seen.setdefault((change.at, key), index)
            if first != index:
                what = f"change {first + 1} sets the {key} at the same time; leave one of them out"
                yield ("change", index, key), what


def links(scenario: Scenario) -> Iterator[Flaw]:
    """Changes that change something, and queues for links whose rate is not constant."""
    for name, link in scenario.link.items():
        for key, message in (*_change(link), *_at_once(link)):
            yield ("link", name, *key), message
        if link.change == []:
            yield ("link", name, "change"), "no change is in it; write [[link.NAME.change]] tables"
        rates = any(change.rate is not None for change in link.change or ())
        for direction, trace in (("forward", link.trace), ("back", link.back.trace)):
            moves = trace or (rates and (direction == "forward" or link.back.rate is None))
            if moves and topology.queue_limit_bytes(scenario, name, direction) is None:
                what = f"its rate varies, so it needs a queue limit ({direction})"
                yield ("link", name), f"{what}; {_CURE}"
