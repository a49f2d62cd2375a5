# SPDX-License-Identifier: GPL-2.0-only
"""Chapters 7 to 9: what the tables state of one end system, beside what came out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.api.reproduce.papers import Strict
from penstock.api.reproduce.study import expected
from penstock.results import comparison, judge, stats
from penstock.results.entries import AGREES, CANNOT_TELL, Entry
from penstock.results.judge import Judged, Margin

RELIABLE, LOSSY = "reliable", "unreliable"
STANDARD, FS_TCBI, EFCM = "standard TCP", "FS-TCBI", "EFCM"
RTTS_MS: Final = (20, 60, 100, 500)

TPO_NEW, TPC_NEW = "newcomer_tpo_segments_per_s", "newcomer_tpc_segments_per_s"
CWND, SSTHRESH = "newcomer_cwnd_segments", "newcomer_ssthresh_segments"
SRTT, RTTVAR = "newcomer_srtt_ms", "newcomer_rttvar_ms"
TPO_BESIDE, TPC_BESIDE, FAIRNESS = "tpo_concurrent", "tpc_concurrent", "fairness_concurrent"
WORDS: Final[Mapping[str, str]] = {
    TPO_NEW: "TPO of new connections, segments/s",
    TPC_NEW: "TPC of new connections, segments/s",
    CWND: "initial window of new connections, segments",
    SSTHRESH: "initial threshold of new connections, segments",
    SRTT: "initial SRTT of new connections, ms",
    RTTVAR: "initial RTTVAR of new connections, ms",
    TPO_BESIDE: "TPO of concurrent connections, segments/s",
    TPC_BESIDE: "TPC of concurrent connections, segments/s",
    FAIRNESS: "fairness of concurrent connections",
}
METHODS: Final = (STANDARD, FS_TCBI, EFCM)
HOPS: Final[Mapping[str, str]] = {RELIABLE: "0", LOSSY: "0.05"}  # loss of the last hop
TCPS: Final = ("tcp_1", "tcp_2", "tcp_3")
BACKGROUND: Final = ("background_1", "background_2")
ALL: Final = ""  # all three connections together
LOSSES, CAME = "loss", "newcomers_percent"
_BACKGROUND_TPO: Final = "tpo_segments_per_s"
_WINDOW: Final = "373760"
_SOURCE: Final = "nis-2004 chapters 8 and 9"
_GAINS: Final = ((50.0, "+++"), (20.0, "++"))  # percent; Table 8.18
_CLASSES: Final[Mapping[str, tuple[float, float]]] = {  # what its signs stand for, percent
    "-": (-math.inf, 0.0),
    "=": (0.0, 0.0),
    "+": (0.0, 20.0),
    "++": (20.0, 50.0),
    "+++": (50.0, math.inf),
}


class Gain(Strict):
    """A metric with standard TCP and with the method, of three connections or of all together."""

    standard: Sequence[float]
    shared: Sequence[float]
    signs: str

    @property
    def sign(self) -> str:
        """The sign of the test, or of most of three tests, else '='."""
        if len(self.signs) == 1:
            return self.signs
        return next((sign for sign in "+-" if self.signs.count(sign) >= 2), "=")


class Table(Strict):
    """Metrics in one setting, and what new connections begin with."""

    name: str
    method: str
    rtt_ms: int
    hop: str
    values: Mapping[str, Gain]
    initial: Mapping[str, Sequence[float]] = {}


class Rates(Strict):
    """Loss rates of the bottleneck router by RTTS_MS."""

    method: str
    hop: str
    rates: Sequence[float]


class Summary(Strict):
    """The signs of a metric by RTTS_MS."""

    method: str
    hop: str
    metric: str
    signs: str


class Share(Strict):
    """New connections that come to others, percent of all."""

    method: str
    rtt_ms: int
    hop: str
    percent: float


class Stated(Strict):
    """expected.toml."""

    table: Sequence[Table]
    loss_rate: Sequence[Rates]
    summary: Sequence[Summary]
    controllable: Sequence[Share]


STATED: Final = expected(__file__, Stated)
LOSS_RATES: Final = {(each.method, each.hop): each.rates for each in STATED.loss_rate}


@dataclass(frozen=True)
class Setting:
    """One method on one network."""

    method: str
    rtt_ms: int
    hop: str


@dataclass
class Found:
    """What the runs gave: a value by seed, but where nothing was seen, as in a short run."""

    values: dict[tuple[Setting, str, str], dict[int, float]] = field(default_factory=dict)

    def of(self, setting: Setting, group: str, metric: str) -> Mapping[int, float]:
        """The values by seed."""
        return self.values.get((setting, group, metric), {})

    def mean(self, setting: Setting, group: str, metric: str) -> float | None:
        """Their mean."""
        found = mean(self.of(setting, group, metric))
        return found.mean if found else None


def mean(by_seed: Mapping[int, float]) -> stats.Mean | None:
    """The mean over seeds."""
    return stats.mean(list(by_seed.values()))


def _gain(first: Mapping[int, float], second: Mapping[int, float]) -> stats.Mean | None:
    """What the second has more, percent, over the seeds that both have."""
    seeds = [seed for seed in first if seed in second]
    return judge.gain([first[seed] for seed in seeds], [second[seed] for seed in seeds])


def delay(rtt_ms: int) -> str:
    """The delay of the link between the routers that gives the least round trip."""
    return f"{rtt_ms // 2}ms"


def _ratio(sums: Mapping[str, float], part: str, whole: str) -> float | None:
    return sums[part] / sums[whole] if sums[whole] else None


def take(found: Found, setting: Setting, columns: Mapping[str, Any], groups: Sequence[Any]) -> None:
    """What one run says."""

    def add(group: str, metric: str, value: float | None) -> None:
        if value is not None:
            by_seed = found.values.setdefault((setting, group, metric), {})
            by_seed[columns["seed"]] = value

    rows = {group["group"]: group for group in groups}
    for name in TCPS:
        for metric in (TPO_NEW, TPC_NEW, *_INITIAL):
            add(name, metric, rows[name].get(metric))
    for name in BACKGROUND:
        add(name, _BACKGROUND_TPO, rows[name][_BACKGROUND_TPO])
    add(ALL, LOSSES, columns["loss_percent"] / 100)
    sums = {
        key: sum(rows[name][key] for name in TCPS)
        for key in (
            *("newcomers", "connections", "concurrent", "concurrent_segments", "concurrent_s"),
            *("concurrent_rates_segments_per_s", "concurrent_periods"),
        )
    }
    sums["fairness"] = sum(
        (rows[name]["concurrent_fairness"] or 0.0) * rows[name]["concurrent_periods"]
        for name in TCPS
    )
    share = _ratio(sums, "newcomers", "connections")
    add(ALL, CAME, None if share is None else 100 * share)
    beside = {
        TPO_BESIDE: ("concurrent_segments", "concurrent_s"),
        TPC_BESIDE: ("concurrent_rates_segments_per_s", "concurrent"),
        FAIRNESS: ("fairness", "concurrent_periods"),
    }
    for metric, (part, whole) in beside.items():
        add(ALL, metric, _ratio(sums, part, whole))


_INITIAL: Final = (CWND, SSTHRESH, SRTT, RTTVAR)


def _number(value: float | None, digits: int = 2) -> str:
    return "none" if value is None else f"{value:,.{digits}f}"


def _listed(values: Sequence[float | None], digits: int = 2) -> str:
    return ", ".join(_number(value, digits) for value in values)


def _part(hop: str, rtt_ms: int) -> str:
    return f"{hop} last hop, RTT at least {rtt_ms} ms"


def _judged(judged: Judged, hop: str, rtt_ms: int, *texts: str) -> Entry:
    table, what, paper, ours = texts
    return judge.entry(judged, _part(hop, rtt_ms), table, what, _WINDOW, paper, ours, _SOURCE)


def _interval(ours: stats.Mean | None) -> str:
    if ours is None:
        return "none"
    return f"{ours.mean:.4g}" + ("" if ours.half is None else f" ± {ours.half:.2g}")


def _compared(row: Table, found: Found) -> Iterator[Entry]:
    """What the method changes of standard TCP's, in percent of it, and what it begins with."""
    both = [Setting(method, row.rtt_ms, row.hop) for method in (STANDARD, row.method)]
    for metric, stated in row.values.items():
        gain = _gain(*(pooled(found, setting, metric) for setting in both))
        paper = 100 * (sum(stated.shared) / sum(stated.standard) - 1)
        digits = 4 if metric == FAIRNESS else 2
        texts = [_listed(values, digits) for values in (stated.standard, stated.shared)]
        yield _judged(
            judge.effect(gain, paper, stated.sign),
            row.hop,
            row.rtt_ms,
            row.name,
            f"{row.method}: {WORDS[metric]}",
            f"{' to '.join(texts)}  {stated.signs}  ({paper:+.1f} %)",
            "none" if gain is None else f"{_interval(gain)} %",
        )
    for metric, values in row.initial.items():
        what = f"{row.method}: {WORDS[metric]}"
        initial = mean(pooled(found, both[1], metric))
        judged = judge.level(initial, sum(values) / 3, Margin(judge.LEVEL))
        texts = [row.name, what, _listed(values), _interval(initial)]
        yield _judged(judged, row.hop, row.rtt_ms, *texts)


