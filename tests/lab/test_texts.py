# SPDX-License-Identifier: GPL-2.0-only
"""Texts of users are texts: in figures, tables, pages, and commands to copy."""

import ast
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lab_support import SMALL, Run, command
from matplotlib.text import Text

from penstock.results import formats, tables
from penstock.results.store import Store
from penstock.text import plain, shell_word
from penstock.view.plots import kinds, page, paper
from penstock.view.plots.data import gather

ROOT = Path(__file__).parents[2]
LABEL = r"_a$b^2^3$ & <b>50% #{~}\ | `c`_ β"
OWN = f"""
[variant.first_try]
base = "ewt"
label = {json.dumps(LABEL)}
[variant.same_1]
base = "ewt"
label = "same"
[variant.same_2]
base = "ewt"
label = "same"
"""
NO_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TITLE = "gain $g^2^3$ <i>&amp; _x\x07"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a scenario whose variants have such labels."""
    here = tmp_path_factory.mktemp("texts")
    (here / "s.toml").write_text(SMALL.replace("300kB", "30kB") + OWN, encoding="utf-8")
    methods = "droptail,first_try,same_1,same_2"
    done = command(
        *("run", "s.toml", "-m", methods, "-n", "2,3", "--seeds", "1", "-o", "r"),
        *("--receivers", "65535", "--workers", "1"),
        cwd=here,
    )
    assert done.returncode == 0, done.stderr
    assert LABEL in done.stdout
    return here / "r"


@pytest.mark.parametrize("kind", ["line", "bars", "cdf", "queue"])
def test_figures_for_print_have_them_as_typed(results: Path, kind: str) -> None:
    figure = paper.draw(kinds.KINDS[kind](gather(Store(results))), paper.Look(title=TITLE))
    found = [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]
    assert LABEL in found
    assert "gain $g^2^3$ <i>&amp; _x" in found
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if text.get_text())


def texts_of_pdf(data: bytes) -> str:
    """What a reader of the PDF finds: its fonts number Latin signs as Unicode does."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        for shown in re.findall(rb"BT\n.*?\nET", content, re.DOTALL):
            parts = re.findall(rb"\(((?:[^\\()]|\\.)*)\)", shown, re.DOTALL)
            signs = [re.sub(rb"\\(.)", rb"\1", each, flags=re.DOTALL) for each in parts]
            found.append(b"".join(signs).decode("utf-16-be"))
    return "\n".join(found)


@pytest.mark.parametrize("form", paper.FORMATS)
def test_every_format_has_them_in_any_locale(results: Path, tmp_path: Path, form: str) -> None:
    """What is no text there is read as UTF-8."""
    target = tmp_path / f"a.{form}"
    title = f"Z\u00fcrich $g^2^3$ {LABEL[:6]}"
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "plot", results, "line", "--title", title, "-o", target],
        env={**os.environ, **NO_UTF_8},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if form == "svg":
        texts = "".join(ElementTree.parse(target).getroot().itertext())
        assert LABEL in texts
        assert title in texts
    if form == "pgf":
        text = target.read_text(encoding="utf-8")
        assert formats.latex(LABEL) in text
        assert formats.latex(title) in text
        assert LABEL not in text
    if form == "pdf":
        texts = texts_of_pdf(target.read_bytes())
        assert title in texts
        assert LABEL.rstrip("β") in texts, "the font's numbers of other signs are its own"


