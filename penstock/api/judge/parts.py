# SPDX-License-Identifier: GPL-2.0-only
"""What a checkout can say of a method beside runs: its build, proofs, worlds and the kernel.

Each is a program of the checkout. What is not there is skipped, with what would make it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from penstock import version
from penstock.scenario import described

PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
_PROOFS_S: Final = 100
_MISSING: Final = 77  # exit code without the solver
_WORLDS_S: Final = 20
_COST_S: Final = 60
_BUILD: Final = "build/tests"
_IN_WORLDS: Final = ("penstock", "integral", "share", "ewt", "ared")
_MAKE: Final = "cmake --build {build} -t {target} builds it, after `make test`"
_PROOF: Final = re.compile(r"^PROOF\((\w+)\)", re.MULTILINE)
_NO_PROGRAM: Final = "does not run in these programs"
_COSTS: Final = {"data, IPv4": "data", "ACK up to the write, IPv4": "an ACK"}
_COST: Final = re.compile(r"^(.+?) +(\d+) ns$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """One check: PASSED, FAILED or SKIPPED, and why."""

    name: str
    state: str
    said: str

    def describe(self) -> dict[str, Any]:
        """As -j has it."""
        return {"name": self.name, "state": self.state, "said": self.said}


def _ran(command: Sequence[str | Path], root: Path, most_s: float) -> tuple[int | None, str]:
    """The exit code, None after `most_s`, and what was printed."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=most_s,
        )
    except subprocess.TimeoutExpired as late:
        # Bytes, also where an encoding is given.
        return None, (late.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout or done.stderr


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def built() -> Part:
    """Whether what is judged is what the sources say."""
    why = described.stale()
    return Part("build", FAILED if why else PASSED, why or "compiled from these sources")


def proofs_of(name: str, root: Path) -> list[str]:
    """The proofs that have the method's name in theirs, and take less than `make test` allows."""
    texts = (
        file.read_text(encoding="utf-8")
        for file in sorted((root / "tests" / "prove").rglob("*.cpp"))
    )
    every = [proof for text in texts for proof in _PROOF.findall(text)]
    return [proof for proof in every if f"_{name.lower()}_" in f"_{proof.lower()}_"]


def bounds(name: str, root: Path) -> Part:
    """Proofs of its bounds for all inputs; a counterexample if there is one."""
    names = proofs_of(name, root)
    if not names:
        return Part("bounds", SKIPPED, f"no proof in tests/prove has {name} in its name")
    code, text = _ran([sys.executable, "tools/prove.py", *names], root, _PROOFS_S)
    broken = [line for line in text.splitlines() if line.startswith("FAILED")]
    if broken:
        return Part("bounds", FAILED, "; ".join(broken))
    if code is None:
        held = sum(line.startswith("proved") for line in text.splitlines())
        said = f"{held} of {len(names)} proofs hold after {_PROOFS_S} s; tools/prove.py goes on"
        return Part("bounds", SKIPPED, said)
    if code == _MISSING:
        return Part("bounds", SKIPPED, _last(text))
    holds = f"{len(names)} proofs hold for all inputs"
    return Part("bounds", FAILED if code else PASSED, _last(text) if code else holds)


def worlds(name: str, seed: int, root: Path) -> Part:
    """Worlds of hostile hosts, drawn from `seed`, with the gateway's programs of the kernel."""
    if name not in _IN_WORLDS:
        return Part("worlds", SKIPPED, f"they know {', '.join(_IN_WORLDS)} only")
    program = root / _BUILD / "tests" / "world" / "penstock-world"
    if not program.exists():
        how = _MAKE.format(build=_BUILD, target="penstock-world")
        return Part("worlds", SKIPPED, f"there is no penstock-world; {how}")
    options = ["--seeds", f"{seed}:{seed + 100_000}", "--seconds", str(_WORLDS_S)]
    code, text = _ran([program, *options, "--method", name], root, 3 * _WORLDS_S)
    if code is None:
        return Part("worlds", FAILED, f"a world of the seeds from {seed} does not end")
    return Part("worlds", FAILED if code else PASSED, _last(text))


def kernel(name: str, root: Path) -> Part:
    """Whether the kernel's verifier takes it, and what a packet costs there."""
    program = root / _BUILD / "linux" / "gateway" / "gateway_cost"
    if os.geteuid() != 0:
        return Part("kernel", SKIPPED, "only root may load programs: sudo")
    if not program.exists():
        how = _MAKE.format(build=_BUILD, target="gateway_cost")
        return Part("kernel", SKIPPED, f"there is no gateway_cost; {how}")
    code, text = _ran([program, name], root, _COST_S)
    if code is None:
        return Part("kernel", FAILED, f"its cost is not known after {_COST_S} s")
    if text.startswith("skipped"):
        return Part("kernel", SKIPPED, _last(text))
    if _NO_PROGRAM in text:
        return Part("kernel", SKIPPED, f"{name} {_NO_PROGRAM}")
    costs = dict(reversed(_COST.findall(text)))  # the first of each, with the kernel's queue
    if code or not costs:
        return Part("kernel", FAILED, _last(text))
    said = ", ".join(f"{what} {costs[row]} ns" for row, what in _COSTS.items() if row in costs)
    return Part("kernel", PASSED, f"the verifier takes it; {said}")


def all_of(name: str, seed: int, *, gateway: bool) -> list[Part]:
    """Those that a method of a gateway, or a sender, can be asked for."""
    root = version.PACKAGE.parent
    if not (root / "tools" / "prove.py").is_file():
        return [Part("checkout", SKIPPED, "proofs, worlds and the kernel need a checkout")]
    found = [built(), bounds(name, root)]
    return [*found, worlds(name, seed, root), kernel(name, root)] if gateway else found
