# SPDX-License-Identifier: GPL-2.0-only
"""Figures as PGF, for \\input in LaTeX documents.

Matplotlib asks LaTeX how wide a text is. Its own metrics do, as the document's font is known to the
document alone; so no LaTeX is needed here.
"""

from pathlib import Path
from typing import Any
from unittest import mock

from matplotlib.backend_bases import RendererBase
from matplotlib.backends import backend_pgf
from matplotlib.figure import Figure

from penstock.results.formats import latex


class _Renderer(backend_pgf.RendererPgf):
    get_text_width_height_descent = RendererBase.get_text_width_height_descent

    def draw_text(self, gc: Any, x: Any, y: Any, s: str, *rest: Any, **more: Any) -> None:
        """Draws a text as it is: its signs are no commands of LaTeX."""
        super().draw_text(gc, x, y, latex(s), *rest, **more)  # type: ignore[no-untyped-call]


def save(figure: Figure, path: Path) -> None:
    """Writes the figure."""
    with (
        mock.patch.object(backend_pgf, "RendererPgf", _Renderer),
        path.open("w", encoding="utf-8") as file,
    ):
        canvas: Any = backend_pgf.FigureCanvasPgf(figure)
        canvas.print_pgf(file)
