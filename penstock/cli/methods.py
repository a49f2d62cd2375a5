# SPDX-License-Identifier: GPL-2.0-only
"""`penstock methods`: methods, and the parameters of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near

if TYPE_CHECKING:
    from penstock import _native
    from penstock.scenario import params


def _describe(method: _native.Method | params.Variant, kind: str) -> dict[str, Any]:
    from penstock.scenario import params

    return {
        "name": method.name,
        "kind": kind,
        "title": method.title,
        "source": method.source,
        "formula": method.formula,
        "rewrites": method.rewrites,
        "parameters": [
            {
                "key": params.user_key(param.name),
                "unit": "ratio" if param.unit.startswith("ratio") else param.unit,
                "default": params.show_default(param),
                "min": params.show(param.unit, param.min),
                "max": params.show(param.unit, param.max),
                "help": param.help,
                "source": param.source,
            }
            for param in method.params
        ],
    }


def _everything() -> list[dict[str, Any]]:
    from penstock.scenario import params

    gateways = [_describe(method, "gateway") for method in params.methods().values()]
    senders = [_describe(method, "sender") for method in params.senders().values()]
    return gateways + senders + [_describe(each, "sharing") for each in params.sharings().values()]


def _print_list(entries: list[dict[str, Any]]) -> None:
    rows = [
        [e["name"], e["kind"], "yes" if e["rewrites"] else "", e["title"], e["source"]]
        for e in entries
    ]
    headers = ["method", "works at", "rewrites windows", "title", "source"]
    screen.out().print(screen.table("", headers, rows, left=5))


def _print_one(entry: dict[str, Any]) -> None:
    console = screen.out()
    console.print(f"[bold]{entry['name']}[/bold]  {entry['title']}")
    console.print(f"source   {entry['source']}", markup=False)
    if entry["formula"] and entry["rewrites"]:
        console.print(f"window   {entry['formula']}", markup=False)
    if not entry["parameters"]:
        console.print("no parameters")
        return
    console.print()
    rows = [
        [p["key"], p["unit"], p["default"], f"{p['min']} .. {p['max']}", p["help"], p["source"]]
        for p in entry["parameters"]
    ]
    headers = ["parameter", "unit", "default", "range", "what it is", "source"]
    console.print(screen.table("", headers, rows, left=6))


def methods(
    method: Annotated[str, typer.Argument(metavar="[METHOD]", help="One method.")] = "",
    as_json: options.AsJson = False,
) -> None:
    """List the methods, or the parameters of one with unit, default, range and source."""
    entries = _everything()
    names = [entry["name"] for entry in entries]
    if method and method not in names:
        cure = near(method, names, otherwise="`penstock methods` lists them")
        raise UsageError(f"there is no method {method!r}; {cure}")
    chosen = [entry for entry in entries if not method or entry["name"] == method]
    if as_json:
        for entry in chosen:
            print(json.dumps(entry))
    elif method:
        for entry in chosen:
            _print_one(entry)
    else:
        _print_list(chosen)
