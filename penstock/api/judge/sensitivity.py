# SPDX-License-Identifier: GPL-2.0-only
"""The constants of a method, each halved and doubled, as variants of a drawn link's scenario."""

import json
import re
from collections.abc import Iterator
from typing import Final

from penstock import _native
from penstock.api.judge.links import Link
from penstock.scenario import params

FACTORS: Final = {"half": (1, 2), "double": (2, 1)}
_CONSTANTS: Final = ("bytes", "ns", "pkts", *params.RATIO_ONE)  # units; no flags and numbers
_QUEUE: Final = re.compile(r'^queue = "(\d+)B"$', re.MULTILINE)  # the bottleneck's is the first


def _value(row: _native.Param, queue_bytes: int) -> int:
    return queue_bytes * row.buffer_num // row.buffer_den if row.buffer_den else row.default


def _varied(name: str) -> Iterator[tuple[str, _native.Param]]:
    """The parameters that can be halved or doubled, by what they are called in a variant."""
    for row in params.methods()[name].params:
        key = params.user_key(row.name)
        if row.unit in _CONSTANTS and (row.default or row.buffer_num):
            yield key.removesuffix("_bytes").removesuffix("_ns"), row


def variants(name: str, queue_bytes: int) -> dict[str, dict[str, str]]:
    """Parameters of each variant, within their ranges, by its name.

    A target of time and one of bytes are two constants: `target_ns` is told from `target`.
    """
    found: dict[str, dict[str, str]] = {}
    for short, row in _varied(name):
        value = _value(row, queue_bytes)
        key = params.user_key(row.name)
        short = key if f"{short}_half" in found else short
        for word, (times, over) in FACTORS.items():
            new = min(max(value * times // over, row.min), row.max)
            if new != value:
                found[f"{short}_{word}"] = {key: params.show(row.unit, new)}
    return found


def names(name: str) -> list[str]:
    """Of the variants, the same on every link."""
    return list(variants(name, 1 << 20))


def _text(text: str, name: str, queue_bytes: int) -> str:
    for label, given in variants(name, queue_bytes).items():
        table = ", ".join(f"{key} = {json.dumps(value)}" for key, value in given.items())
        text += f'\n[variant.{label}]\nbase = "{name}"\nparams = {{ {table} }}\n'
    return text


def with_variants(link: Link, name: str) -> Link:
    """The link, whose scenarios have the variants too."""
    found = _QUEUE.search(link.text)
    assert found, "draw_link() gives the bottleneck a queue"
    queue = int(found[1])
    behind = link.behind and _text(link.behind, name, queue)
    return Link(link.name, link.what, _text(link.text, name, queue), behind)
