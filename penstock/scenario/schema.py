# SPDX-License-Identifier: GPL-2.0-only
"""The scenario format as a JSON Schema, from which editors complete keys and find mistakes."""

from collections.abc import Iterator
from typing import Any, Final

from penstock.scenario import params, write
from penstock.scenario.model import Scenario
from penstock.scenario.table import Table

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


_NULL: Final = {"type": "null"}  # which TOML does not have


def _as_toml(schema: Any) -> Any:
    """Without nulls and our own units, and with no key required: a file may extend another."""
    if isinstance(schema, list):
        return [_as_toml(part) for part in schema if part != _NULL]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: _as_toml(part) for key, part in schema.items() if key not in ("required", "default")
    }
    choices = kept.get("anyOf", [])
    if len(choices) == 1:
        del kept["anyOf"]
        kept = choices[0] | kept
    return kept


def _tables(base: type[Table]) -> Iterator[type[Table]]:
    for table in base.__subclasses__():
        yield table
        yield from _tables(table)


def _explain(model: type[Table], properties: dict[str, Any]) -> None:
    """Adds the defaults of a table, and examples of its quantities."""
    for key, value in write.defaults(model).items():
        if not isinstance(value, dict):
            properties[key]["default"] = value
    for name, field in model.model_fields.items():
        kind = write.kind_of(field)
        if kind and field.description:
            told = f"{field.description} (a {kind.name}: '{kind.example}')"
            properties[field.alias or name]["description"] = told


def _parameters(kind: str) -> dict[str, Any]:
    registry = params.methods() if kind == "method" else params.senders()
    scalar = {"type": ["string", "number", "boolean"]}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: {
                "type": "object",
                "description": method.title,
                "properties": {
                    params.user_key(param.name): {**scalar, "description": param.help}
                    for param in method.params
                },
            }
            for name, method in registry.items()
        },
    }


def schema() -> dict[str, Any]:
    """The schema of a scenario file."""
    made = Scenario.model_json_schema(by_alias=True)
    required = made["required"]
    made = _as_toml(made)
    for model in _tables(Table):
        if model.__name__ in made["$defs"]:
            _explain(model, made["$defs"][model.__name__]["properties"])
    properties = made["properties"]
    properties["extends"] = {"type": "string", "description": "the path of another scenario"}
    for kind in ("method", "sender"):
        properties[kind] = _parameters(kind)
    known = [{"enum": list(params.methods())}, {"type": "string"}]  # completed, not enforced
    made["$defs"]["Sweep"]["properties"]["methods"]["items"] = {"anyOf": known}
    made["anyOf"] = [{"required": ["extends"]}, {"required": required}]
    return {"$schema": _DIALECT, **made, "title": "A scenario of Penstock"}
