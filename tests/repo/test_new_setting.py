# SPDX-License-Identifier: GPL-2.0-only
"""A new setting of penstock-gw is a row of GW_SETTING_ROWS, and what plan_of() makes of it.

A row is added to a copy. The tool's own sources are compiled against it, and the copy's generator
writes what is shown.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compiling
import pytest

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
TOOL = "linux/gateway/tool"
PACKAGING = "linux/gateway/packaging"
OPENWRT = f"{PACKAGING}/openwrt"
ROWS = (
    'S(TEXT, dummy, "dummy_time", "--dummy-time", TIME, "TIME", 1000000000, 10000000000, "5s",'
    ' LIVE, "7s", "how long a dummy lasts", "Time of a dummy, see `--dummy`.")',
    'S(TEXT, dummy_word, "dummy_word", "-w,--dummy-word", WORD, "fat|thin", 0, 0, "thin", LIVE,'
    ' "fat", "shape of a dummy", "Shape of a dummy.")',
    'S(FLAG, dummy_flag, "dummy", "--dummy,!--no-dummy", SWITCH, "", 0, 0, "", LIVE,'
    ' "true", "have dummies", "Have dummies.")',
    'S(LIST, dummies, "dummies", "--dummies", WORDS, "NAME", 0, 0, "", LIVE,'
    ' "one, two", "their names", "Their names.")',
)
NAMES = ("dummy_time", "dummy_word", "dummy", "dummies")
HEAD = "#define GW_SETTING_ROWS(S) "


def require_headers() -> None:
    """Skips the test where penstock-gw cannot be built."""
    wanted = ("CLI/CLI.hpp", "toml++/toml.h", "nlohmann/json.hpp", "bpf/libbpf.h")
    source = "".join(f"#include <{header}>\n" for header in wanted)
    try:
        command = ["g++", "-E", "-xc++", "-"]
        subprocess.run(command, input=source, text=True, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("what penstock-gw is built of is not installed")


def _add(root: Path, *rows: str) -> None:
    path = root / TOOL / "settings/rows.h"
    line = next(one for one in path.read_text().splitlines() if one.startswith(HEAD))
    more = "\n".join([line, *(f"  {row} \\" for row in rows)])
    path.write_text(path.read_text().replace(line, more))


def _copied(root: Path) -> Path:
    for folder in ("core", "linux/common", "linux/gateway", "docs/operator", "tools"):
        shutil.copytree(ROOT / folder, root / folder)
    return root


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = _copied(tmp_path_factory.mktemp("copy"))
    _add(root, *ROWS)
    generator = [sys.executable, str(root / "tools/gen_gateway_settings.py")]
    assert subprocess.run([*generator, "--check"], capture_output=True, check=False).returncode == 1
    subprocess.run(generator, check=True)
    subprocess.run([*generator, "--check"], check=True)
    return root


@pytest.fixture(scope="module")
def said(copy: Path) -> list[str]:
    """What the copy's tool says of `--dummy-time 6s -w fat --no-dummy --dummies a b`."""
    require_headers()
    sources = [
        f"{TOOL}/settings/{name}.cpp" for name in ("table", "options", "config", "automatic")
    ]
    program = compiling.program(
        "g++",
        *("-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-I.", "-DTOML_HEADER_ONLY=1"),
        sources=[DUMMIES / "settings.cpp", *sources, "linux/common/quantity.cpp"],
        folder=copy,
    )
    options = ["--dummy-time", "6s", "-w", "fat", "--no-dummy", "--dummies", "a", "b"]
    done = subprocess.run(
        [program, *options], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("--\n")[-7:-1]


def test_a_row_is_an_option_a_key_and_json(said: list[str]) -> None:
    shown, toml, again, as_json, unknown, range_ = said
    assert re.search(r"--dummy-time TEXT\s+how long a dummy lasts", shown)
    assert 'dummy_time = "6s"\ndummy_word = "fat"\ndummy = false\ndummies = ["a","b"]\n' in toml
    assert again == toml
    assert json.loads(as_json) == {
        "dummy_time": "6s",
        "dummy_word": "fat",
        "dummy": False,
        "dummies": ["a", "b"],
    }
    assert "there are dummy_time, dummy_word, dummy, dummies, rate, " in unknown
    assert range_ == "dummy_time: 11s is not in 1s .. 10s\n"


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        (
            f"{PACKAGING}/penstock-gw.8",
            (
                r"\fB\-\-dummy\-time\fP \fITIME\fP",
                r"Time of a dummy, see \fB\-\-dummy\fP. From 1s to 10s. Default: 5s.",
                r"\fB\-w\fP, \fB\-\-dummy\-word\fP \fBfat\fP|\fBthin\fP",
                r"\fB\-\-dummy\fP, \fB\-\-no\-dummy\fP",
            ),
        ),
        (
            "docs/operator/settings.md",
            (
                "| `--dummy-time` | `dummy_time` | `TIME` | `5s` | changes | "
                "Time of a dummy, see `--dummy`. From 1s to 10s. |",
            ),
        ),
        (
            f"{PACKAGING}/penstock.toml",
            (
                '# dummy_time = "7s"       # how long a dummy lasts',
                "# dummy = true            # have dummies",
                '# dummies = ["one", "two"] # their names',
            ),
        ),
        (
            f"{OPENWRT}/penstock-gw/files/penstock.config",
            ("\t#option dummy_time '7s'", "\t#option dummy '1'", "\t#list dummies 'two'"),
        ),
        (f"{PACKAGING}/completion/penstock-gw", ("    -w|--dummy-word) words fat thin ;;",)),
    ],
)
def test_a_row_is_shown(copy: Path, path: str, lines: tuple[str, ...]) -> None:
    text = (copy / path).read_text().splitlines()
    assert [line for line in lines if line not in text] == []


def test_a_row_is_an_option_of_openwrt(copy: Path) -> None:
    script = (copy / OPENWRT / "penstock-gw/files/penstock.init").read_text()
    listed = dict(re.findall(r"^(TEXT|FLAG|LIST)S='(.*)'$", script, re.MULTILINE))
    assert listed["TEXT"].startswith("dummy_time dummy_word rate ")
    assert listed["FLAG"].startswith("dummy observe")
    assert listed["LIST"] == "dummies spare exempt"
    form = (copy / OPENWRT / "luci-app-penstock/files/settings.js").read_text()
    made = json.loads(
        f"[{form.partition('SETTINGS = [')[2].partition('];')[0].rstrip().rstrip(',')}]"
    )
    assert [row["key"] for row in made][:4] == list(NAMES)
    assert made[1]["words"] == ["fat", "thin"]


def test_a_fixed_row_does_not_compile_without_its_comparison(tmp_path: Path) -> None:
    require_headers()
    root = _copied(tmp_path)
    _add(root, ROWS[0].replace("LIVE", "FIXED"))
    source, options = f"{TOOL}/attach/attach.cpp", ("-std=c++20", "-I.")
    done = compiling.compiled("g++", *options, source=source, to="attach.o", cwd=root)
    mistakes = re.findall(r"error: (.*)", done.stderr)
    assert len(mistakes) == 1
    assert "differs_in_dummy" in mistakes[0]
