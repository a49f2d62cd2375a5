# SPDX-License-Identifier: GPL-2.0-only
"""Each number of a report's sentences, recomputed from the tables that the folder holds."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from lab_support import SMALL, command
from scipy import stats
from test_headline import rows as runs
from test_headline import sentence

GROUPS = SMALL.replace(
    "[sample]",
    '[tcp.small]\nfrom = "senders"\nto = "receivers"\nsize = "30kB"\nstart = "0s..1s"\n\n[sample]',
)
SITUATIONS = {
    "two receivers": (SMALL, ("-m", "droptail,ewt,penstock,share", "-n", "3,16")),
    "without drop-tail": (SMALL, ("-m", "ewt,penstock,red", "-n", "8")),
    "groups": (GROUPS, ("-m", "droptail,red,ewt", "-n", "12", "--receivers", "auto")),
    "one seed": (SMALL, ("-m", "droptail,red", "-n", "12", "--seeds", "1")),
    "many settings": (
        SMALL,
        ("-m", "droptail,ewt", "-n", "4", "--sweep", "link.bottleneck.queue=15kB,20kB,30kB"),
    ),
}


@pytest.fixture(scope="module", params=SITUATIONS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("claims")
    text, words = SITUATIONS[request.param]
    (here / "s.toml").write_text(text)
    seeds = () if "--seeds" in words else ("--seeds", "4")
    done = command("run", "s.toml", *words, *seeds, "-o", "out", cwd=here)
    assert done.returncode == 0, done.stderr
    return here / "out"


def sentences(folder: Path) -> list[dict[str, Any]]:
    done = command("report", str(folder), "-j")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(folder: Path, claim: dict[str, Any], method: str) -> dict[int, float]:
    """The column of a claim by seed, out of the table of runs or of groups."""
    name = "groups" if claim["group"] else "results"
    frame = pl.read_parquet(folder / f"{name}.parquet").filter(pl.col("method") == method)
    for key in ("receivers", "flows", "mode"):
        frame = frame.filter(pl.col(key) == claim[key])
    if claim["group"]:
        frame = frame.filter(pl.col("group") == claim["group"])
    for pair in filter(None, claim["settings"].split(", ")):
        key, _, value = pair.partition("=")
        frame = frame.filter(pl.col(key) == value)
    return dict(zip(frame["seed"], frame[claim["column"]], strict=True))


def check_change(folder: Path, claim: dict[str, Any]) -> None:
    """The margin is that of docs/agreement.md: 3 % of the larger mean."""
    ours, theirs = (values(folder, claim, claim[key]) for key in ("method", "against"))
    by_seed = np.array([ours[seed] - theirs[seed] for seed in ours])
    means = [np.mean([*each.values()]) for each in (ours, theirs)]
    assert claim["value"] == pytest.approx(100 * by_seed.mean() / means[1])
    if len(by_seed) == 1:
        assert claim["what"] == ("same" if by_seed[0] == 0 else "change")
        return
    half = stats.t.ppf(0.975, len(by_seed) - 1) * by_seed.std(ddof=1) / np.sqrt(len(by_seed))
    low, high = by_seed.mean() - half, by_seed.mean() + half
    within = max(-low, high) <= 0.03 * max(means)
    apart = low > 0 or high < 0
    assert claim["what"] == ("change" if apart else "same" if within else "cannot tell")


def check_least(folder: Path, claim: dict[str, Any]) -> None:
    frame = pl.read_parquet(folder / "results.parquet")
    keys = ["receivers", *(name for name in frame.columns if name.startswith("link."))]
    keys = [key for key in keys if frame[key].dtype == pl.String]
    means = frame.group_by([*keys, "method"]).agg(pl.col("loss_percent").mean())
    least = means.filter(pl.col("loss_percent") == pl.col("loss_percent").min().over(keys))
    assert claim["value"] == len(least.filter(pl.col("method") == claim["method"]))


def test_each_number_is_that_of_the_table(folder: Path) -> None:
    found = sentences(folder)
    assert found
    for each in found:
        assert each["from"], each["sentence"]
        for claim in each["from"]:
            if claim["what"] == "mean":
                of_runs = values(folder, claim, claim["method"])
                assert sorted(of_runs) == claim["seeds"]
                assert claim["value"] == pytest.approx(np.mean([*of_runs.values()]))
            elif claim["what"] == "least":
                check_least(folder, claim)
            else:
                check_change(folder, claim)


def test_each_number_of_a_sentence_is_one_of_its_claims(folder: Path) -> None:
    for each in sentences(folder):
        known = {f"{abs(claim['value']):.2g}" for claim in each["from"]}
        text = each["sentence"].replace("95 % intervals", "")
        told = re.findall(r"([\d.e+-]+)(?: to ([\d.e+-]+))? %", text)
        assert {number for pair in told for number in pair if number} <= known


def test_the_page_holds_the_same(folder: Path) -> None:
    assert command("report", str(folder)).returncode == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    held = re.search(r'<script type="application/json" id="claims">(.*?)</script>', page)
    assert held
    assert json.loads(held[1]) == sentences(folder)


def test_methods_that_are_equally_good_are_all_named() -> None:
    base = runs("droptail", [6.0, 7.0, 6.5], [250.0, 251.0, 249.0])
    one = runs("ewt", [0.0, 0.0, 0.0], [240.0, 241.0, 239.0])
    two = runs("penstock", [0.0, 0.0, 0.0], [240.0, 241.0, 239.0])
    for each in two:
        each["goodput_mbps_total"] = 1.02
    found = sentence(base, one, two)
    assert "EWT and penstock lose no packet, where drop-tail loses 6.5 %" in found
    assert "with penstock, of these the one with most goodput, the link carries 2 % more" in found


def test_what_seeds_do_not_tell_apart_is_named_together() -> None:
    base = runs("droptail", [6.0, 7.0, 6.5], [1.0, 1.0, 1.0])
    one, two = runs("ewt", [0.1, 0.3, 0.2], [1, 1, 1]), runs("red", [0.3, 0.1, 0.2], [1, 1, 1])
    assert "EWT and RED lose 0.2 % of the packets" in sentence(base, one, two)
