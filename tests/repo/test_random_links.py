# SPDX-License-Identifier: GPL-2.0-only
"""Links drawn at random are scenarios, and the same ones each time; `make nightly` runs them."""

import re
from pathlib import Path

import polars
import pytest
import random_links

from penstock.api.judge import everyday, links
from penstock.scenario.read import read


@pytest.mark.parametrize("place", [*links.PLACES, links.UPSTREAM])
@pytest.mark.parametrize("number", range(1, 11))
def test_a_drawn_link_is_a_scenario(tmp_path: Path, number: int, place: str) -> None:
    link = links.draw_link(1, number, place)
    file = tmp_path / "s.toml"
    file.write_text(link.behind or link.text)
    assert read(str(file)).scenario.link["bottleneck"].queue
    assert links.draw_link(1, number, place) == link


def _found(**ours: float) -> random_links.Found:
    rows = {
        name: {
            "loss_percent": 0.0,
            "utilisation_percent": 100.0,
            "queue_delay_ms_p99": 5.0,
            "jain": 1.0,
            "timeouts": 0.0,
            "fct_ms_mean": 100.0,
        }
        for name in (*links.OTHERS, links.LAW)
    }
    rows[links.LAW].update(ours)
    return random_links.Found(links.draw_link(1, 1), random_links.figures(rows))


def test_a_law_that_is_level_passes() -> None:
    assert not list(random_links.broken([_found()] * random_links.ENOUGH))


def test_a_link_that_is_behind_fails() -> None:
    found = _found(loss_percent=2 * random_links.LIMITS["loss"])
    (words,) = random_links.broken([found])
    assert words.startswith("1-1-near: loss")


def test_a_mean_that_is_behind_fails() -> None:
    behind = _found(jain=1 - 2 * random_links.MEAN_LIMITS["jain"])
    words = list(random_links.broken([behind] * random_links.ENOUGH))
    assert any(word.startswith("mean jain") for word in words)


def test_a_method_that_is_worse_in_nothing_dominates() -> None:
    assert _found(fct_ms_mean=110.0).dominated_by() == list(links.OTHERS)
    assert not _found(fct_ms_mean=110.0, loss_percent=-1.0).dominated_by()


def test_completion_is_in_parts_of_the_base() -> None:
    found = _found(fct_ms_mean=120.0)
    assert found.figures[links.LAW]["completion"] == pytest.approx(1.2)
    assert random_links.means([found])[random_links.BASE]["completion"] == pytest.approx(1.0)


def test_others_that_no_window_controls_come_beside(tmp_path: Path) -> None:
    plain = links.draw_link(1, 2)
    beside = links.draw_link(1, 2, beside=True)
    file = tmp_path / "s.toml"
    file.write_text(beside.text)
    groups = read(str(file)).scenario.tcp
    assert set(groups) == {"bulk", "other"}
    assert not groups["other"].controlled
    assert plain.text.split("[tcp.")[0] == beside.text.split("[tcp.")[0]


def test_what_a_controlled_flow_has_of_the_mean() -> None:
    counts = {"bulk": 1, "other": 3}
    assert random_links.part_of_fair({"bulk": 1.0, "other": 3.0}, counts) == pytest.approx(0.4)
    assert random_links.part_of_fair({"bulk": 3.0, "other": 1.0}, counts) == 1
    assert random_links.part_of_fair({"bulk": 0.0, "other": 0.0}, counts) == 1


def test_how_often_another_is_better() -> None:
    worse, level = _found(fct_ms_mean=110.0), _found(fct_ms_mean=110.0, loss_percent=-1.0)
    assert random_links.dominated([worse, level])["pie"] == 0.5


def test_a_link_with_a_stream_is_a_scenario(tmp_path: Path) -> None:
    for number in range(1, 6):
        link, part = links.with_stream(1, number, "near")
        file = tmp_path / "s.toml"
        file.write_text(link.text)
        scenario = read(str(file)).scenario
        assert list(scenario.udp) == ["stream"]
        assert links.UNSPARED in scenario.variant
        assert links.STREAM[0] <= part <= links.STREAM[1]


