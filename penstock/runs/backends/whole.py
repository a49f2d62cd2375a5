# SPDX-License-Identifier: GPL-2.0-only
"""Captures that a simulator writes itself: whole under their names, or not there."""

import dataclasses
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from penstock.plan.network import Network
from penstock.results import sealed


@contextmanager
def captures(network: Network) -> Iterator[Network]:
    """The network to run, whose captures take their places when it has run."""
    places: dict[str, str] = {}
    with ExitStack() as stack:
        for each in network.captures:
            partial = stack.enter_context(sealed.replacing(Path(each.path)))
            places[str(partial)] = each.path
        written = [
            dataclasses.replace(each, path=path)
            for each, path in zip(network.captures, places, strict=True)
        ]
        try:
            yield dataclasses.replace(network, captures=written)
        except (RuntimeError, ValueError) as error:
            text = str(error)
            for written_as, place in places.items():
                text = text.replace(written_as, place)
            raise type(error)(text) from None
