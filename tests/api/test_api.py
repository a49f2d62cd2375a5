# SPDX-License-Identifier: GPL-2.0-only
"""`import penstock as ps`: the same runs as the command's, and nothing loaded before its use."""

import doctest
import importlib
import json
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import penstock as ps
from penstock.errors import ConfigError, Exit, UsageError, UserError
from penstock.scenario.read import read

LINK = ps.link(rate="10mbit", rtt="40ms", buffer="30kB", size="200kB", flows=3, window=65535)
ROOT = Path(__file__).parents[2]


def test_the_site_refers_to_every_name() -> None:
    page = runpy.run_path(str(ROOT / "tools" / "api_reference.py"))["text"]()
    listed = re.findall(r"^## (\S+)\n\n::: penstock\.api\.(\w+)\.(\w+)$", page, re.MULTILINE)
    assert len(listed) == page.count(":::") == page.count("## ")
    for name, module, place in listed:
        found = getattr(importlib.import_module(f"penstock.api.{module}"), place)
        if name.startswith("ps."):
            assert getattr(ps, name.removeprefix("ps.")) is found
        else:
            assert name == "results.plot"
            assert isinstance(ps.Results.plot.fget(None), found)
    named = {name.removeprefix("ps.") for name, _, _ in listed}
    assert named == {*ps.__all__} - {"__version__"} | {"results.plot"}


@pytest.mark.parametrize(
    "name",
    ["", ".advice", ".answers", ".links", ".models", ".play", ".results", ".traces"],
)
def test_examples_in_the_documentation(name: str) -> None:
    module = importlib.import_module(f"penstock.api{name}")
    # A line that goes on keeps the indentation that the site's reader asks for.
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted
    assert not found.failed


def _loaded(code: str) -> set[str]:
    """The top-level modules that a program has loaded at its end."""
    print_them = "import sys, json; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    program = f"{code}\n{print_them}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


HEAVY = {"polars", "numpy", "scipy", "pydantic", "plotly", "matplotlib", "jinja2", "distributed"}


@pytest.mark.parametrize("code", ["import penstock", "import penstock; penstock.__version__"])
def test_nothing_heavy_is_loaded_for_a_version(code: str) -> None:
    assert not HEAVY & _loaded(code)


def test_the_names_are_there() -> None:
    assert {"link", "run", "load", "explain", "capacity", "__version__"} <= set(dir(ps))
    with pytest.raises(AttributeError, match="frobnicate"):
        ps.frobnicate  # noqa: B018


def test_runs_are_those_of_the_command(tmp_path: Path) -> None:
    path = LINK.save(tmp_path / "link.toml")
    found = ps.run(LINK, ["droptail", "ewt"], flows=[2, 3], seeds=2, workers=1)
    of_file = ps.run(path, ["droptail", "ewt"], flows="2-3", seeds=[1, 2], workers=1)
    plain = found.frame.drop("wall_s")
    assert plain.equals(of_file.frame.drop("wall_s"))
    assert len(found) == len(plain) == 8
    command = [sys.executable, "-m", "penstock", "run", str(path), "-j", "-m", "droptail,ewt"]
    done = subprocess.run(
        [*command, "-n", "2,3", "--seeds", "2"], capture_output=True, text=True, check=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["goodput_mbps"] for row in rows] == plain["goodput_mbps"].to_list()
    assert "<table" in found._repr_html_()
    assert repr(found) == "<Results of 8 runs: droptail, ewt>"


def test_a_link_is_no_text_that_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("penstock.scenario.draft.Draft.text")
    link = ps.link(rate="5mbit", rtt="100ms", up="1mbit", udp="500kbit", window=65535, hosts="2004")
    bottleneck = link.scenario.link["bottleneck"]
    assert (bottleneck.rate, bottleneck.back.rate) == (5_000_000, 1_000_000)
    assert bottleneck.delay.first_ns == 50_000_000
    assert link.scenario.udp["background"].rate == 500_000
    found = ps.run(link, "ewt", flows=1, seeds=1, set={"tcp.bulk.size": "10kB"}, workers=1)
    assert len(found) == 1


