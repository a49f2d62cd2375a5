# SPDX-License-Identifier: GPL-2.0-only
"""Chapters 7 to 9: what the tables state of one end system, beside what came out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from end_system_expected import LOSS_RATES, STATED, Table

from penstock.results import comparison, judge, stats
from penstock.results.entries import AGREES, CANNOT_TELL, Entry
from penstock.results.judge import Judged, Stated

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
LOSSES, CAME, OPENED = "loss", "newcomers_percent", "connections"
_BACKGROUND_TPO: Final = "tpo_segments_per_s"
_WINDOW: Final = "373760"
_SOURCE: Final = "nis-2004 chapters 8 and 9"
RUNS: Final = 12  # of each scenario: section 8.2
PAPER_S: Final = 250_000  # of each run
_GAINS: Final = ((50.0, "+++"), (20.0, "++"))  # percent; Table 8.18
_CLASSES: Final[Mapping[str, tuple[float, float]]] = {  # what its signs stand for, percent
    "-": (-math.inf, 0.0),
    "+": (0.0, 20.0),
    "++": (20.0, 50.0),
    "+++": (50.0, math.inf),
}


@dataclass(frozen=True)
class Setting:
    """One method on one network."""

    method: str
    rtt_ms: int
    hop: str


@dataclass
class Found:
    """What the runs gave: a value by seed, but where nothing was seen, as in a short run.

    `length`: how many times as long as ours the paper's runs are.
    """

    length: float = 1.0
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


_Values = Mapping[int, float]


def _shared(first: _Values, second: _Values) -> tuple[list[float], list[float]]:
    """Of the seeds that both have."""
    seeds = [seed for seed in first if seed in second]
    return [first[seed] for seed in seeds], [second[seed] for seed in seeds]


def _gain(first: _Values, second: _Values) -> stats.Mean | None:
    """What the second has more, percent."""
    return judge.gain(*_shared(first, second))


def _effect(
    found: Found, first: _Values, second: _Values, stated: Stated, sign: str = ""
) -> Judged:
    """Our gain and the paper's, which has an interval as its number of runs gives."""
    own = judge.own_of_gain(*_shared(first, second), RUNS, found.length)
    return judge.effect(_gain(first, second), replace(stated, half=own), sign)


def _level(found: Found, ours: stats.Mean | None, value: float, digit: float) -> Judged:
    return judge.level(ours, Stated(value, digit, judge.implied(ours, RUNS, found.length)))


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
    add(ALL, OPENED, sums["connections"] * found.length)
    beside = {
        TPO_BESIDE: ("concurrent_segments", "concurrent_s"),
        TPC_BESIDE: ("concurrent_rates_segments_per_s", "concurrent"),
        FAIRNESS: ("fairness", "concurrent_periods"),
    }
    for metric, (part, whole) in beside.items():
        add(ALL, metric, _ratio(sums, part, whole))


_INITIAL: Final = (CWND, SSTHRESH, SRTT, RTTVAR)
_RATE_DIGIT: Final = 5e-7  # half of the last digit of a loss rate
DIGITS: Final[Mapping[str, float]] = {  # and of the others, as the tables print them
    **dict.fromkeys((TPO_NEW, TPC_NEW, TPO_BESIDE, TPC_BESIDE, CWND, SSTHRESH), 0.005),
    **dict.fromkeys((SRTT, RTTVAR), 0.5),
    FAIRNESS: 0.00005,
}


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
        before, after = (pooled(found, setting, metric) for setting in both)
        gain = _gain(before, after)
        paper = 100 * (sum(stated.shared) / sum(stated.standard) - 1)
        digits = 4 if metric == FAIRNESS else 2
        texts = [_listed(row_of, digits) for row_of in (stated.standard, stated.shared)]
        yield _judged(
            _effect(found, before, after, Stated(paper), stated.sign),
            row.hop,
            row.rtt_ms,
            row.name,
            f"{row.method}: {WORDS[metric]}",
            f"{' to '.join(texts)}  {stated.signs}  ({paper:+.1f} %)",
            "none" if gain is None else f"{_interval(gain)} %",
        )
    for metric, begun in row.initial.items():
        what = f"{row.method}: {WORDS[metric]}"
        initial = mean(pooled(found, both[1], metric))
        judged = _level(found, initial, sum(begun) / 3, DIGITS[metric])
        texts = [row.name, what, _listed(begun), _interval(initial)]
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
            judged = _level(found, ours, stated, DIGITS[metric])
            what = f"{STANDARD}: {WORDS[metric]}"
            yield _judged(
                judged, row.hop, row.rtt_ms, row.name, what, f"{stated:.4g}", _interval(ours)
            )
    for hop in HOPS:
        for rtt_ms, stated in zip(RTTS_MS, LOSS_RATES[STANDARD, hop], strict=True):
            ours = mean(found.of(Setting(STANDARD, rtt_ms, hop), ALL, LOSSES))
            judged = _level(found, ours, stated, _RATE_DIGIT)
            what = f"{STANDARD}: loss rate of the bottleneck router"
            yield _judged(judged, hop, rtt_ms, "Table 8.1", what, f"{stated:.6f}", _interval(ours))


