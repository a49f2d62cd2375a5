# SPDX-License-Identifier: GPL-2.0-only
"""Export of the summary as CSV, LaTeX (booktabs) or Markdown."""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from penstock.results import stats, tables
from penstock.results.tables import Line, Shown
from penstock.text import plain

_ESCAPED: Final = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"},
        **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    }
)
_LIGATURE: Final = re.compile(r"-(?=-)|'(?=')|[`?!](?=`)")  # of which LaTeX makes one sign
_MARKED: Final = re.compile(  # what means something in Markdown
    r"[\\|*`<\[]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|&(?=#?\w+;)"
)
_OF_LINE_END: Final = ("[", "*")  # LaTeX takes them, after \\, for its options


def as_csv(lines: Sequence[Line], shown: Sequence[Shown]) -> str:
    """Means and half the width of their intervals, and each swept key, as numbers."""
    out = io.StringIO()
    rows = tables.records(lines, shown)
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def latex(text: str) -> str:
    """A text as LaTeX sets it: no sign of it is a command."""
    return _LIGATURE.sub(r"\g<0>{}", plain(text).translate(_ESCAPED))


def markdown(text: str) -> str:
    """A text in a cell of a table in Markdown."""
    return _MARKED.sub(lambda found: f"\\{found[0]}", plain(text))


def _tex_cell(shown: Shown, mean: stats.Mean | None) -> str:
    text = tables.text(shown, mean)
    return "--" if text == "-" else "$" + text.replace(" ± ", r" \pm ") + "$"


def _title(receivers: str, load: str) -> str:
    return f"{load}, receive window {tables.receivers_text(receivers)}"


def _groups(lines: Sequence[Line]) -> Mapping[str, list[Line]]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(_title(line.receivers, line.load), []).append(line)
    return groups


def as_latex(lines: Sequence[Line], shown: Sequence[Shown]) -> str:
    """One tabular (it needs \\usepackage{booktabs}), a block for each load."""
    columns = len(shown) + 1
    head = " & ".join(["method", *(latex(each.title) for each in shown)])
    out = [rf"\begin{{tabular}}{{l{'r' * len(shown)}}}", r"\toprule", head + r" \\"]
    for title, members in _groups(lines).items():
        out += [r"\midrule", rf"\multicolumn{{{columns}}}{{l}}{{{latex(title)}}} \\"]
        for line in members:
            cells = [_tex_cell(each, line.means.get(each.column)) for each in shown]
            label = latex(line.label)
            label = f"{{}}{label}" if label.startswith(_OF_LINE_END) else label
            out.append(" & ".join([label, *cells]) + r" \\")
    return "\n".join([*out, r"\bottomrule", r"\end{tabular}", ""])


def as_markdown(lines: Sequence[Line], shown: Sequence[Shown]) -> str:
    """A table for each load."""
    out = []
    for title, members in _groups(lines).items():
        out += [
            f"**{markdown(title)}**",
            "",
            "| method | " + " | ".join(s.title for s in shown) + " |",
        ]
        out.append("|---|" + "---:|" * len(shown))
        for line in members:
            cells = [tables.text(each, line.means.get(each.column)) for each in shown]
            out.append(f"| {markdown(line.label)} | " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out)


FORMATS: Final[Mapping[str, Callable[[Sequence[Line], Sequence[Shown]], str]]] = {
    "csv": as_csv,
    "latex": as_latex,
    "markdown": as_markdown,
}
