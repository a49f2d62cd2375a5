# SPDX-License-Identifier: GPL-2.0-only
"""Writes the fields that rows of core/tables/ give to classes of the lab, as type checkers see
them: into the classes under `if TYPE_CHECKING:` of the modules below. --check only compares."""

import ast
import dataclasses
import importlib
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import generated

MODULES: Final = ("penstock.plan.network", "penstock.scenario.groups", "penstock.scenario.model")
ROOT: Final = Path(__file__).resolve().parents[1]


def spelled(kind: Any) -> str:
    """A type in source, without what a validator adds."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return spelled(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " | ".join(spelled(each) for each in arguments)
    return "None" if kind is type(None) else str(kind.__name__)


def fields_of(kind: Any) -> dict[str, tuple[str, object]]:
    """The fields of a dataclass or a model: type and default."""
    if dataclasses.is_dataclass(kind):
        return {each.name: (spelled(each.type), each.default) for each in dataclasses.fields(kind)}
    models = getattr(kind, "model_fields", {})
    return {name: (spelled(each.annotation), each.default) for name, each in models.items()}


def shadows(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """The classes under `if TYPE_CHECKING:`, the last one first."""
    for node in reversed(tree.body):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (each for each in reversed(node.body) if isinstance(each, ast.ClassDef))


def rows_of(kind: Any) -> list[str]:
    """The lines of its fields that none of its bases has by hand."""
    inherited = {name for base in kind.__bases__ for name in fields_of(base)}
    made = []
    for name, (spelling, default) in fields_of(kind).items():
        if name not in inherited:
            made.append(f"        {name}: {spelling}{' = None' if default is None else ''}")
    return made


def of_today(name: str, text: str) -> str:
    """The module's text with the fields of today."""
    module = importlib.import_module(name)
    lines = text.split("\n")
    for shadow in shadows(ast.parse(text)):
        described, *rest = shadow.body
        ends = [each.end_lineno or 0 for each in rest if isinstance(each, ast.AnnAssign)]
        begin = described.end_lineno or 0
        fields = rows_of(getattr(module, shadow.name))
        lines[begin : max(ends, default=begin)] = ["", *fields] if fields else []
    return "\n".join(lines)


def page(name: str) -> generated.Page:
    """A module as a page that is written."""
    path = ROOT / f"{name.replace('.', '/')}.py"
    return path, lambda text: of_today(name, text)


if __name__ == "__main__":
    pages = [page(name) for name in MODULES]
    sys.exit(generated.main(pages, "gen_row_classes.py", sys.argv[1:]))
