# SPDX-License-Identifier: GPL-2.0-only
"""The report: one file, with what was found, the tables, and the paper's figures."""

import re
from pathlib import Path

import pytest
from lab_support import SMALL, Run

PAPER = """
[paper]
name = "a paper"

[[paper.value]]
figure = "Fig. 1"
source = "section 1"
column = "loss_percent"
method = "ewt"
flows = 3
value = 77.0

[[paper.order]]
figure = "Fig. 2"
source = "section 2"
column = "rewritten_acks"
method = "ewt"
flows = [3]
relation = "highest"
others = ["droptail"]

[[paper.capacity]]
figure = "Fig. 3"
source = "section 3"
method = "ewt"
over = "best"
gain_percent = 50
"""


@pytest.fixture
def page(penstock: Run, tmp_path: Path) -> str:
    (tmp_path / "s.toml").write_text(SMALL + PAPER)
    assert penstock("run", "s.toml", "-o", "out").returncode == 0
    done = penstock("report", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "out/report.html"
    return (tmp_path / "out" / "report.html").read_text()


def test_self_contained(page: str) -> None:
    assert "Plotly.react" in page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page)


def test_says_what_was_found_first(page: str) -> None:
    text = re.sub(r"<[^>]+>", "", page[page.index("<body>") :])
    order = ["With 3 flows and receive windows of 65,535 bytes", "Summary", "Queue over time"]
    order += ["Loss at the gateway", "paper's figures beside ours", "How this came to be"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_differences_are_shown(page: str) -> None:
    rows = re.findall(r"<tr><td>(Fig\. \d)</td>(.*?)</tr>", page, re.DOTALL)
    verdicts = {
        figure: re.findall(r'class="(agrees|differs|not run)"', row) for figure, row in rows
    }
    assert verdicts["Fig. 1"] == ["differs", "differs"]
    assert verdicts["Fig. 2"] == ["agrees", "agrees"]
    assert verdicts["Fig. 3"] == ["not run", "not run"]


def test_same_results_same_page(penstock: Run, page: str, tmp_path: Path) -> None:
    penstock("report", "out")
    assert (tmp_path / "out" / "report.html").read_text() == page


def test_flows_served_have_their_plot(penstock: Run, page: str, tmp_path: Path) -> None:
    assert "Flows served" not in page
    done = penstock("capacity", "s.toml", "--levels", "1", "--receivers", "65535", "-o", "out")
    assert done.returncode == 0, done.stderr
    penstock("report", "out")
    assert "Flows served" in (tmp_path / "out" / "report.html").read_text()


def test_folder_without_results(penstock: Run) -> None:
    done = penstock("report", "nothing")
    assert done.returncode == 78
    assert "no finished results here" in done.stderr
