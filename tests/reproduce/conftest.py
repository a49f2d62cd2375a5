# SPDX-License-Identifier: GPL-2.0-only
"""A paper that takes a second to reproduce."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from lab_support import network

from penstock.api.reproduce import papers
from penstock.api.reproduce.papers import Calibration, Guess, Paper, Part

SMALL = f"""\
[scenario]
title = "Small"

[sweep]
methods = ["droptail", "ewt"]
flows = [3, 9]
receivers = ["65535", "30000"]
seeds = 2

{network("60kB")}
[tcp.bulk]
from = "senders"
to = "receivers"
size = "200kB"
start = "0s..1s"

[paper]
name = "small"

[[paper.value]]
figure = "Fig. 1"
source = "page 1"
column = "loss_percent"
method = "droptail"
flows = 9
value = 99.0

[[paper.value]]
figure = "Fig. 4"
source = "page 4: below"
column = "loss_percent"
method = "droptail"
flows = 9
relation = "at most"
value = 99.0

[[paper.value]]
figure = "Fig. 5"
source = "page 5: above"
column = "loss_percent"
method = "droptail"
flows = 9
relation = "at least"
value = 99.0

[[paper.order]]
figure = "Fig. 2"
source = "page 2"
column = "loss_percent"
method = "ewt"
flows = [9]
relation = "lowest"
others = ["droptail"]

[[paper.capacity]]
figure = "Fig. 3"
source = "page 3"
method = "ewt"
over = "droptail"
gain_percent = 1.0
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A paper of one small scenario, and of one whose backend does not exist."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    guess = Guess(what="as printed", receivers=("65535",))
    paper = Paper(
        name="small",
        folder="small",
        title="A small paper",
        document="page.md",
        part=(
            Part(scenario=str(path), methods=("droptail", "ewt"), served=True),
            Part(scenario=str(tmp_path / "other.toml"), methods=("ewt",), backend="abacus"),
        ),
        calibration=Calibration(flows={"small": (1, 2, 3)}, guess=(guess,)),
    )
    monkeypatch.setattr(papers, "PAPERS", {"small": paper})
    return "small"