def test_values_stay_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("penstock.scenario.source._toml_value")
    monkeypatch.delattr("penstock.scenario.axes.split")
    monkeypatch.delattr("penstock.scenario.axes.pairs")
    found = ps.run(
        LINK, "ewt", flows=[1, 2], seeds=[4], workers=1,
        set={"tcp.bulk.hystart": False, "ewt.start_bytes": 5000},
        sweep={"tcp.bulk.initial_window": [3, 10]},
    )  # fmt: skip
    assert found.frame["tcp.bulk.initial_window"].to_list() == ["3", "3", "10", "10"]
    assert found.frame["seed"].to_list() == [4] * 4
    assert found.about["scenario"]["setup"]["tcp"]["bulk"]["hystart"] is True, "set in the cells"
    assert set(found.frame["tcp.bulk.hystart"]) == {"false"}


def test_a_saved_link_is_the_same_scenario(tmp_path: Path) -> None:
    link = ps.link(rate="7mbit", udp="123456bit", up="77kbit", title='a "b" # c', hosts="2004")
    assert read(str(link.save(tmp_path / "link.toml"))).scenario == link.scenario


def test_results_are_kept_and_loaded(tmp_path: Path) -> None:
    sweep = {"link.bottleneck.delay": ["5ms", "20ms"]}
    found = ps.run(LINK, "ewt", seeds=1, sweep=sweep, output=tmp_path / "out")
    again = ps.load(tmp_path / "out")
    assert again.frame.equals(found.frame)
    assert again.flows.equals(found.flows)
    assert again.series.equals(found.series)
    assert again.frame["link.bottleneck.delay"].to_list() == ["5ms", "20ms"]
    for name in ("flows", "series"):
        assert pl.read_parquet(tmp_path / "out" / f"{name}.parquet").equals(getattr(found, name))


def test_flows_and_series_are_those_of_the_runs() -> None:
    found = ps.run(LINK, "droptail", seeds=2, workers=1)
    by_run = found.flows.group_by("seed", maintain_order=True).agg(
        pl.len(), pl.col("transfer_s").mean(), pl.col("timeouts").sum()
    )
    assert by_run["len"].to_list() == [3, 3]
    assert by_run["transfer_s"].to_list() == pytest.approx(found.frame["transfer_s"].to_list())
    assert by_run["timeouts"].to_list() == found.frame["timeouts"].to_list()
    assert set(found.series["seed"]) == {1}, "the first seed is sampled"
    assert found.series["queue_bytes"].max() <= 30_000
    assert found.series["cwnd_bytes"].list.len().to_list() == [1] * len(found.series)


def test_a_precision_is_reached() -> None:
    found = ps.run(LINK, "ewt", precision="25%", workers=1)
    (row,) = found.summary(columns=["goodput_mbps"]).rows(named=True)
    half, mean = row["goodput_mbps_half"], row["goodput_mbps"]
    assert "loss_percent" not in row
    assert half <= 0.25 * mean


def test_questions() -> None:
    assert ps.explain("droptail", window=5000).window_bytes == 5000
    served = ps.capacity(LINK, ["droptail"], levels=[1, 5], seeds=1, most=6, workers=1)
    assert served["level_percent"].to_list() == [1.0, 5.0]
    one, five = served["flows"].to_list()
    assert one is not None
    assert five is None or five >= one


