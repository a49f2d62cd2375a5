# SPDX-License-Identifier: GPL-2.0-only
"""`penstock judge`: verdicts from paired links, and what it says of bad and of good laws."""

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.api.judge import links, parts, sensitivity, verdict
from penstock.scenario.read import read

Run = Callable[..., subprocess.CompletedProcess[str]]
LEVEL = {
    "loss_percent": 1.0,
    "utilisation_percent": 90.0,
    "queue_delay_ms_p99": 20.0,
    "jain": 0.9,
    "timeouts": 3.0,
    "fct_ms_mean": None,
}
ROOT = Path(__file__).resolve().parents[2]


def rows(count: int = 32, noise: float = 0.0, **less: float) -> list[verdict.Figures]:
    """Figures of links, with what each column has less than LEVEL."""
    draw = random.Random(7)
    return [
        {
            name: None if value is None else value - less.get(name, 0.0) + draw.gauss(0, noise)
            for name, value in LEVEL.items()
        }
        for _ in range(count)
    ]


def says(ours: list[verdict.Figures], theirs: list[verdict.Figures]) -> str:
    return verdict.verdict(verdict.compare(ours, theirs))


def test_who_is_better_in_something_and_worse_in_nothing_dominates() -> None:
    assert says(rows(loss_percent=0.3), rows()) == verdict.DOMINATES
    assert says(rows(), rows(loss_percent=0.3)) == verdict.DOMINATED
    assert says(rows(loss_percent=0.3, utilisation_percent=3), rows()) == verdict.TRADES
    assert says(rows(), rows()) == verdict.SAME


def test_what_is_less_than_a_step_is_the_same() -> None:
    assert says(rows(loss_percent=0.09, jain=0.009), rows()) == verdict.SAME


def test_few_noisy_links_tell_nothing() -> None:
    assert says(rows(8, noise=0.5), rows(8)) == verdict.UNDECIDED


def test_no_single_link_decides() -> None:
    theirs = rows()
    theirs[0] = {**theirs[0], "queue_delay_ms_p99": 1e6}
    (delay,) = (
        each for each in verdict.compare(rows(), theirs) if each.column.name == "queue_delay_ms_p99"
    )
    assert delay.says == verdict.EQUAL
    assert delay.advantage.mean == verdict.MOST_STEPS / 32


def test_completion_is_compared_by_its_ratio_where_both_have_it() -> None:
    times = [100.0, None] * 16
    ours = [{**row, "fct_ms_mean": time} for row, time in zip(rows(), times, strict=True)]
    theirs = [{**row, "fct_ms_mean": 105.0} for row in rows()]
    completion = verdict.compare(ours, theirs)[-1]
    assert completion.column.name == "fct_ms_mean"
    assert (completion.advantage.count, completion.says) == (16, verdict.BETTER)
    assert completion.advantage.mean == pytest.approx(2.44, abs=0.01)


LINKS = ("--links", "16", "--seed", "4", "--only-links", "-j", "--place", "near,middle")


def columns_of(done: subprocess.CompletedProcess[str], says: str) -> list[str]:
    (one,) = json.loads(done.stdout)["against"]
    return [name for name, each in one["columns"].items() if each["says"] == says]


def test_a_law_that_aims_at_an_empty_queue_fails_for_what_it_leaves_unused(penstock: Run) -> None:
    done = penstock(
        *("judge", "penstock", "--set", "target=0B", "--against", "penstock_alone"),
        *LINKS,
        *("--links", "32"),  # delays vary more from link to link than use does
    )
    assert "utilisation_percent" in columns_of(done, "worse")
    assert "queue_delay_ms_p99" in columns_of(done, "better")


def test_a_law_that_never_acts_is_no_better_than_no_law(penstock: Run) -> None:
    done = penstock("judge", "ewt", "--set", "start=1GB", "--against", "droptail", *LINKS)
    found = json.loads(done.stdout)
    assert found["against"][0]["verdict"] == verdict.SAME
    assert found["holds"]
    assert done.returncode == 0


def test_a_seed_gives_the_same_bytes_with_any_workers(penstock: Run) -> None:
    words = ("judge", "share", "--against", "droptail", "--links", "8", "--only-links", "-j")
    first, again, other = (
        penstock(*words, "--seed", seed, "--workers", workers).stdout
        for seed, workers in (("4", "1"), ("4", "3"), ("5", "2"))
    )
    assert first == again != other


