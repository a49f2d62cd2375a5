# SPDX-License-Identifier: GPL-2.0-only
"""A link described by a call, like `penstock new-link` does in a file."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from penstock.api.files import saved
from penstock.api.words import in_python
from penstock.scenario.draft import Draft
from penstock.scenario.link import DEFAULTS, FIELDS, LINUX_6, Wanted, defaults, draft, value
from penstock.scenario.model import Scenario
from penstock.scenario.read import validate
from penstock.scenario.source import Source


@dataclass(frozen=True)
class Link:
    """A scenario of one link; `ps.run` takes it, and so does a file that `save` wrote."""

    wanted: Wanted
    name: str = "link"

    @functools.cached_property
    def _draft(self) -> Draft:
        return draft(self.wanted)

    @property
    def source(self) -> Source:
        """The scenario as tables, which `ps.run` can vary."""
        return replace(self._draft.source, name=self.name)

    @property
    def scenario(self) -> Scenario:
        """The validated scenario, each quantity in bytes, bit/s or ns."""
        return validate(self.source)

    @property
    def toml(self) -> str:
        """The scenario as TOML, with comments, for the command line or for changes by hand."""
        return self._draft.text

    def check(self) -> None:
        """Raises an error that names the option or the key of a value that does not fit."""
        validate(self._draft.source)

    def save(self, path: str | Path) -> Path:
        """Writes the scenario, for the command line or for changes by hand."""
        return saved(path, self.toml)


Ask = Callable[[str, str], str]  # a question and its usual answer; the answer
_NOTHING: Final[Mapping[str, int | str]] = MappingProxyType({})


@dataclass(frozen=True)
class Completed:
    """A link, not yet checked, and the options that nobody gave, with the usual text of each."""

    link: Link
    usual: Mapping[str, str]


def complete(
    given: Mapping[str, str | None],
    hosts: str = LINUX_6,
    known: Mapping[str, int | str] = _NOTHING,
    ask: Ask | None = None,
) -> Completed:
    """A link out of the texts of options.

    A field that has no text is as `known`, such as from a gateway's status; else the answer to its
    question, if there is somebody to ask; else as usual.
    """
    texts = {option: text for option, text in given.items() if text is not None}
    missing: dict[str, str] = {}
    for option, text in defaults(hosts).items():
        if option in texts or FIELDS[option].name in known:
            continue
        if ask is None:
            missing[option] = text
        else:
            texts[option] = ask(FIELDS[option].question, text)
    read = {
        FIELDS[option].name: value(option, text) for option, text in {**missing, **texts}.items()
    }
    values: dict[str, Any] = {**known, **read}
    return Completed(Link(Wanted(**values, hosts=hosts)), missing)


@in_python
def link(
    *,
    rate: str = DEFAULTS["rate"],
    rtt: str = DEFAULTS["rtt"],
    buffer: str | int = DEFAULTS["buffer"],
    flows: int = int(DEFAULTS["flows"]),
    window: str | int | None = None,
    size: str | int = DEFAULTS["size"],
    up: str | None = None,
    udp: str | None = None,
    hosts: str = LINUX_6,
    title: str | None = None,
) -> Link:
    """One bottleneck with a queue, and TCP transfers over it.

    `rate` is that of the data's direction and `up` that of the ACKs, if another; `rtt` is
    without queueing; `window` the receive buffer in bytes, or "auto"; `udp` the rate of UDP
    traffic beside TCP. `hosts` of "linux-6" have HyStart++, PRR, RACK-TLP, and windows that grow;
    those of "linux-7" let windows grow faster and further; those of "2004" are NewReno's with
    windows of 65,535 bytes.

    Examples:
        >>> link(rate="5mbit", rtt="100ms").scenario.link["bottleneck"].rate
        5000000
        >>> link(rate="fast")
        Traceback (most recent call last):
        penstock.errors.UsageError: rate='fast': 'fast' is not a rate; write it as '4mbit'
    """
    options: dict[str, object] = {
        "rate": rate,
        "rtt": rtt,
        "buffer": buffer,
        "flows": flows,
        "size": size,
    }
    options |= {"window": window, "up": up, "udp": udp, "title": title}
    texts = {option: None if given is None else str(given) for option, given in options.items()}
    made = complete(texts, str(hosts)).link
    made.check()
    return made
