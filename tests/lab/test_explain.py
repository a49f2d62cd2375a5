# SPDX-License-Identifier: GPL-2.0-only
"""`penstock explain`: the paper's Table 1, and the rules that limit a window."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock.api.questions import surface as surfaces
from penstock.api.questions.explain import LIMITS, Question, explain, with_numbers
from penstock.scenario import params

EWT = {"start_bytes": 30_000}


def ewt(queue: int, **more: Any) -> dict[str, Any]:
    """EWT of Table 1: B = 100 kB, S_t = 30 kB, Wr = 60 kB."""
    return explain(Question("ewt", queue, 60_000, buffer_bytes=100_000, params=EWT, **more))


@pytest.mark.parametrize(
    ("queue", "window"), [(20_000, 60_000), (50_000, 30_000), (80_000, 12_000)]
)
def test_table_1_of_the_ewt_paper(queue: int, window: int) -> None:
    assert ewt(queue)["window_bytes"] == window


def test_rules() -> None:
    assert ewt(20_000)["limited_by"] == "receiver"
    assert ewt(50_000)["limited_by"] == "method"
    full = ewt(100_000)
    assert (full["window_bytes"], full["allowed_bytes"]) == (1448, 1448)
    seen = ewt(50_000, flight_bytes=40_000)
    assert (seen["window_bytes"], seen["limited_by"]) == (40_000, "edge")
    literal = ewt(50_000, flight_bytes=40_000, mode="literal")
    assert (literal["window_bytes"], literal["limited_by"]) == (30_000, "method")
    assert {full["limited_by"], seen["limited_by"]} <= set(LIMITS)


def test_scale_of_a_large_window() -> None:
    answer = explain(Question("ewt", 50_000, 1_000_000, params=EWT))
    scale = answer["inputs"]["window_scale"]
    assert 1_000_000 >> scale <= 65535 < 1_000_000 >> (scale - 1)
    assert answer["window_bytes"] % (1 << scale) == 0
    assert 500_000 <= answer["window_bytes"] < 500_000 + (1 << scale)


def test_formula_with_numbers() -> None:
    assert with_numbers("min(a_b, max(a, b9))", {"a": "1", "a_b": "2", "b9": "3"}) == (
        "min(2, max(1, 3))"
    )
    assert ewt(50_000)["formula_with_numbers"] == (
        "min(60000, max(60000 * (100000 - 0 - 50000) / 100000, 1448)) if 50000 > 30000 else 60000"
    )


def test_every_method_explains_itself(penstock: Run) -> None:
    names = [json.loads(line)["name"] for line in penstock("methods", "-j").stdout.splitlines()]
    for name in names[: names.index("newreno")]:
        answer = explain(Question(name, 50_000, 60_000))
        assert 0 < answer["window_bytes"] <= 60_000
        left = {word for word in answer["formula_with_numbers"].split() if word.endswith("_bytes")}
        assert not left, "every name in the formula has a number"


def test_fewa_shows_its_controller(penstock: Run) -> None:
    """Two rules at once: 20 of 99 packets are short and moderate, by 2/3 and 1/3."""
    sets = ["--set", "buffer_packets=99", "--set", "queue_packets=20", "--window", "1000000"]
    answer = json.loads(penstock("explain", "fewa", *sets, "-j").stdout)
    assert answer["alphas"] == [1, 2, 4, 6, 9, 15]
    assert answer["queue_memberships"] == pytest.approx([0, 2 / 3, 1 / 3, 0, 0, 0], abs=1e-4)
    assert answer["growth_memberships"] == [0, 0, 1, 0, 0]
    assert answer["weights"] == pytest.approx([0, 0, 0, 1 / 3, 2 / 3, 0], abs=1e-4)
    assert answer["window_bytes"] == round(8 * math.log2(99 - 20)) * 1448
    assert penstock("explain", "fewa", *sets, "--all").stdout.count("queue_memberships") == 1


def test_growth_is_from_the_queue_before() -> None:
    """R11: moderate and increasing fast."""
    more = {"buffer_bytes": 148_500, "buffer_packets": 99, "queue_packets": 24}
    answer = explain(Question("fewa", 35_712, 65_535, queue_before_bytes=0, **more))
    assert answer["growth_memberships"][4] == 1
    assert answer["state"]["alpha"] == "4"


def test_fewas_control_surface(penstock: Run, tmp_path: Path) -> None:
    """The ends of Fig. 13.3: 99 segments for an empty queue, one for a full one."""
    surface = surfaces.surface("fewa", 99, 1500)
    still = surface.segments[surface.growths.index(1)]
    assert (still[surface.queues.index(2)], still[surface.queues.index(98)]) == (99, 1)
    assert surface.alphas[-1][0] is None  # an empty queue cannot have grown
    page = tmp_path / "fewa.html"
    assert penstock("explain", "fewa", "--surface", str(page)).returncode == 0
    assert "Sending window" in page.read_text()
    assert penstock("explain", "etcp_1", "--surface", str(page)).returncode == 0
    assert "Control surface of ETCP 1, FEWA" in page.read_text()
    done = penstock("explain", "ewa", "--surface", str(page))
    assert (done.returncode, "only fewa has a control surface" in done.stderr) == (2, True)


def test_command(penstock: Run) -> None:
    arguments = ["--set", "buffer_bytes=100000", "--set", "start_bytes=30000"]
    arguments += ["--queue", "50000", "--window", "60000"]
    answer = json.loads(penstock("explain", "ewt", *arguments, "-j").stdout)
    assert answer["window_bytes"] == 30_000
    text = penstock("explain", "ewt", *arguments).stdout
    assert "60000 * (100000 - 0 - 50000) / 100000" in text
    assert "30000 bytes" in text


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["ewd", "--queue", "1", "--window", "1"], "'ewt'"),
        (["ewt", "--queue", "-1", "--window", "1"], "--queue -1"),
        (["ewt", "--queue", "1", "--window", "9GB"], "cannot carry more than"),
        (["ewt", "--queue", "1", "--window", "1", "--set", "strt=1"], "unknown key"),
        (["ewt", "--queue", "1", "--window", "1", "--set", "buffer_bytes=0"], "out of range"),
        (["fewa", "--set", "buffer_packets=0"], "out of range"),
        (["fewa", "--set", "queue_packets=many"], "out of range"),
        (["sap_law", "--set", "rate=fast"], "--set rate=fast"),
    ],
)
def test_mistakes(penstock: Run, arguments: list[str], hint: str) -> None:
    done = penstock("explain", *arguments)
    assert done.returncode == 2
    assert hint in done.stderr


def value(line: str) -> float:
    """That of a printed formula."""
    known = {"min": min, "max": max, "round": round, "floor": math.floor, "log2": math.log2}
    return float(eval(line, {"__builtins__": {}}, known))


LAWS = [name for name, method in params.methods().items() if method.rewrites]


@pytest.mark.parametrize("name", LAWS)
def test_the_printed_formula_has_the_value_that_is_allowed(name: str) -> None:
    """Also where windows are whole segments, which have a phase, and where numbers are long."""
    chance = random.Random(name)
    for _ in range(40):
        limit = chance.choice([20_000, 60_000, 1_500_000, 80_000_000])
        more: dict[str, int] = {"mss_bytes": chance.choice([536, 1200, 1448, 8948])}
        more["rate_bytes_per_s"] = chance.choice([0, 12_500, 1_250_000, 125_000_000])
        more["rtt_ns"] = chance.choice([0, 400_000, 40_000_000, 300_000_000])
        more["flows"] = chance.choice([1, 2, 4, 17, 300])
        if chance.random() < 0.5:
            more["queue_before_bytes"] = chance.randrange(limit)
        if chance.random() < 0.3:
            more["buffer_packets"] = chance.choice([10, 99, 500])
        window = chance.choice([5000, 60_000, 65_535, 1_000_001, 3_000_000])
        asked = Question(name, chance.randrange(limit), window, buffer_bytes=limit, **more)
        answer = explain(asked)
        assert value(answer["formula_with_numbers"]) == answer["allowed_bytes"], asked


def test_whole_segments_are_told(penstock: Run) -> None:
    sets = ["--set", "buffer_bytes=100000", "--set", "rate=10mbit", "--set", "rtt=40ms"]
    words = [*sets, "--set", "flows=4", "--queue", "30kB", "--window", "65535"]
    for law in ("penstock", "share", "integral"):
        answer = json.loads(penstock("explain", law, *words, "-j").stdout)
        whole = int(answer["state"]["whole_segments"])
        assert abs(whole - float(answer["state"]["segments"])) < 1
        assert answer["formula_with_numbers"] == f"min(65535, {whole} * 1448)"
        assert answer["allowed_bytes"] == whole * 1448
        text = penstock("explain", law, *words).stdout
        assert f"segments = {answer['state']['segments']}" in text
        assert f"whole_segments = {whole}" in text
