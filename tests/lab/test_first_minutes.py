# SPDX-License-Identifier: GPL-2.0-only
"""What is here, and from a gateway's status to a scenario."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock import cli
from penstock.errors import ConfigError, Exit
from penstock.scenario import measured
from penstock.scenario.read import read

STATUS: dict[str, Any] = {
    **{"schema_version": 1, "device": "wan0", "state": "live", "rate_bps": 20_000_000},
    **{"buffer_bytes": 97_000, "flows_active": 7, "controllable_ratio": 0.9},
}


def test_doctor_says_what_is_here(penstock: Run) -> None:
    done = penstock("doctor", "-j")
    found = {each["what"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert found["sim"]["state"] == "here"
    assert found["sim"]["about"].startswith("sim ")
    assert all(each["remedy"] for each in found.values() if each["state"] == "missing")
    shown = penstock("doctor").stdout
    assert "kernel" in shown
    for each in found.values():
        assert each["remedy"] in shown, "with its brackets"
        assert "penstock[" not in each["remedy"], "nobody holds that name on an index"


def test_a_folder_called_ns3_is_not_ns3(tmp_path: Path) -> None:
    (tmp_path / "ns3").mkdir()
    run = [sys.executable, "-m", "penstock", "doctor", "-j"]
    done = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, check=True)
    found = {each["what"]: each for each in map(json.loads, done.stdout.splitlines())}
    try:
        importlib.metadata.version("ns3")
    except importlib.metadata.PackageNotFoundError:
        assert found["ns3"]["state"] == "missing"
    else:
        assert found["ns3"]["state"] == "here"


def test_a_status_becomes_a_link(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock", "new-link", "--from", "-", "my.toml"]
    done = subprocess.run(
        [*command, "--size", "1MB"],
        input=json.dumps(STATUS), capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scenario = read(str(tmp_path / "my.toml")).scenario
    assert scenario.link["bottleneck"].rate == 20_000_000
    assert scenario.link["bottleneck"].queue == 97_000
    assert scenario.sweep.flows == [7]
    assert scenario.udp["background"].rate == 2_000_000
    assert scenario.tcp["bulk"].size == 1_000_000
    assert "--rtt not given" in done.stderr, "a status has none"


def flow(rtt_ms: int, window: int, scale: int) -> dict[str, int]:
    return {"rtt_ns": rtt_ms * 1_000_042, "window_offered_bytes": window, "scale": scale}


@pytest.mark.parametrize(
    ("flows", "found"),
    [
        ([(20, 65535, 0), (0, 0, 0), (80, 30000, 0), (50, 40000, 0)], (50_000_000, "40000")),
        ([(20, 65535, 0), (30, 1_000_000, 7)], (25_000_000, "auto")),
        ([(0, 0, 0)], (None, None)),
        ([], (None, None)),
    ],
)
def test_flows_give_rtt_and_window(
    flows: list[tuple[int, int, int]], found: tuple[int | None, str | None]
) -> None:
    listed = {"schema_version": 1, "device": "wan0", "flows": [flow(*each) for each in flows]}
    got = measured.values("stdin", json.dumps(STATUS) + "\n" + json.dumps(listed, indent=1))
    assert (got.get("rtt_ns"), got.get("window")) == found
    assert got["rate_bps"] == 20_000_000


def test_a_gateway_that_nothing_has_passed_knows_of_no_udp() -> None:
    status = STATUS | {"forward_bytes": 0, "controllable_ratio": 0.0}
    assert "udp_bps" not in measured.values("stdin", json.dumps(status))
    assert "udp_bps" in measured.values("stdin", json.dumps(status | {"forward_bytes": 1}))


def test_options_come_before_the_status(penstock: Run, tmp_path: Path) -> None:
    given = ("--rate", "5mbit", "--udp", "3mbit")
    (tmp_path / "status.json").write_text(json.dumps(STATUS))
    assert penstock("new-link", "my.toml", "--from", "status.json", *given).returncode == 0
    scenario = read(str(tmp_path / "my.toml")).scenario
    assert scenario.link["bottleneck"].rate == 5_000_000
    assert scenario.udp["background"].rate == 3_000_000


def test_a_status_may_lack_the_share_that_is_controlled(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_text(json.dumps([STATUS | {"controllable_ratio": None}]))
    done = penstock("new-link", "my.toml", "--from", "status.json")
    assert done.returncode == 0, done.stderr
    scenario = read(str(tmp_path / "my.toml")).scenario
    assert not scenario.udp


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no JSON text"),
        ("[]", "no status of one device"),
        (json.dumps([STATUS, STATUS]), "no status of one device"),
        (json.dumps(STATUS) + '{"flows": 7}', "flows: expected a list of flows"),
        (json.dumps(STATUS) + '{"flows": [{}]}', "rtt_ns: expected a number, not None"),
        (json.dumps(STATUS) + "{", "no JSON text"),
        ('{"state": "off", "device": "wan0"}', "nothing is attached to wan0"),
        (json.dumps(STATUS | {"rate_bps": "fast"}), "rate_bps: expected a number, not 'fast'"),
    ],
)
def test_what_is_no_status(text: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint) as caught:
        measured.values("stdin", text)
    assert caught.value.code == Exit.CONFIG


# What takes longest to load: the lab's own libraries, and what typer draws help with.
SLOW = {"jinja2", "matplotlib", "numpy", "penstock._native", "plotly", "polars", "pydantic"}
SLOW |= {"distributed", "rich", "scipy"}


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["run", "--help"], ["report", "--help"], ["list"]]
)
def test_nothing_slow_is_loaded_first(arguments: list[str]) -> None:
    code = f"""
