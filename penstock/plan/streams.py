# SPDX-License-Identifier: GPL-2.0-only
"""Random numbers of the lab: numbered streams.

A stream is Philox 4x64 with the key (seed, purpose); only its raw 64-bit words are
used. The n-th draw does not depend on how many follow, so that more flows leave
the start times of the first ones as they were, as does any change of method.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from penstock import _native
from penstock.scenario.types import Span

START_TIMES: Final = 1 << 32  # purpose number of group 0; the group's number is added
_LINK_DELAYS: Final = 2 << 32  # of the scenario's link 0; the link's number is added
_WORD_BITS: Final = 64
_BLOCK_WORDS: Final = 4


def _words(key: Sequence[int], count: int) -> Iterator[int]:
    """The first `count` words of a stream; the counter of its first block is 1."""
    blocks = range(1, -(-count // _BLOCK_WORDS) + 1)
    words = (word for number in blocks for word in _native.philox([number, 0, 0, 0], key))
    return itertools.islice(words, count)


def _even(seed: int, purpose: int, span: Span, count: int) -> list[int]:
    width = span.last_ns - span.first_ns
    if not width:
        return [span.first_ns] * count
    words = _words([seed, purpose], count)
    return [span.first_ns + (word * (width + 1) >> _WORD_BITS) for word in words]


def start_times_ns(seed: int, group: int, span: Span, count: int) -> list[int]:
    """Start times of the `count` flows of traffic group number `group`, even over `span`."""
    return _even(seed, START_TIMES + group, span, count)


def delays_ns(seed: int, link: int, span: Span, count: int) -> list[int]:
    """Delays of the `count` links that the scenario's link number `link` stands for."""
    return _even(seed, _LINK_DELAYS + link, span, count)