def test_bytes_that_are_no_text_are_no_fault(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.svg"
    done = command("plot", results, "line", "--title", "Z\udcfcrich \udcce\udcb2", "-o", target)
    assert done.returncode == 0, done.stderr
    assert "Z\ufffdrich \u03b2" in "".join(ElementTree.parse(target).getroot().itertext())
    assert plain("\ud800x") == "?x"


DOCUMENTS = {
    "show s.toml": LABEL.replace("\\", "\\\\"),
    "table r --format csv": LABEL,
    "table r --format latex": formats.latex(LABEL),
    "table r --format markdown": formats.markdown(LABEL),
    "trace csv \u03b2.csv": "# source: \u03b2.csv",
}


@pytest.mark.parametrize("verb", DOCUMENTS)
def test_documents_are_utf_8_in_any_locale(results: Path, verb: str) -> None:
    (results.parent / "\u03b2.csv").write_text("time,Throughput\n0,12\n1,12\n")
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *verb.split()],
        cwd=results.parent,
        env={**os.environ, "PYTHONIOENCODING": "iso8859-1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert DOCUMENTS[verb] in done.stdout.decode("utf-8")


def test_pgf_is_utf_8_in_any_locale(results: Path, tmp_path: Path) -> None:
    done = command(
        *("plot", results, "line", "-o", tmp_path / "a.pgf"),
        first="import _locale, locale\n"
        "locale.getpreferredencoding = lambda *_: 'ISO-8859-1'\n"
        "locale.getencoding = lambda: 'ISO-8859-1'\n",
    )
    assert done.returncode == 0, done.stderr
    assert "β" in (tmp_path / "a.pgf").read_bytes().decode("utf-8")


def test_no_file_is_opened_in_the_encoding_of_the_locale() -> None:
    texts = {"read_text": 0, "write_text": 1, "open": 0, "TextIOWrapper": 0}
    for file in sorted([*ROOT.glob("penstock/**/*.py"), *ROOT.glob("papers/**/*.py")]):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
            is_file = name in texts and owner not in ("os", "webbrowser")
            if name == "open":
                is_file = is_file and any(re.fullmatch(r"[rwax+]+", str(mode)) for mode in modes)
            given = {keyword.arg for keyword in node.keywords}
            assert not is_file or "encoding" in given, f"{file}:{node.lineno}"
            assert not (given & {"text", "universal_newlines"}), f"{file}:{node.lineno}"


def test_pages_have_no_tags_of_them(results: Path) -> None:
    chart = kinds.line(gather(Store(results)))
    made = page.draw(chart).to_plotly_json()
    shown = {trace["name"] for trace in made["data"]}
    assert any("&lt;b&gt;50%" in name and "&amp;" in name for name in shown)
    assert LABEL in {trace["legendgroup"] for trace in made["data"]}


def test_tables_have_labels(results: Path, penstock: Run) -> None:
    text = penstock("table", results).stdout
    assert LABEL in text
    assert "same (same_1)" in text
    rows = list(csv.DictReader(io.StringIO(penstock("table", results, "--format", "csv").stdout)))
    assert LABEL in {row["method"] for row in rows}
    latex = penstock("table", results, "--format", "latex").stdout
    assert f"\n{formats.latex(LABEL)} & " in latex
    markdown = penstock("table", results, "--format", "markdown").stdout
    line = next(line for line in markdown.splitlines() if "50%" in line)
    cells = re.split(r"(?<!\\)\|", line)
    assert re.sub(r"\\(.)", r"\1", cells[1].strip()) == LABEL
    as_json = [json.loads(line) for line in penstock("table", results, "-j").stdout.splitlines()]
    assert "first_try" in {row["method"] for row in as_json}, "programs have the name"
    assert LABEL in penstock("table", results, "--against", "droptail").stdout
    assert f"less {LABEL}, by seed" in penstock("table", results, "--against", "first_try").stdout


def test_titles_of_tables_have_brackets(results: Path, penstock: Run, tmp_path: Path) -> None:
    """A value that is set is in them, as the name of a file."""
    (tmp_path / "[b]t.txt").write_text("1\n")
    sets = ("--set", "link.bottleneck.trace=[b]t.txt")
    words = ("run", results.parent / "s.toml", "-m", "droptail", "--seeds", "1", *sets)
    done = penstock(*words, "--set", "time.limit=1s")
    assert "/[b]t.txt" in done.stdout.splitlines()[0], done.stderr


def test_latex_and_markdown() -> None:
    assert formats.latex(r"a_b & 5% $x$ {~^\} <|> --") == (
        r"a\_b \& 5\% \$x\$ \{\textasciitilde{}\textasciicircum{}\textbackslash{}\} "
        r"\textless{}\textbar{}\textgreater{} -{}-"
    )
    assert formats.latex("``a'' ?`") == "`{}`a'{}' ?{}`"
    assert formats.markdown("a|b *c* _d e_f `g` [h]") == r"a\|b \*c\* \_d e_f \`g\` \[h]"
    assert formats.markdown("~~a~~ b~c &lt; & &#35;") == r"\~\~a\~\~ b~c \&lt; & \&#35;"


def test_a_label_is_no_option_of_the_line_above_it() -> None:
    """After the end of a line, [ begins a length in LaTeX, and * another command."""
    lines = [
        tables.Line("auto", 1, "m", "safe", "", label, values={}, means={})
        for label in ("[a]", "*b", "c")
    ]
    found = formats.as_latex(lines, []).splitlines()
    assert [line for line in found if line.endswith(r" \\")][-3:] == [
        r"{}[a] \\",
        r"{}*b \\",
        r"c \\",
    ]
    assert plain("a\x00b\tc\x9f") == "a b c "


@pytest.mark.parametrize("name", ["my links", "a'b", "-x", "$(touch trap)", "plain"])
def test_commands_can_be_pasted(name: str, tmp_path: Path, penstock: Run) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert shlex.split(f"x {shell_word(name)}")[1].removeprefix("./") == name
    file = folder / "s.toml"
    done = penstock("new-link", f"./{name}/s.toml", "--size", "20kB", "--flows", "2")
    assert done.returncode == 0, done.stderr
    said = shlex.split(done.stdout.rpartition("penstock run ")[2].strip())
    assert [tmp_path / said[0]] == [file]
    done = penstock(
        *("run", file, "-m", "droptail", "--seeds", "1", "-o", f"./{name}/o", "--workers", "1")
    )
    said = shlex.split(done.stderr.rpartition("penstock report ")[2].strip())
    assert [tmp_path / said[0]] == [folder / "o"]
    done = penstock("trace", "lte", "--duration", "1s", "-o", f"./{name}/t")
    said = shlex.split(done.stderr.rpartition("--set ")[2].strip())
    assert said == [f"link.NAME.trace={name}/t"]
    said = shlex.split(penstock("table", f"./{name}").stderr.rpartition("-o ")[2].partition("`")[0])
    assert [tmp_path / said[0]] == [folder]


def test_a_report_draws_all_methods_in_panels_that_can_be_read(
    tmp_path: Path, penstock: Run
) -> None:
    (tmp_path / "s.toml").write_text(SMALL.replace("300kB", "20kB"))
    words = ("--seeds", "1", "-n", "2", "--receivers", "65535", "--workers", "1")
    many = "droptail,codel,fq_codel,pie,red,ared,ewa,awm,ewt,ewt_iot,share,integral,penstock"
    for methods, folder, count in ((many, "13", 13), ("all", "all", 45)):
        assert penstock("run", "s.toml", "-m", methods, *words, "-o", folder).returncode == 0
        done = penstock("report", folder)
        assert done.returncode == 0, done.stderr
        html = (tmp_path / folder / "report.html").read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', html)
        assert found
        bars = [plot for plot in json.loads(found[1]) if plot["data"][0]["type"] == "bar"]
        assert bars
        for plot in bars:
            panels: dict[str, set[tuple[str, str]]] = {}
            for trace in plot["data"]:
                look = trace["marker"]["color"], trace["marker"]["pattern"]["shape"]
                here = panels.setdefault(trace.get("xaxis", "x"), set())
                assert look not in here, "two methods of a panel look the same"
                here.add(look)
            assert max(map(len, panels.values())) <= 8
            assert len({trace["legendgroup"] for trace in plot["data"]}) == count