def _levels(found: Found) -> Iterator[Entry]:
    """What standard TCP reaches, which the paper's tables repeat for each method."""
    seen = set()
    for row in STATED.table:
        setting = Setting(STANDARD, row.rtt_ms, row.hop)
        for metric, values in row.values.items():
            if (setting, metric) in seen:
                continue
            seen.add((setting, metric))
            stated = sum(values.standard) / len(values.standard)
            ours = mean(pooled(found, setting, metric))
            factor = judge.QUEUE if metric == FAIRNESS else judge.LEVEL
            judged = judge.level(ours, stated, Margin(factor))
            what = f"{STANDARD}: {WORDS[metric]}"
            yield _judged(
                judged, row.hop, row.rtt_ms, row.name, what, f"{stated:.4g}", _interval(ours)
            )
    for hop in HOPS:
        for rtt_ms, stated in zip(RTTS_MS, LOSS_RATES[STANDARD, hop], strict=True):
            ours = mean(found.of(Setting(STANDARD, rtt_ms, hop), ALL, LOSSES))
            judged = judge.level(ours, stated, Margin(judge.LOSSES, precision=5e-7))
            what = f"{STANDARD}: loss rate of the bottleneck router"
            yield _judged(judged, hop, rtt_ms, "Table 8.1", what, f"{stated:.6f}", _interval(ours))


