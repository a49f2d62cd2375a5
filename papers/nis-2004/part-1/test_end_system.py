# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce nis-2004-part-1`: the tables on made-up values, and its runs."""

from pathlib import Path

import pytest

from penstock.api.reproduce.runs import Runs
from penstock.api.reproduce.study import module
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN, Entry
from penstock.runs.wishes import Wishes
from penstock.scenario.read import read

FOLDER = "nis-2004/part-1"
end_system, paper = (module(FOLDER, name) for name in ("end_system", "end_system_stated"))
EFCM, FS_TCBI, STANDARD = paper.EFCM, paper.FS_TCBI, paper.STANDARD
LOSSY, RELIABLE = paper.LOSSY, paper.RELIABLE
NEW = [row for row in paper.STATED.table if row.initial]
BESIDE = [row for row in paper.STATED.table if not row.initial]

SPREAD = (-1e-6, 0.0, 1e-6)


def set_values(
    found: paper.Found, place: tuple[str, int, str], name: str, metric: str, value: float
) -> None:
    found.values[paper.Setting(*place), name, metric] = {
        seed: value + d for seed, d in enumerate(SPREAD)
    }


def as_printed() -> paper.Found:
    """Runs whose means are the tables'."""
    found = paper.Found()
    for row in NEW:
        for metric, gain in row.values.items():
            standard, shared = gain.standard, gain.shared
            for index, name in enumerate(paper.TCPS):
                place = row.rtt_ms, row.hop
                set_values(found, (STANDARD, *place), name, metric, standard[index])
                set_values(found, (row.method, *place), name, metric, shared[index])
        for metric, values in row.initial.items():
            for name, value in zip(paper.TCPS, values, strict=True):
                set_values(found, (row.method, row.rtt_ms, row.hop), name, metric, value)
    for one in BESIDE:
        for metric, gain in one.values.items():
            (before,), (after,) = gain.standard, gain.shared
            place = one.rtt_ms, one.hop
            set_values(found, (STANDARD, *place), paper.ALL, metric, before)
            set_values(found, (one.method, *place), paper.ALL, metric, after)
    return found


def entry(found: paper.Found, figure: str, what: str) -> Entry:
    every = [e for e in paper.entries(found) if e.figure == figure and what in e.what]
    (one,) = (e for e in every if len(every) == 1 or e.verdict not in (NOT_RUN, CANNOT_TELL))
    return one


def test_the_tables_are_whole() -> None:
    assert {row.name for row in NEW} | {row.name for row in BESIDE} == {
        f"Table {chapter}.{n}" for chapter in (8, 9) for n in (2, 3, 4, 5, 10, 11, 12, 13)
    }
    for each in paper.STATED.summary:
        assert len(each.signs.split()) == len(paper.RTTS_MS)
        assert set(each.signs.split()) <= {"-", "=", "+", "++", "+++"}
    assert len(paper.STATED.summary) == 20


def test_values_as_printed_agree() -> None:
    rows = [e for e in paper.entries(as_printed()) if e.figure in ("Table 8.2", "Table 9.13")]
    assert {e.verdict for e in rows} == {AGREES}
    assert len(rows) == 6 + 3 + 2  # and the levels of standard TCP
    one = entry(as_printed(), "Table 9.2", "EFCM: TPO of new")
    assert one.paper.endswith("=--  (-3.9 %)")
    assert one.ours.startswith("-3.9 ± ")


def test_counts_and_what_the_text_says_of_other_round_trips_are_judged() -> None:
    found = as_printed()
    for method in (STANDARD, FS_TCBI):
        set_values(found, (method, 100, RELIABLE), paper.ALL, paper.OPENED, 21_930.0)
    counted = entry(found, "section 8.2", "connections of the end system")
    assert (counted.paper, counted.verdict) == ("approximately 21,900", AGREES)
    for name in paper.TCPS:
        set_values(found, (STANDARD, 500, RELIABLE), name, paper.TPO_NEW, 10.0)
    for gain, word in ((1.334, AGREES), (1.50, DIFFERS), (1.20, DIFFERS)):
        for name in paper.TCPS:
            set_values(found, (EFCM, 500, RELIABLE), name, paper.TPO_NEW, 10.0 * gain)
        one = entry(found, "section 9.7", "EFCM: TPO of new")
        assert (one.paper, one.verdict) == ("+33 %", word)


def test_another_order_differs() -> None:
    found = as_printed()
    set_values(found, (EFCM, 100, LOSSY), paper.ALL, paper.FAIRNESS, 0.5)
    assert entry(found, "Table 9.13", "fairness").verdict == DIFFERS
    set_values(found, (EFCM, 100, LOSSY), "tcp_1", paper.CWND, 40.0)
    assert entry(found, "Table 9.12", "initial window").verdict == DIFFERS