def test_a_decision_is_that_of_the_command() -> None:
    seen: dict[str, str | float] = {"buffer_packets": 99, "queue_packets": 24, "mss": 1000}
    seen |= {"queue_before": "5kB", "rate": "8mbit", "rtt": "50ms", "flows": 3}
    own: dict[str, str | float] = {"packet_bytes": 1040}
    found = ps.explain("fewa", window=1_000_000, flight="9kB", scale=6, **seen, **own)
    command = [sys.executable, "-m", "penstock", "explain", "fewa", "-j", "--window", "1MB"]
    command += ["--flight", "9kB", "--scale", "6"]
    command += [word for key, given in (seen | own).items() for word in ("--set", f"{key}={given}")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == found.answer
    inputs = {"queue_bytes": 24 * 1040, "buffer_bytes": 99 * 1040, "queue_before_bytes": 5000}
    inputs |= {"rate_bytes_per_s": 1_000_000, "rtt_ns": 50_000_000}
    assert inputs.items() <= found["inputs"].items()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rtt": "soon"}, "^rtt='soon': 'soon' is not a time"),
        ({"buffer": 0}, "^buffer=0: out of range; from 1 to"),
        ({"flows": 2.5}, "^flows='2.5': out of range; from 1 to"),
        ({"strt_bytes": 1}, "^strt_bytes: unknown key; did you mean 'start_bytes'"),
        ({"queue": -1}, "^queue=-1: '-1' is negative"),
    ],
)
def test_mistakes_about_an_ack(given: dict[str, str | float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ps.explain("ewt", **given)


def test_a_recommendation_is_that_of_the_command(tmp_path: Path) -> None:
    path = LINK.save(tmp_path / "link.toml")
    found = ps.recommend(LINK, "ewt", seeds=3, device="wan0", workers=1)
    command = [sys.executable, "-m", "penstock", "recommend", str(path), "-j", "-m", "ewt"]
    done = subprocess.run(
        [*command, "--seeds", "3", "--dev", "wan0"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == found.describe()
    grid = found.grid()
    assert grid.headers == ["method", "loss %", "p99 delay ms", "goodput Mbit/s"]
    assert [row[0] for row in grid.rows][: 1 + len(found.equal)] == [found.method, *found.equal]
    assert {row[0] for row in grid.rows} == set(found.describe()["methods"])
    with pytest.raises(UsageError, match="methods='codel': penstock-gw cannot attach it"):
        ps.recommend(LINK, "codel", seeds=3)
    with pytest.raises(UsageError, match="device='a b': a device has 1 to 15 characters"):
        ps.recommend(LINK, device="a b")


@pytest.mark.parametrize("kind", ["queue", "window", "bars", "loss", "cdf"])
def test_figures(kind: str, tmp_path: Path) -> None:
    found = ps.run(LINK, ["droptail", "ewt"], flows=[2, 3], seeds=2, workers=1)
    figure = getattr(found.plot, kind)()
    figure.savefig(tmp_path / "figure.pdf")
    drawn = [len(axis.lines) + len(axis.patches) for axis in figure.axes]
    assert all(drawn)


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="no method 'ewd'"):
        ps.run(LINK, "ewd")
    with pytest.raises(UsageError, match="size='big': "):
        ps.link(size="big")
    with pytest.raises(UsageError, match=r"rate='500bit': .* out of range; from 1kbit"):
        ps.link(rate="500bit")
    with pytest.raises(UsageError, match="queue=200000: at most 100000 bytes"):
        ps.explain("ewt", queue=200_000)
    with pytest.raises(UsageError, match="window=2000000000: at most 1073725440 bytes"):
        ps.explain("ewt", window="2GB")
    with pytest.raises(UsageError, match="start_bytes"):
        ps.explain("ewt", strt_bytes=1)
    with pytest.raises(ConfigError, match=r"tcp.bulk.prr: it needs SACK"):
        ps.run(LINK, set={"tcp.bulk.sack": False})
    with pytest.raises(ConfigError, match="no finished results"):
        ps.load("nowhere")
    with pytest.raises(UsageError, match="two keys have to be swept"):
        ps.run(LINK, "ewt", seeds=1).plot.heat()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"workers": -1}, "workers=-1: expected a whole number from 1"),
        ({"flows": 2.5}, "flows=2.5: expected text, a whole number, or a list of them"),
        ({"flows": np.array([[2, 3]])}, r"flows=\[\[2, 3\]\]: expected a list of single values"),
        ({"flows": []}, r"flows=\[\]: name at least one"),
        ({"seeds": 2.5}, "seeds=2.5: expected"),
        ({"set": "ewt.start_bytes=1"}, "set='ewt.start_bytes=1': expected a dict"),
        ({"sweep": "x"}, "sweep='x': expected a dict"),
        ({"precision": "0%"}, "precision='0%': write a width in percent"),
        ({"seeds": 0}, "seeds=0: must be a whole number from 1"),
        ({"flows": 0}, "flows=0: must be a whole number from 1"),
        ({"receivers": "big"}, "receivers='big': "),
        ({"set": {"ewt.strt": 1}}, r"set\['ewt.strt'\]: "),
        ({"set": {"ewt.start_bytes": "x"}}, r"set\['ewt.start_bytes'\]='x': "),
        ({"set": {"tcp.bulk.sack": 3}}, r"set\['tcp.bulk.sack'\]: "),
        ({"mode": "soft"}, "mode='soft': "),
        ({"seeds": [3, -1]}, "seeds=-1: must be a whole number"),
        ({"receivers": [0]}, "receivers=0: 0 is no receive window"),
        ({"receivers": "1" * 5000}, "1 is no receive window; from 1 to"),
        ({"sweep": {"ewt.start_bytes": [5, "x"]}}, r"sweep\['ewt.start_bytes'\]='x': "),
        ({"sweep": {"sweep.seeds": [5]}}, r"sweep\['sweep.seeds'\]: it changes no run"),
        ({"methods": [","]}, "methods: name at least one"),
        ({"precision": "5%", "most_seeds": 1}, "most_seeds=1: expected a whole number from 2"),
    ],
)
def test_arguments_of_another_type(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ps.run(LINK, **{"methods": "ewt"} | given)


def test_other_mistakes_with_types() -> None:
    with pytest.raises(UsageError, match="rate=10: a unit is missing"):
        ps.link(rate=10)
    with pytest.raises(UsageError, match="scenario=5: expected a link"):
        ps.run(5)
    with pytest.raises(UsageError, match="levels='x': expected percentages"):
        ps.capacity(LINK, ["ewt"], levels="x")
    with pytest.raises(UsageError, match="levels=100: must be a loss in percent, above 0"):
        ps.capacity(LINK, ["ewt"], levels=[0.5, 100])
    with pytest.raises(UserError, match="/proc/x: cannot be written"):
        ps.link().save("/proc/x")


def test_mistakes_about_results() -> None:
    found = ps.run(LINK, "ewt", flows=2, seeds=1, workers=1)
    for draw, said in (
        (lambda: found.plot.bars("frob"), "y='frob': unknown column"),
        (lambda: found.plot.line(x="frob"), "x='frob': not a key"),
        (lambda: found.plot.queue(flows=9), "flows=9: not sampled"),
        (lambda: found.plot(["red"]).cdf(), "methods='red': not in these results"),
        (lambda: found.plot(where={"flows": 7}).cdf(), r"where\['flows'\]='7': not run"),
        (lambda: found.plot(where={"frob": 7}).cdf(), r"where\['frob'\]: not a key"),
        (lambda: found.summary(group="frob"), "group='frob': no such group"),
        (lambda: found.summary(columns=["loss"]), "columns='loss': unknown column; docs"),
    ):
        with pytest.raises(UsageError, match=said):
            draw()


def test_a_swept_value_need_not_be_a_list() -> None:
    found = ps.run(LINK, "ewt", flows=2, seeds=1, sweep={"ewt.start_bytes": "9kB"})
    assert found.frame["ewt.start_bytes"].to_list() == ["9kB"]


def test_to_pandas() -> None:
    found = ps.run(LINK, "ewt", flows=2, seeds=1)
    missing = [name for name in ("pandas", "pyarrow") if find_spec(name) is None]
    if missing:
        with pytest.raises(UserError, match=r"is missing; pip install pandas pyarrow") as no:
            found.to_pandas()
        assert no.value.code == Exit.BACKEND_MISSING
    else:
        assert list(found.to_pandas().columns) == found.frame.columns


UNGUARDED = """
import penstock as ps
link = ps.link(rate="10mbit", size="100kB")
print(len(ps.run(link, ["droptail", "ewt"], flows=2, seeds=3, workers=2)))
"""


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, "6\n"), done.stderr


def test_a_papers_statements_stand_beside_results() -> None:
    results = ps.run(
        "ewt-2019/scenario-1", ["droptail", "ewt"], flows=24, receivers=65535, seeds=2,
        set={"tcp.file.size": "100kB"},
    )  # fmt: skip
    found = results.verdicts()
    assert found.columns[:4] == ["figure", "statement", "receivers", "paper"]
    assert set(found["verdict"]) >= {"not run"}
    assert ps.run(LINK, ["droptail"], seeds=1).verdicts().is_empty()
