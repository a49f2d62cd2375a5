# SPDX-License-Identifier: GPL-2.0-only
"""Links drawn at random are scenarios, and the same ones each time; `make nightly` runs them."""

from pathlib import Path

import pytest
import random_links

from penstock.api.judge import links
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
        link, part = random_links.with_stream(1, number, "near")
        file = tmp_path / "s.toml"
        file.write_text(link.text)
        scenario = read(str(file)).scenario
        assert list(scenario.udp) == ["stream"]
        assert random_links.UNSPARED in scenario.variant
        assert random_links.STREAM[0] <= part <= random_links.STREAM[1]


def test_a_stream_that_loses_exceeds_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    link = links.draw_link(1, 1)
    good = random_links.Stream(link, 0.3, (0.1, 60.0), (0.98, 1.0))
    assert not random_links.print_streams([good])
    assert random_links.print_streams([random_links.Stream(link, 0.3, (0.6, 60.0), (1.0, 1.0))])
    assert random_links.print_streams([random_links.Stream(link, 0.3, (0.1, 60.0), (0.9, 1.0))])
    assert "1 of 1 streams lose at most 0.5 %" in capsys.readouterr().out