def _paid(found: Found, both: Sequence[Setting], rates: Sequence[float]) -> Judged:
    """Whether the method changes what the bottleneck loses as little as in the paper."""
    standard, shared = (found.of(one, ALL, LOSSES) for one in both)
    if standard and shared and not any(standard.values()):
        return Judged(AGREES if not any(shared.values()) else CANNOT_TELL, seeds=len(shared))
    digit = 100 * 2 * _RATE_DIGIT / rates[0]
    return _effect(found, standard, shared, Stated(100 * (rates[1] / rates[0] - 1), digit))


def _losses(found: Found) -> Iterator[Entry]:
    """Tables 8.1 and 9.1, and what is said of the background: nobody pays for the gain."""
    for method, table in ((FS_TCBI, "Table 8.1"), (EFCM, "Table 9.1")):
        for hop in HOPS:
            for index, rtt_ms in enumerate(RTTS_MS):
                both = [Setting(one, rtt_ms, hop) for one in (STANDARD, method)]
                rates = [LOSS_RATES[one.method, hop][index] for one in both]
                ours = [found.mean(one, ALL, LOSSES) for one in both]
                what = f"{method}: losses of the bottleneck router, against standard TCP's"
                texts = table, what, _listed(rates, 6).replace(", ", " to ")
                mine = f"{_number(ours[0], 6)} to {_number(ours[1], 6)}"
                yield _judged(_paid(found, both, rates), hop, rtt_ms, *texts, mine)
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
                judged = judge.together(map(judge.no_worse, parts))
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
            before, after = (pooled(found, setting, metric) for setting in both)
            if sign == "=":
                parts.append(_effect(found, before, after, Stated(0.0)))
            else:
                parts.append(judge.inside(_gain(before, after), *_CLASSES[sign]))
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
    for share in STATED.controllable:
        method, rtt_ms, hop, paper = share.method, share.rtt_ms, share.hop, share.percent
        both = (Setting(one, rtt_ms, hop) for one in (STANDARD, method))  # the paper's is over both
        ours = stats.mean([value for one in both for value in found.of(one, ALL, CAME).values()])
        section = "section 8.2" if method == FS_TCBI else "section 9.2"
        what = f"{method}: new connections that come to others"
        judged = _level(found, ours, paper, 0.05)
        yield _judged(judged, hop, rtt_ms, section, what, f"{paper:.1f} %", f"{_interval(ours)} %")
    for each in STATED.count:
        both = (Setting(one, each.rtt_ms, each.hop) for one in (STANDARD, each.method))
        ours = stats.mean([value for one in both for value in found.of(one, ALL, OPENED).values()])
        section = "section 8.2" if each.method == FS_TCBI else "section 9.2"
        what = f"{each.method}: connections of the end system in a run"
        texts = section, what, f"approximately {each.connections:,.0f}", _interval(ours)
        judged = _level(found, ours, each.connections, each.digit)
        yield _judged(judged, each.hop, each.rtt_ms, *texts)


def _texts(found: Found) -> Iterator[Entry]:
    """What the text says of other round trips than the tables."""
    for each in STATED.text:
        own = Setting(each.method, each.rtt_ms, each.hop)
        values = pooled(found, own, each.metric)
        what = f"{each.method}: {WORDS[each.metric]}"
        if each.value is not None:
            ours = mean(values)
            judged = _level(found, ours, each.value, 0.5)
            texts = each.section, what, f"{each.value:g}", _interval(ours)
        else:
            standard = pooled(found, replace(own, method=STANDARD), each.metric)
            ours = _gain(standard, values)
            middle, half = sum(each.percent) / len(each.percent), max(each.percent)
            half = half - middle + 0.5  # the text rounds to percents
            judged = _effect(found, standard, values, Stated(middle, half))
            paper = " to ".join(f"{percent:+g}" for percent in each.percent)
            texts = each.section, what, f"{paper} %", f"{_interval(ours)} %"
        yield _judged(judged, each.hop, each.rtt_ms, *texts)


def entries(found: Found) -> list[Entry]:
    """All statements."""
    rows = [entry for row in STATED.table for entry in _compared(row, found)]
    rows += _levels(found)
    rows += [*_losses(found), *_shares(found), *_texts(found)]
    return [*rows, *_summaries(found)]