def test_seeds_are_drawn_anew_and_told(penstock: Run) -> None:
    words = ("judge", "bbr", "--against", "cubic", "--links", "8", "--place", "near")
    done = penstock(*words, "--only-links")
    told = done.stderr.split("--seed ")[1].split(",")[0]
    assert f"again: penstock judge bbr --seed {told}" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["penstok"], "no method or sender 'penstok'; did you mean 'penstock'"),
        (["ewt", "--against", "bbr"], "--against bbr: is not a method of a gateway, as ewt is"),
        (["bbr", "--against", "ewt"], "--against ewt: is not a sender, as bbr is"),
        (["ewt", "--against", "ewt"], "--against ewt: is what is judged; name others"),
        (["pie", "--place", "upstream"], "--place upstream: only a law acts behind the link"),
        (["ewt", "--place", "there"], "--place there: known: near, middle, far, upstream"),
        (["ewt", "--set", "begin=3"], "--set ewt.begin: unknown key"),
        (["bbr", "--set", "begin=3"], "--set: only methods of a gateway have parameters here"),
        (["ewt", "--sensitivity", "--against", "pie"], "leave out the others"),
        (["bbr", "--sensitivity"], "--sensitivity: bbr has no constant to halve or double"),
        (["ewt", "--links", "3"], "--links 3: must be 8 or more, to tell"),
        (["ewt", "--minutes", "0"], "--minutes 0: must be above 0"),
        (["ewt", "--seed", "0"], "--seed 0: must be 1 .. 2147483647"),
    ],
)
def test_mistakes_are_one_line(penstock: Run, words: list[str], message: str) -> None:
    done = penstock("judge", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_each_constant_is_halved_and_doubled(tmp_path: Path) -> None:
    own = sensitivity.variants("penstock", 97_000)
    assert own["target_ns_half"] == {"target_ns": "2.5ms"}
    assert own["target_half"] == {"target_bytes": "14.55kB"}
    assert own["gain_double"] == {"gain": "0.73575"}
    assert sensitivity.names("penstock") == list(own)
    file = tmp_path / "s.toml"
    for place in ("near", "upstream"):
        more = sensitivity.with_variants(links.draw_link(1, 1, place), "penstock")
        file.write_text(more.behind or more.text)
        assert set(read(str(file)).scenario.variant) == set(own)


def test_a_law_is_judged_beside_itself_with_other_constants(penstock: Run) -> None:
    done = penstock("judge", "ewt", "--sensitivity", *LINKS[:4], "--place", "near", "--only-links")
    assert "ewt: " in done.stdout
    assert "start_half" in done.stdout
    assert "start_double" in done.stdout


def test_proofs_are_found_by_the_methods_name() -> None:
    assert "a_window_of_EWT_is_a_segment_at_least" in parts.proofs_of("ewt", ROOT)
    assert not parts.proofs_of("no_such_law", ROOT)


def test_a_part_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    (tmp_path / "tests" / "prove").mkdir(parents=True)
    assert parts.bounds("ewt", tmp_path).state == parts.SKIPPED
    found = parts.worlds("penstock", 1, tmp_path)
    assert (found.state, "cmake --build" in found.said) == (parts.SKIPPED, True)


def test_a_counterexample_fails(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tests" / "prove").mkdir(parents=True)
    (tmp_path / "tests" / "prove" / "a.cpp").write_text("PROOF(a_window_of_EWT_is_small) {\n")
    script = 'print("FAILED   a_window_of_EWT_is_small: queue_bytes = 7")\nraise SystemExit(1)\n'
    (tmp_path / "tools" / "prove.py").write_text(script)
    found = parts.bounds("ewt", tmp_path)
    assert (found.state, "queue_bytes = 7" in found.said) == (parts.FAILED, True)


def test_the_cost_in_the_kernel_is_that_of_its_first_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "build" / "tests" / "linux" / "gateway" / "gateway_cost"
    program.parent.mkdir(parents=True)
    monkeypatch.setattr(parts.os, "geteuid", lambda: 0)
    rows = "data, IPv4        209 ns\nACK up to the write, IPv4   176 ns\n"
    for printed, code, state, said in (
        (rows + rows.replace("209", "300"), 0, parts.PASSED, "data 209 ns, an ACK 176 ns"),
        ("method: 'pie2' does not run in these programs: use tc", 1, parts.SKIPPED, "does not run"),
        ("R7 is no number", 1, parts.FAILED, "R7 is no number"),
    ):
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{printed}\nEND\nexit {code}\n")
        program.chmod(0o755)
        found = parts.kernel("ewt", tmp_path)
        assert (found.state, said in found.said) == (state, True), found
