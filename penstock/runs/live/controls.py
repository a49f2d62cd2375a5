# SPDX-License-Identifier: GPL-2.0-only
"""Core's congestion controls in this kernel, by penstock-gw cc."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from penstock.errors import Exit, UserError
from penstock.runs.live import programs


def _tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [programs.find("penstock-gw"), "cc", *words]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", check=False
    )


@contextmanager
def loaded(methods: Sequence[str]) -> Iterator[None]:
    """Loads them, unless they are; exit 69 with the reason where the kernel cannot."""
    own = []
    try:
        for method in methods:
            done = _tool("load", method)
            if done.returncode == 0:
                own.append(method)
            elif "loaded already" not in done.stderr:
                why = done.stderr.strip() or f"penstock-gw cc load {method} failed"
                raise UserError(why, Exit.BACKEND_MISSING)
        yield
    finally:
        for method in own:
            _tool("unload", method)