import atexit, sys
atexit.register(lambda: print("loaded", *sorted({SLOW!r} & set(sys.modules))))
sys.argv[1:] = {arguments!r}
from penstock.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split()[1:])
    allowed = {"penstock._native", "numpy", "pydantic", "rich"} if arguments == ["list"] else set()
    assert loaded <= allowed


def test_a_run_loads_neither_tables_nor_captures_nor_processes() -> None:
    """Its rows are JSON, nobody watches its progress, it writes no captures, and is one thread."""
    wanted = ["run", "link", "-j", "-m", "droptail", "-n", "1", "--seeds", "1"]
    wanted += ["--workers", "1", "--set", "tcp.bulk.size=10kB"]
    code = f"""
import atexit, sys
atexit.register(lambda: print("loaded", *sorted(sys.modules)))
sys.argv[1:] = {wanted!r}
from penstock.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split()[1:])
    assert "penstock.runs.backends.sim" in loaded
    assert not {name for name in loaded if "captures" in name or "flent" in name}
    assert not loaded & (SLOW - {"penstock._native", "numpy", "pydantic"})
    assert not {name for name in loaded if name.startswith(("multiprocessing", "numpy.random"))}


def test_a_short_run_is_never_searched_for_garbage() -> None:
    """Nor are the packages that are installed for plugins of pydantic, unless the user says so."""
    wanted = ["run", "link", "-m", "droptail", "-n", "1", "--seeds", "1"]
    wanted += ["--workers", "1", "--set", "tcp.bulk.size=10kB"]
    code = f"""
import atexit, gc, os, sys
import importlib.metadata
searches, plugins = [], []
importlib.metadata.distributions = lambda **_: plugins.append(1) or []
gc.callbacks.append(lambda phase, _: searches.append(phase))
atexit.register(lambda: print("searches", len(searches), len(plugins), gc.get_freeze_count() > 0))
sys.argv[1:] = {wanted!r}
from penstock.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "searches 0 0 True"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_numpy_starts_no_threads() -> None:
    code = """
import atexit, os, sys
atexit.register(lambda: print("numpy" in sys.modules, len(os.listdir("/proc/self/task"))))
sys.argv[1:] = ["validate", "link"]
from penstock.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True 1"


def test_the_first_run_loads_nothing_more() -> None:
    """What it loads would count as its time, wall_s."""
    code = """
