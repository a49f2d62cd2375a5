# SPDX-License-Identifier: GPL-2.0-only
"""`penstock schema`: the scenario format for editors."""

import json

from penstock.cli import stdio


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors."""
    from penstock.scenario.schema import schema as made

    stdio.document(json.dumps(made(), indent=2, ensure_ascii=False) + "\n")