def _paid(found: Found, both: Sequence[Setting]) -> Judged:
    """Whether the bottleneck loses no more with the method than with standard TCP."""
    standard, shared = (found.of(one, ALL, LOSSES) for one in both)
    if standard and shared and not any(standard.values()):
        return Judged(AGREES if not any(shared.values()) else CANNOT_TELL, seeds=len(shared))
    return judge.between(_gain(standard, shared), -math.inf, 0.0)


def _losses(found: Found) -> Iterator[Entry]:
    """Tables 8.1 and 9.1, and what is said of the background: nobody pays for the gain."""
    for method, table in ((FS_TCBI, "Table 8.1"), (EFCM, "Table 9.1")):
        for hop in HOPS:
            for index, rtt_ms in enumerate(RTTS_MS):
                both = [Setting(one, rtt_ms, hop) for one in (STANDARD, method)]
                rates = [LOSS_RATES[one.method, hop][index] for one in both]
                ours = [found.mean(one, ALL, LOSSES) for one in both]
                what = f"{method}: losses of the bottleneck router, no more than standard TCP's"
                texts = table, what, _listed(rates, 6).replace(", ", " to ")
                mine = f"{_number(ours[0], 6)} to {_number(ours[1], 6)}"
                yield _judged(_paid(found, both), hop, rtt_ms, *texts, mine)
                parts = [
                    _gain(*(found.of(one, name, _BACKGROUND_TPO) for one in both))
                    for name in BACKGROUND
                ]
                what = f"{method}: background throughput, segments/s"
                means = " and ".join(
                    " to ".join(_number(found.mean(one, name, _BACKGROUND_TPO)) for one in both)
                    for name in BACKGROUND
                )
                section = "section 8.2" if method == FS_TCBI else "section 9.2"
                judged = judge.together(judge.between(part, 0.0, math.inf) for part in parts)
                texts = section, what, "not negatively affected"
                yield _judged(judged, hop, rtt_ms, *texts, means)


