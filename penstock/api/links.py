# SPDX-License-Identifier: GPL-2.0-only
"""A link described by a call, like `penstock new-link` does in a file."""

from dataclasses import dataclass
from pathlib import Path

from penstock.api.words import in_python
from penstock.errors import UserError
from penstock.scenario.link import DEFAULTS, TODAY, defaults, render
from penstock.scenario.model import Scenario
from penstock.scenario.read import Text, read


@dataclass(frozen=True)
class Link:
    """A scenario as TOML text; `ps.run` takes it, and so does a file that `save` wrote."""

    toml: str
    name: str = "link"

    @property
    def text(self) -> Text:
        """The text in the form that readers of scenarios take."""
        return Text(self.name, self.toml)

    @property
    def scenario(self) -> Scenario:
        """The validated scenario, each quantity in bytes, bit/s or ns."""
        return read(self.text).scenario

    def save(self, path: str | Path) -> Path:
        """Writes the scenario, for the command line or for changes by hand."""
        target = Path(path)
        try:
            target.write_text(self.toml, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{target}: cannot be written: {error.strerror}") from None
        return target


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
    hosts: str = TODAY,
    title: str | None = None,
) -> Link:
    """One bottleneck with a queue, and TCP transfers over it.

    `rate` is that of the data's direction and `up` that of the ACKs, if another; `rtt` is
    without queueing; `window` the receive buffer in bytes, or "auto"; `udp` the rate of UDP
    traffic beside TCP. `hosts` of "today" have HyStart++, PRR, RACK-TLP, and windows that grow;
    those of "2004" are NewReno's with windows of 65,535 bytes.

    Examples:
        >>> link(rate="5mbit", rtt="100ms").scenario.link["bottleneck"].rate
        5000000
        >>> link(rate="fast")
        Traceback (most recent call last):
        penstock.errors.UsageError: rate='fast': 'fast' is not a rate; write it as '4mbit'
    """
    values = {"rate": rate, "rtt": rtt, "buffer": buffer, "flows": flows}
    values |= {"window": defaults(hosts)["window"] if window is None else window}
    values |= {"size": size} | ({} if title is None else {"title": title})
    more = {"up": up, "udp": udp}
    made = Link(
        render(
            {key: str(value) for key, value in values.items()},
            {key: None if value is None else str(value) for key, value in more.items()},
            hosts,
        )
    )
    read(made.text)
    return made
