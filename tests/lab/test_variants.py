# SPDX-License-Identifier: GPL-2.0-only
"""Variants: the built-in ones, and those that a scenario defines."""

import json
from pathlib import Path

import pytest
from lab_support import SMALL, Run

from penstock import _native
from penstock.errors import UserError
from penstock.plan import hosts
from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.scenario import params
from penstock.scenario.read import read

OWN = """
[variant.ewt_over_red]
base = "ewt"
discipline = "red"
signal = "window"
params = { start_bytes = "9kB", max_p = 0.1 }

[variant.red_hard]
base = "red"
ecn = true
signal = "ecn"
params = { gentle = false, min_th = "2kB", max_th = "4kB" }
"""


def small(folder: Path, more: str) -> str:
    path = folder / "small.toml"
    path.write_text(SMALL + more)
    return str(path)


def rows(penstock: Run, scenario: str, *arguments: str) -> dict[str, dict[str, float]]:
    done = penstock("run", scenario, "-j", "--seeds", "1", "--receivers", "65535", *arguments)
    assert done.returncode == 0, done.stderr
    return {row["method"]: row for row in map(json.loads, done.stdout.splitlines())}


def test_a_law_runs_over_any_discipline(penstock: Run, tmp_path: Path) -> None:
    found = rows(penstock, small(tmp_path, OWN), "-m", "red,ewt,ewt_over_red")
    assert found["ewt_over_red"]["rewritten_acks"] > 0
    assert found["red"]["rewritten_acks"] == 0


def test_a_variant_brings_its_parameters_and_what_it_asks_of_the_hosts(
    penstock: Run, tmp_path: Path
) -> None:
    found = rows(penstock, small(tmp_path, OWN), "-m", "red,red_hard,red_ecn")
    assert found["red_ecn"]["drops"] < found["red"]["drops"]  # marked instead
    assert found["red_hard"]["drops"] != found["red_ecn"]["drops"]


def test_a_variant_says_what_its_hosts_share(tmp_path: Path) -> None:
    own = '[variant.shared]\nbase = "ewt"\nsharing = "efcm"\n'
    scenario = read(small(tmp_path, own)).scenario
    shared, plain = (Cell(scenario, name, "safe", "65535", 1, 1) for name in ("shared", "ewt"))
    tcp = scenario.tcp["bulk"]
    assert [hosts.sender(cell, tcp).sharing for cell in (shared, plain)] == ["efcm", ""]
    with pytest.raises(UserError, match="-m shared: the ns3 backend shares nothing"):
        backends.check_method("ns3", scenario, "shared")


def test_variants_that_differ_at_the_hosts_have_titles_that_differ() -> None:
    titles = [variant.title for variant in params.methods().values() if not variant.ecn]
    assert len(set(titles)) == len(titles)


def test_reports_show_its_label_title_and_colour(penstock: Run, tmp_path: Path) -> None:
    own = OWN.replace('base = "ewt"', 'base = "ewt"\nlabel = "EWT on RED"\ncolour = "#123456"')
    rows(penstock, small(tmp_path, own), "-m", "ewt,ewt_over_red", "-o", "out")
    assert penstock("report", "out").returncode == 0
    page = (tmp_path / "out" / "report.html").read_text()
    ewt, red = (params.methods()[name].title for name in ("ewt", "red"))
    assert f'title="{ewt}, over {red}"' in page
    for text in ("EWT on RED</td>", "#123456", "reserve_bytes = 0B"):
        assert text in page, text


def test_rows_and_reports_name_its_parameters(penstock: Run, tmp_path: Path) -> None:
    scenario = small(tmp_path, OWN)
    for sets in ([], ["--set", "red_hard.max_p=0.5"]):
        found = rows(penstock, scenario, "-m", "red_hard", "-o", "out", *sets)
        assert str(found["red_hard"]["parameters"]).endswith(
            "gentle=false" if not sets else "max_p=0.5 gentle=false"
        )
    assert penstock("report", "out").returncode == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert ">red_hard min_th_bytes=2kB max_th_bytes=4kB max_p=0.5 gentle=false</td>" in page


@pytest.mark.parametrize("name", params.methods())
def test_parameters_as_text_are_what_set_takes(name: str) -> None:
    method = params.methods()[name]
    fields = {param.name: params.default(param, 97_000) or param.min for param in method.params}
    pairs = [pair.split("=") for pair in params.text(method, fields).split()]
    assert params.resolve(method, dict(pairs)) == fields


def test_windows_answer_for_early_events(penstock: Run, tmp_path: Path) -> None:
    found = rows(penstock, small(tmp_path, ""), "-m", "red,red_rwm", "--mode", "literal")
    assert found["red_rwm"]["rewritten_acks"] > 0
    assert found["red_rwm"]["drops"] < found["red"]["drops"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[variant.ewt]\nlaw = "ewa"', "'ewt' is a built-in method; take another name"),
        ('[variant.a]\nbase = "ewtt"', "there is no base 'ewtt'; did you mean 'ewt'"),
        ('[variant.a]\ndiscipline = "rad"', "there is no discipline 'rad'; did you mean 'red'?"),
        ('[variant.a]\nlaw = "red"', "there is no law 'red'"),
        ('[variant.a]\ndiscipline = "kernel:fq_cdel"', "did you mean 'fq_codel'"),
        ('[variant.a]\nsharing = "efcn"', "there is no sharing 'efcn'; did you mean 'efcm'?"),
        ('[variant.a]\nsignal = "mark"', "'drop', 'ecn' or 'window'"),
        ('[variant.a]\nbase = "red"\nparams = { max_pp = 1 }', "did you mean 'max_p'?"),
    ],
)
def test_a_mistake_in_a_variant_is_told(
    penstock: Run, tmp_path: Path, table: str, message: str
) -> None:
    done = penstock("validate", small(tmp_path, table + "\n"))
    assert done.returncode == 78
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_parameter_that_both_parts_have_says_whose_it_is() -> None:
    both = params.compose("both", "ared", "ewa")
    names = [param.name for param in both.params]
    assert {"ared.interval_ns", "ewa.interval_ns"} <= set(names)
    assert "interval_ns" not in names
    assert params.resolve(both, {"ewa.interval": "20ms"}) == {"ewa.interval_ns": 20_000_000}


@pytest.mark.parametrize("law", params.laws())
def test_core_names_the_parameters_of_two_parts_as_users_do(law: str) -> None:
    for discipline in params.disciplines():
        named = {param.name for param in params.compose("both", discipline, law).params}
        assert set(_native.Control(discipline, law, limit_bytes=100_000).params) == named


@pytest.mark.parametrize("verb", ["run", "validate"])
def test_labels_and_ecn_exclude_each_other(penstock: Run, tmp_path: Path, verb: str) -> None:
    text = SMALL.replace('methods = ["droptail", "ewt"]', 'methods = ["droptail", "csfq"]')
    path = tmp_path / "octet.toml"
    path.write_text(text.replace('size = "300kB"', 'size = "300kB"\necn = true'))
    done = penstock(verb, path)
    assert done.returncode == 78
    assert "octet.toml:" in done.stderr
    assert "csfq writes labels into the bits of ECN" in done.stderr
    assert len(done.stderr.splitlines()) == 1
