# SPDX-License-Identifier: GPL-2.0-only
"""Runs a subject and its peers on new links, until the verdicts are known."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.api.judge import sensitivity, verdict
from penstock.api.judge.links import PLACES, UPSTREAM, Link, draw_link
from penstock.api.judge.parts import Part
from penstock.api.judge.verdict import Compared
from penstock.errors import OptionError, UsageError, near
from penstock.plan.cells import Cell
from penstock.runs import wishes
from penstock.runs.campaign import Campaign
from penstock.scenario import params, source
from penstock.scenario.model import Scalar

LAW: Final = "law"
DISCIPLINE: Final = "discipline"
SENDER: Final = "sender"
PEERS: Final = {
    LAW: ("droptail", "fq_codel", "pie", "integral", "penstock"),
    DISCIPLINE: ("droptail", "fq_codel", "pie", "penstock"),
    SENDER: ("cubic", "newreno", "bbr"),
}
ALL_PLACES: Final = (*PLACES, UPSTREAM)
MOST_S: Final = 240.0  # of a judgement, that with its parts it ends within five minutes
MOST_LINKS: Final = verdict.LOOKS[-1]
MOST_SEED: Final = 2**31 - 1
_NOTHING: Final[Mapping[str, Scalar]] = {}
_BULK: Final = "tcp.bulk.congestion"  # of links.draw_link()

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Subject:
    """What is judged, and with what it is compared."""

    name: str
    kind: str  # LAW, DISCIPLINE or SENDER
    peers: Sequence[str]
    places: Sequence[str]
    sets: Mapping[str, Scalar] = field(default_factory=dict)  # its own parameters, by whole keys
    sensitivity: bool = False  # its peers are itself with other constants

    @property
    def everyone(self) -> list[str]:
        """The subject first."""
        return [self.name, *self.peers]


def kind_of(name: str) -> str:
    """What it is; a UsageError with near names if it is none."""
    if (method := params.methods().get(name)) is not None:
        return LAW if method.rewrites else DISCIPLINE
    if name in params.senders():
        return SENDER
    known = [*params.methods(), *params.senders()]
    cure = near(name, known, otherwise="`penstock methods` lists them")
    raise UsageError(f"there is no method or sender {name!r}; {cure}")


def _checked_peers(kind: str, name: str, asked: Sequence[str]) -> list[str]:
    peers = [each for each in asked or PEERS[kind] if each != name or asked]
    for each in peers:
        if each == name:
            raise OptionError("--against", each, "is what is judged; name others")
        if (kind_of(each) == SENDER) != (kind == SENDER):
            other = "a sender" if kind == SENDER else "a method of a gateway"
            raise OptionError("--against", each, f"is not {other}, as {name} is")
    return list(dict.fromkeys(peers))


def _checked_places(kind: str, asked: Sequence[str]) -> list[str]:
    known = ALL_PLACES if kind == LAW else tuple(PLACES)
    for each in asked:
        if each not in ALL_PLACES:
            raise OptionError("--place", each, near(each, ALL_PLACES))
        if each not in known:
            raise OptionError("--place", each, f"only a law acts behind the link, no {kind}")
    return list(dict.fromkeys(asked)) or list(known)


def subject(
    name: str,
    against: Sequence[str] = (),
    places: Sequence[str] = (),
    sets: Mapping[str, Scalar] = _NOTHING,
    *,
    sensitive: bool = False,
) -> Subject:
    """Checks names; a key of `sets` is the subject's, whether or not its name is before it.

    `sensitive`: the peers are the subject with each constant halved and doubled.
    """
    kind = kind_of(name)
    if sensitive:
        return _sensitive(kind, name, against, places, sets)
    if kind == SENDER and sets:
        raise UsageError("--set: only methods of a gateway have parameters here")
    own = {
        key if key.startswith(f"{name}.") else f"{name}.{key}": value for key, value in sets.items()
    }
    wishes.set_params(list(own.items()), [name])
    return Subject(
        name, kind, _checked_peers(kind, name, against), _checked_places(kind, places), own
    )


def _sensitive(
    kind: str,
    name: str,
    against: Sequence[str],
    places: Sequence[str],
    sets: Mapping[str, Scalar],
) -> Subject:
    if against or sets:
        raise UsageError("--sensitivity: its peers and parameters are given; leave out the others")
    peers = [] if kind == SENDER else sensitivity.names(name)
    if not peers:
        raise UsageError(f"--sensitivity: {name} has no constant to halve or double")
    return Subject(name, kind, peers, _checked_places(kind, places), sensitivity=True)


def _cells(text: str, methods: Sequence[str], sets: Mapping[str, Scalar]) -> list[Cell]:
    read = source.parse("a drawn link", text.encode())
    _, plan = wishes.plan(read, wishes.Wishes(methods, seeds=1, sets=sets))
    return plan.cells()


def cells(who: Subject, link: Link) -> list[Cell]:
    """The runs of a link, the subject's first, then those of its peers in their order."""
    if who.sensitivity:
        more = sensitivity.with_variants(link, who.name)
        return _cells(more.behind or more.text, who.everyone, _NOTHING)
    if who.kind == SENDER:
        return [
            cell for name in who.everyone for cell in _cells(link.text, ["droptail"], {_BULK: name})
        ]
    if link.behind:
        ours = _cells(link.behind, [who.name], who.sets)
        return [*ours, *_cells(link.text, who.peers, _NOTHING)]
    return _cells(link.text, who.everyone, who.sets)


