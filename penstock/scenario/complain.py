# SPDX-License-Identifier: GPL-2.0-only
"""From pydantic's errors to one sentence that says what would be right."""

import json
from collections.abc import Callable
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from penstock.errors import near
from penstock.scenario.locate import Path

_EXPECTED: Final = {
    "model_type": "expected a table",
    "dict_type": "expected a table",
    "string_type": "expected text in quotes",
    "bool_type": "expected true or false",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
}


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {f.alias or name: f.annotation for name, f in model.model_fields.items()}


def known_keys(root: type[BaseModel], path: Path) -> list[str]:
    """The keys that the table at `path` may have; [] where names are free."""
    model: type[BaseModel] | None = root
    container: Any = None
    for part in path:
        if container is not None:
            container, found = None, _models(container)
        elif model is None:
            return []
        else:
            annotation = _fields(model).get(str(part))
            found = _models(annotation)
            if get_origin(annotation) in (dict, list):
                container, found = annotation, []
        model = found[0] if found else None
    return list(_fields(model)) if model else []


def _value_error(error: ErrorDetails) -> str:
    return str(error["ctx"]["error"])


def _literal(error: ErrorDetails) -> str:
    return f"{error['input']!r} is not one of {error['ctx']['expected']}"


def _pattern(error: ErrorDetails) -> str:
    return (
        f"{error['input']!r} is no name; write a letter, then letters, digits, '_' or '-', "
        "at most 40 in all"
    )


def _list(error: ErrorDetails) -> str:
    given = error["input"]
    if isinstance(given, str | int | float):  # a bool is an int
        return f"expected a list; write [{json.dumps(given)}]"
    if isinstance(given, dict) and error["loc"][0] == "sweep":
        return 'expected a list; a key with a dot stands in quotes: "ewt.start" = ["10kB"]'
    return "expected a list"


_SENTENCE: Final[dict[str, Callable[[ErrorDetails], str]]] = {
    "value_error": _value_error,
    "literal_error": _literal,
    "list_type": _list,
    "string_pattern_mismatch": _pattern,
    "missing": lambda _: "this key is missing",
    "too_short": lambda _: "expected at least one entry",
    "greater_than_equal": lambda error: f"must be at least {error['ctx']['ge']:g}",
}


def sentence(root: type[BaseModel], error: ErrorDetails) -> str:
    """What is wrong with one value, and what would be right."""
    kind, path = error["type"], tuple(error["loc"])
    if kind == "extra_forbidden":
        return f"unknown key {str(path[-1])!r}; {near(str(path[-1]), known_keys(root, path[:-1]))}"
    if kind in _SENTENCE:
        return _SENTENCE[kind](error)
    return _EXPECTED.get(kind, error["msg"])


def _inside(tables: Any, part: Any) -> bool:
    if isinstance(tables, dict):
        return part in tables
    return isinstance(tables, list) and isinstance(part, int) and part < len(tables)


def key_path(tables: Any, error: ErrorDetails) -> Path:
    """The key path that an error is about, without pydantic's own marks in it."""
    path: Path = ()
    for part in error["loc"]:
        if not _inside(tables, part):
            return (*path, part) if error["type"] == "missing" else path
        tables = tables[part]
        path = (*path, part)
    return path
