# SPDX-License-Identifier: GPL-2.0-only
"""The command as users run it, and a scenario small enough to run often."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., subprocess.CompletedProcess[str]]

SMALL = """\
[scenario]
title = "Small"

[sweep]
methods = ["droptail", "ewt"]
flows = [3]
receivers = ["65535", "auto"]
seeds = 2

[topology]
shape = "dumbbell"

[link.access]
rate = "100mbit"
delay = "1ms"

[link.bottleneck]
rate = "10mbit"
delay = "20ms"
queue = "30kB"

[link.egress]
rate = "100mbit"
delay = "1ms"

[gateway.left]
link = "bottleneck"

[tcp.bulk]
from = "senders"
to = "receivers"
size = "300kB"
start = "0s..1s"

[sample]
interval = "100ms"
"""


def command(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `penstock` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "penstock", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "200"},
    )


def rows(output: str) -> list[dict[str, Any]]:
    """The objects of `-j`, without the one column that varies."""
    found = [json.loads(line) for line in output.splitlines()]
    for row in found:
        assert row.pop("wall_s") >= 0
    return found