def test_a_stream_that_loses_exceeds_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    link = links.draw_link(1, 1)
    good = random_links.Stream(link, 0.3, (0.1, 60.0), (0.98, 1.0))
    assert not random_links.print_streams([good])
    assert random_links.print_streams([random_links.Stream(link, 0.3, (0.6, 60.0), (1.0, 1.0))])
    assert random_links.print_streams([random_links.Stream(link, 0.3, (0.1, 60.0), (0.9, 1.0))])
    assert "1 of 1 streams lose at most 0.5 %" in capsys.readouterr().out


_EVERYDAY = [(n, place) for n in range(1, 9) for place in everyday.places_of(n)]


@pytest.mark.parametrize(("number", "place"), _EVERYDAY)
def test_an_everyday_link_is_a_scenario(tmp_path: Path, number: int, place: str) -> None:
    for series in range(1, 4):
        link = everyday.draw_everyday(series, number, place)
        file = tmp_path / "s.toml"
        file.write_text(link.text)
        scenario = read(str(file)).scenario
        assert links.CONTROLLED in scenario.tcp
        assert (
            len(scenario.gateway) == (len(scenario.link) - 2) // 3 if link.kind == "series" else 1
        )
        assert everyday.draw_everyday(series, number, place) == link
        assert everyday.draw_everyday(series, number + 8, place).text != link.text


def test_each_kind_is_for_design_and_kept_for_judging() -> None:
    drawn = [everyday.draw_everyday(1, number) for number in range(1, 9)]
    for judging in (True, False):
        assert [each.kind for each in drawn if each.judging is judging] == list(everyday.KINDS)
    assert everyday.places_of(7) == [everyday.NEAR]


@pytest.mark.parametrize("number", range(1, 60, 8))
def test_short_connections_are_within_their_bounds(number: int) -> None:
    link = everyday.draw_everyday(1, number)
    counts = [int(each) for each in re.findall(r"^count = (\d+)$", link.text, re.MULTILINE)]
    sizes = [int(each) for each in re.findall(r'^size = "(\d+)B"$', link.text, re.MULTILINE)]
    rates = re.findall(r'^rate = "(\d+)bit"$', link.text, re.MULTILINE)
    low, high = everyday.CONNECTIONS
    assert low - 1 <= sum(counts) <= 1.3 * high  # users, each for a second and two round trips
    assert all(everyday.SIZES[0] <= size <= everyday.SIZES[1] for size in sizes)
    offered = sum(count * size * 8 for count, size in zip(counts, sizes, strict=True))
    assert 0.03 <= offered / int(rates[0]) <= 0.75


def test_the_worst_of_the_gateways_queues_counts(tmp_path: Path) -> None:
    queues = {
        "method": ["pie"] * 4,
        "gateway": ["one", "two", None, "one"],
        "direction": ["forward", "forward", "forward", "back"],
        "loss_percent": [1.0, 2.0, 3.0, 3.0],
        "utilisation_percent": [90.0, 80.0, 10.0, 10.0],
        "queue_delay_ms_p99": [7.0, 6.0, 8.0, 8.0],
    }
    polars.DataFrame(queues).write_parquet(tmp_path / "queues.parquet")
    worst = {"loss_percent": 2.0, "utilisation_percent": 80.0, "queue_delay_ms_p99": 7.0}
    assert random_links.worst_queues(tmp_path) == {"pie": worst}


def test_everyday_links_are_run_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = [everyday.draw_everyday(1, number) for number in (7, 8)]
    run = [random_links.compare_everyday(link, tmp_path, ["fq_codel"]) for link in drawn]
    again = random_links.compare_everyday(drawn[0], tmp_path, ["fq_codel"])
    assert again.figures == run[0].figures
    base = run[0].figures[random_links.BASE]
    assert (base["completion"], base["completion_p99"], base["download"]) == (1, 1, 1)
    assert run[0].figures[links.LAW]["use"] > 0
    assert not random_links.print_everyday(run)
    printed = capsys.readouterr().out
    for half in ("all: 2", "for design: 1", "kept for judging: 1"):
        assert f"lan, {half} runs" in printed


def test_a_kind_whose_mean_is_behind_fails() -> None:
    limit = random_links.KIND_LIMITS["use"]
    base = {"loss": 1.0, "use": 90.0, "jain": 0.9}
    for behind, failures in ((limit - 1, 0), (limit + 1, 1)):
        table = {random_links.BASE: base, links.LAW: {**base, "use": 90 - behind}}
        assert len(list(random_links.broken_kind(table))) == failures
