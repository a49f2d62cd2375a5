# SPDX-License-Identifier: GPL-2.0-only
"""Links drawn at random are scenarios, and the same ones each time; `make nightly` runs them."""

from pathlib import Path

import pytest
import random_links

from penstock.scenario.read import read


@pytest.mark.parametrize("number", range(1, 21))
def test_a_drawn_link_is_a_scenario(tmp_path: Path, number: int) -> None:
    link = random_links.draw_link(1, number)
    file = tmp_path / "s.toml"
    file.write_text(link.text)
    assert read(str(file)).scenario.link["bottleneck"].queue
    assert random_links.draw_link(1, number) == link


def test_a_link_that_is_behind_fails(capsys: pytest.CaptureFixture[str]) -> None:
    link = random_links.draw_link(1, 1)
    behind = dict.fromkeys(random_links.LIMITS, 0.0)
    assert not list(random_links.broken([random_links.Found(link, behind)]))
    behind["loss"] = 2 * random_links.LIMITS["loss"]
    (words,) = random_links.broken([random_links.Found(link, behind)])
    assert words.startswith("1-1: loss")
    assert "mean loss" in capsys.readouterr().out