@dataclass(frozen=True)
class Against:
    """What the links say of one peer."""

    peer: str
    verdict: str
    columns: Sequence[Compared]

    def describe(self) -> dict[str, Any]:
        """As -j has it."""
        return {
            "peer": self.peer,
            "verdict": self.verdict,
            "columns": {each.column.name: each.describe() for each in self.columns},
        }


@dataclass
class Judged:
    """The whole judgement."""

    subject: Subject
    seed: int
    links: list[Link] = field(default_factory=list)
    figures: dict[str, list[verdict.Figures]] = field(default_factory=dict)  # by name, a link each
    against: Sequence[Against] = ()
    failures: list[str] = field(default_factory=list)  # runs that ended with an error
    parts: Sequence[Part] = ()

    @property
    def dominated_by(self) -> list[str]:
        """Peers that are better in something and worse in nothing."""
        return [each.peer for each in self.against if each.verdict == verdict.DOMINATED]

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        broken = any(part.state == "failed" for part in self.parts)
        return not (self.dominated_by or self.failures or broken)

    @property
    def says(self) -> str:
        """The verdict in a sentence."""
        by: dict[str, list[str]] = {}
        for each in self.against:
            by.setdefault(each.verdict, []).append(each.peer)
        order = (
            *(verdict.DOMINATED, verdict.DOMINATES, verdict.SAME),
            *(verdict.TRADES, verdict.UNDECIDED),
        )
        found = [f"{word} {', '.join(by[word])}" for word in order if word in by]
        count = len(self.figures[self.subject.name])
        return f"{self.subject.name}: {'; '.join(found)} ({count} links)"

    def describe(self) -> dict[str, Any]:
        """As -j has it."""
        return {
            "name": self.subject.name,
            "kind": self.subject.kind,
            "set": dict(self.subject.sets),
            "seed": self.seed,
            "places": list(self.subject.places),
            "links": len(self.figures[self.subject.name]),
            "verdict": self.says,
            "holds": self.holds,
            "against": [each.describe() for each in self.against],
            "parts": [part.describe() for part in self.parts],
            "failures": self.failures,
        }


def _rows(
    who: Subject, links: Sequence[Link], campaign: Campaign, found: Judged
) -> Iterator[tuple[Link, Mapping[str, verdict.Figures]]]:
    """Each link with the figures of all; without those on which a run failed."""
    every = [cells(who, link) for link in links]
    outcomes = campaign.run([cell for each in every for cell in each])
    for link, each in zip(links, every, strict=True):
        rows = [next(outcomes) for _ in each]
        if all(row is not None for _, row in rows):
            kept = (row.columns for _, row in rows if row is not None)
            yield link, dict(zip(who.everyone, map(_figures, kept), strict=True))
    found.failures.extend(f"{cell.label}: {why}" for cell, why in campaign.failures)
    campaign.failures.clear()


def _figures(columns: Mapping[str, Any]) -> dict[str, float | None]:
    return {each.name: columns.get(each.name) for each in verdict.COLUMNS}


def judge(
    who: Subject,
    seed: int,
    workers: int,
    most_links: int = MOST_LINKS,
    most_s: float = MOST_S,
    advance: Advance = lambda _: None,
) -> Judged:
    """Draws links of the series `seed` until each verdict is known, or the links or time end.

    `most_s` bounds the time by the clock: no further look is begun that would end later.
    """
    began = time.monotonic()
    found = Judged(who, seed, figures={name: [] for name in who.everyone})
    looks = [look for look in verdict.LOOKS if look < most_links] + [most_links]
    with Campaign("sim", workers, advance=advance) as campaign:
        for look in looks:
            new = [
                draw_link(seed, number, who.places[number % len(who.places)])
                for number in range(len(found.links), look)
            ]
            found.links.extend(new)
            for _, figures in _rows(who, new, campaign, found):
                for name, each in figures.items():
                    found.figures[name].append(each)
            found.against = [
                Against(peer, verdict.verdict(columns), columns)
                for peer in who.peers
                for columns in [verdict.compare(found.figures[who.name], found.figures[peer])]
            ]
            spent = time.monotonic() - began
            if verdict.decided([each.verdict for each in found.against]) or 2 * spent > most_s:
                break
    return found