import sys
from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.scenario.read import read
scenario = read("link", [("tcp.bulk.size", "10kB")]).scenario
assert scenario.tcp["bulk"].start.first_ns < scenario.tcp["bulk"].start.last_ns
simulator, before = backends.get("sim"), set(sys.modules)
simulator.run(Cell(scenario, "droptail", "safe", "auto", 2, 1))
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            "from penstock import _native; del _native.variants",
            "is not of this version (module 'penstock._native' has no",
        ),
        ("sys.modules['penstock._native'] = None", "cannot be loaded ("),
    ],
)
def test_a_compiled_part_of_another_version(spoil: str, said: str) -> None:
    code = f"""
import sys
{spoil}
sys.argv[1:] = ["validate", "ewt-2019/scenario-1"]
from penstock.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == Exit.FAILURE
    assert done.stderr.startswith(f"penstock: the compiled part of Penstock {said}")
    assert done.stderr.endswith("install Penstock again (in a checkout: tools/setup)\n")
    assert done.stderr.count("\n") == 1


def test_a_wrong_call_of_another_library_is_none_of_the_compiled_part() -> None:
    from penstock import _native, cli

    said = "{}(): incompatible function arguments. The following argument types are supported"
    assert "not of this version" in cli._compiled(TypeError(said.format("philox")))
    assert not cli._compiled(TypeError(said.format("set_text")))
    assert not hasattr(_native, "set_text")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "balloon"], Exit.USAGE, "nor shipped; `penstock list` shows those that are"),
        (["run", "ewt-2019/scenario-1x"], Exit.USAGE, "did you mean 'ewt-2019/scenario-1'"),
        (["run", "link", "-m", "cubic"], Exit.USAGE, "a sender, which hosts run, and no method of"),
        (["run", "link", "-m", "cubic"], Exit.USAGE, "--set tcp.bulk.congestion=cubic runs it"),
        (
            ["recommend", "link", "-m", "red"],
            Exit.USAGE,
            "cannot attach it to hosts as they are; it",
        ),
        (
            ["explain", "ewt", "--queue", "200kB"],
            Exit.USAGE,
            "at most 100000 bytes; buffer_bytes is",
        ),
        (["list", "web", "satelite"], Exit.USAGE, "no scenario mentions web and satelite"),
        (["methods", "al"], Exit.USAGE, "no method 'al'; `penstock methods` lists them"),
        (["new-link", "x.toml", "--rate", "fast"], Exit.USAGE, "--rate fast: 'fast' is not a rate"),
        (["run", "link", "--workers", "0"], Exit.USAGE, "'--workers': must be greater than"),
        (["run", "link", "-n", "1-100000"], Exit.USAGE, "-n 1-100000: 6,000,000 runs in all"),
        (["cluster", "--port", "0", "--host", "nowhere.invalid"], Exit.FAILURE, "nowhere.invalid"),
    ],
)
def test_mistakes_take_one_short_line(
    penstock: Run, arguments: list[str], code: Exit, said: str
) -> None:
    done = penstock(*arguments)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 260


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[variant.mine]\ndiscipline = "red"\ncolour = "red"\n',
            "'red' is no colour; write six digits such as '#2f86d1'",
        ),
        (
            "".join(
                f'[[link.bottleneck.change]]\nat = "1s"\nrate = "{rate}"\n'
                for rate in ("5mbit", "2mbit")
            ),
            "change 1 sets the rate at the same time; leave one of them out",
        ),
    ],
)
def test_mistakes_in_a_file_say_what_would_be_right(
    penstock: Run, small: Path, text: str, said: str
) -> None:
    small.write_text(f"{small.read_text()}\n{text}")
    done = penstock("validate", small)
    assert (done.returncode, done.stdout) == (Exit.CONFIG, "")
    assert said in done.stderr


def test_the_list_is_filtered_and_begins_with_what_is_wanted_most(penstock: Run) -> None:
    def names(*words: str) -> list[str]:
        lines = penstock("list", *words, "-j").stdout.splitlines()
        return [json.loads(line)["name"] for line in lines]

    assert names()[0] == "link"
    assert {name.partition("/")[0] for name in names()[-5:]} <= {"law", "upstream"}
    assert "law/web" in names("WEB")
    assert all("ewt" in name for name in names("ewt", "scenario"))


def test_help_lists_commands_by_what_they_are_for(penstock: Run) -> None:
    text = penstock("--help").stdout
    places = [text.index(f"{purpose}:") for purpose in cli.PURPOSES]
    assert places == sorted(places)
    assert all(f"  {name} " in text for name in cli.VERBS)