def test_gains_are_of_the_seeds_that_both_have() -> None:
    found, place = as_printed(), (100, LOSSY)
    for method, by_seed in ((STANDARD, {1: 10.0, 2: 20.0}), (EFCM, {2: 22.0, 3: 33.0})):
        found.values[paper.Setting(method, *place), paper.ALL, paper.FAIRNESS] = by_seed
    assert entry(found, "Table 9.13", "EFCM: fairness").ours == "10 %"


def test_signs_say_how_large_a_gain_is() -> None:
    found = paper.Found()
    place = 100, RELIABLE
    for gain, sign in ((0.9, "-"), (1.0, "="), (1.1, "+"), (1.3, "++"), (1.6, "+++")):
        set_values(found, (STANDARD, *place), paper.ALL, paper.TPO_BESIDE, 10.0)
        set_values(found, (FS_TCBI, *place), paper.ALL, paper.TPO_BESIDE, 10.0 * gain)
        assert paper.summary(found, FS_TCBI, *place, paper.TPO_BESIDE) == sign


def test_losses_of_more_aggressive_senders_differ() -> None:
    found = paper.Found()
    for method, rate in ((STANDARD, 0.003263), (FS_TCBI, 0.003273), (EFCM, 0.004)):
        set_values(found, (method, 20, RELIABLE), paper.ALL, paper.LOSSES, rate)
    rows = {
        (e.figure, e.part): e.verdict for e in paper.entries(found) if "bottleneck router" in e.what
    }
    part = "reliable last hop, RTT at least 20 ms"
    assert rows["Table 8.1", part] == AGREES
    assert rows["Table 9.1", part] == DIFFERS


def test_its_runs_are_kept_and_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_system, "_QUICK_S", 100)
    runner = end_system.Runner(tmp_path, workers=1, seeds="2", quick=True)
    found = runner.everything()
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("cells/*.json")}
    assert len(times) == len(paper.METHODS) * len(paper.RTTS_MS) * len(paper.HOPS) * 2
    for method in paper.METHODS:
        for hop in paper.HOPS:
            for rtt_ms in paper.RTTS_MS:
                setting = paper.Setting(method, rtt_ms, hop)
                assert len(found.of(setting, paper.ALL, paper.LOSSES)) == 2
                assert all(
                    found.of(setting, name, "tpo_segments_per_s") for name in paper.BACKGROUND
                )
    slow, fast = (
        found.mean(paper.Setting(STANDARD, rtt, LOSSY), "background_1", "tpo_segments_per_s")
        for rtt in (500, 20)
    )
    assert slow is not None
    assert fast is not None
    assert fast > 2 * slow
    assert len(list(end_system.plots(found))) == 10
    assert runner.everything().values == found.values
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_a_length_that_is_asked_for_replaces_that_of_the_quick_form(tmp_path: Path) -> None:
    for sets, seconds in (((), 2_500), (("time.limit=100s",), 100)):
        runner = end_system.Runner(tmp_path, workers=1, seeds="1", quick=True, sets=sets)
        cells = [cell for _, every in runner.work() for cell in every]
        assert {cell.scenario.time.limit for cell in cells} == {seconds * 10**9}


def test_windows_are_not_held_to_the_first_threshold() -> None:
    """Newcomers begin with the mean of 3 segments and of the windows of two others at most."""
    held = 44
    assert max(max(row.initial[paper.CWND]) for row in NEW) > (2 * held + 3) / 3
    scenario = read("nis-2004/part-1/end-system").scenario
    assert not any(group.hold_cwnd for group in scenario.tcp.values())
    assert all(int(size) > held * 1460 for size in scenario.sweep.receivers)


def test_stations_of_both_lans_send_as_those_of_ns2() -> None:
    links = read("nis-2004/part-1/end-system").scenario.link
    for name in ("first_hop", "background_hop", "last_hop"):
        lan = links[name]
        assert (lan.rate, lan.overhead, lan.queue_packets) == (2_000_000, 64, 49)
        assert lan.cut_through


def test_newcomers_of_a_lossy_lan_find_the_papers_round_trip(tmp_path: Path) -> None:
    """Of 20 ms at least it has 36, which packets that arrive by their last bit exceed."""
    runner = end_system.Runner(tmp_path, workers=1, seeds="2", quick=True)
    given = "time.limit=4000s", "link.core.delay=10ms", "link.last_hop.loss=0.05"
    found = {}
    for cut in ("true", "false"):
        sets = [f"link.{lan}.cut_through={cut}" for lan in ("first_hop", "last_hop")]
        wishes = Wishes(seeds="2", sets=(*given, *sets, *end_system.sharing(FS_TCBI)))
        rows = runner.rows(Runs(f"{FOLDER}/end-system", wishes, tmp_path / cut))
        groups = [group for row in rows for group in row.groups if group["group"] in paper.TCPS]
        found[cut] = sum(group[paper.SRTT] for group in groups) / len(groups)
    assert found["true"] == pytest.approx(36, rel=0.1)
    assert found["false"] > 1.15 * found["true"]