def pooled(found: Found, setting: Setting, metric: str) -> Mapping[int, float]:
    """By seed; of the new connections, the mean of all three, which short runs lack."""
    if metric not in (TPO_NEW, TPC_NEW, *_INITIAL):
        return found.of(setting, ALL, metric)
    by_tcp = [found.of(setting, name, metric) for name in TCPS]
    seeds = [seed for seed in by_tcp[0] if all(seed in one for one in by_tcp)]
    return {seed: sum(one[seed] for one in by_tcp) / 3 for seed in seeds}


def summary(found: Found, method: str, rtt_ms: int, hop: str, metric: str) -> str:
    """A sign of Table 8.18: '-', '=', or how large a significant gain is."""
    both = [Setting(one, rtt_ms, hop) for one in (STANDARD, method)]
    standard, shared = (list(pooled(found, setting, metric).values()) for setting in both)
    test = comparison.sign(standard, shared)
    if test != "+":
        return test
    gain = 100 * (sum(shared) / len(shared) / (sum(standard) / len(standard)) - 1)
    return next((signs for least, signs in _GAINS if gain >= least), "+")


def _summaries(found: Found) -> Iterator[Entry]:
    for each in STATED.summary:
        method, hop, metric, paper = each.method, each.hop, each.metric, each.signs.split()
        ours = [summary(found, method, rtt_ms, hop, metric) for rtt_ms in RTTS_MS]
        parts = []
        for rtt_ms, sign in zip(RTTS_MS, paper, strict=True):
            both = [Setting(one, rtt_ms, hop) for one in (STANDARD, method)]
            gain = _gain(*(pooled(found, setting, metric) for setting in both))
            parts.append(judge.between(gain, *_CLASSES[sign]))
        yield judge.entry(
            judge.together(parts),
            f"{hop} last hop, RTT at least 20, 60, 100, 500 ms",
            "Table 8.18" if method == FS_TCBI else "Table 9.18",
            f"{method}: {WORDS[metric].split(',')[0]}",
            _WINDOW,
            ", ".join(paper),
            ", ".join(ours),
            _SOURCE,
        )


def _shares(found: Found) -> Iterator[Entry]:
    for each in STATED.controllable:
        method, rtt_ms, hop, paper = each.method, each.rtt_ms, each.hop, each.percent
        both = (Setting(one, rtt_ms, hop) for one in (STANDARD, method))  # the paper's is over both
        ours = stats.mean([value for one in both for value in found.of(one, ALL, CAME).values()])
        section = "section 8.2" if method == FS_TCBI else "section 9.2"
        what = f"{method}: new connections that come to others"
        judged = judge.level(ours, paper, Margin(judge.LEVEL, precision=0.05))
        yield _judged(judged, hop, rtt_ms, section, what, f"{paper:.1f} %", f"{_interval(ours)} %")


def entries(found: Found) -> list[Entry]:
    """All statements."""
    rows = [entry for row in STATED.table for entry in _compared(row, found)]
    rows += _levels(found)
    return [*rows, *_losses(found), *_shares(found), *_summaries(found)]
