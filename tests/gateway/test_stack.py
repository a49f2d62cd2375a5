# SPDX-License-Identifier: GPL-2.0-only
"""The programs' stack, as Linux 6.1 adds it up: later kernels round it less.

Without a kernel: its verifier takes each function's deepest access below the frame pointer, in
steps of 32 bytes, and of each chain of calls no more than 512 bytes in all.
"""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

import pytest

BUILT: Final = Path(__file__).parents[2] / "build" / "tests" / "linux" / "gateway"
OBJDUMP: Final = shutil.which("llvm-objdump-14") or shutil.which("llvm-objdump")
MOST: Final = 512
STEP: Final = 32
WORD: Final = 8  # of an instruction

FUNCTION = re.compile(r"^[0-9a-f]+ <(?!LBB)(\w+)>:")
SYMBOL = re.compile(r"^([0-9a-f]+) .* F \.text\t[0-9a-f]+ (?:\.hidden )?(\w+)")
ACCESS = re.compile(r"\(r10 - (\d+)\)|r10 \+ -(\d+)")
ADDRESS = re.compile(r"(r\d) = r10\n.*\1 \+= -(\d+)\n")
# A call of a function of the object, not of a helper: the instruction's source is 1.
CALL = re.compile(
    r"^ *(\d+):\t85 10 00 00 ((?:[0-9a-f]{2}[ \t]){4}).*\n(?:.*R_BPF_64_32\s+(\S+))?", re.M
)
# The address of a static function, which a helper calls.
CALLBACK = re.compile(r"= (\d+) ll\n.*R_BPF_64_64\s+\.text$", re.M)


def dump(path: Path, *options: str) -> str:
    """What llvm-objdump prints of an object."""
    assert OBJDUMP is not None
    return subprocess.run(
        [OBJDUMP, *options, path], check=True, capture_output=True, text=True
    ).stdout


class Stacks:
    """The functions of an object: their own stack, and what they call."""

    def __init__(self, path: Path) -> None:
        self.own: dict[str, int] = {}
        self.calls: dict[str, set[str]] = {}
        self.text = {
            int(found[1], 16) // WORD: found[2]
            for line in dump(path, "-t").splitlines()
            if (found := SYMBOL.match(line))
        }
        name, lines = "", list[str]()
        for line in [*dump(path, "-d", "-r").splitlines(), "0 <end>:"]:
            if not (found := FUNCTION.match(line)):
                lines.append(line + "\n")
                continue
            if name:
                self._take(name, "".join(lines))
            name, lines = found[1], []

    def _take(self, name: str, body: str) -> None:
        depths = [int(a or b) for a, b in ACCESS.findall(body)]
        depths += [int(depth) for _, depth in ADDRESS.findall(body)]
        self.own[name] = max(depths, default=0)
        self.calls[name] = {self._target(*call) for call in CALL.findall(body)}
        self.calls[name] |= {self.text[int(at) // WORD] for at in CALLBACK.findall(body)}

    def _target(self, at: str, offset: str, symbol: str) -> str:
        if symbol and symbol != ".text":
            return symbol
        distance = int.from_bytes(bytes.fromhex(offset), "little", signed=True)
        return self.text[distance + 1 + (0 if symbol else int(at))]

    @cache  # noqa: B019
    def deepest(self, name: str) -> tuple[int, tuple[str, ...]]:
        """Bytes, and the chain of calls that takes them."""
        own = -(-max(self.own.get(name, 0), 1) // STEP) * STEP
        below = [self.deepest(each) for each in self.calls.get(name, ())]
        most, chain = max(below, default=(0, ()))
        return own + most, (name, *chain)


@pytest.mark.parametrize("source", ["kernel", "virtual", "passive", "down"])
def test_no_chain_of_calls_takes_more_than_linux_6_1_allows(source: str) -> None:
    path = BUILT / f"penstock_{source}.bpf.o"
    if OBJDUMP is None or not path.exists():
        pytest.skip("llvm-objdump is not installed, or penstock-gw not built")
    stacks = Stacks(path)
    assert "gw_forward_tcp" in stacks.calls["penstock_forward"], "no calls were read"
    assert sum(stacks.own.values()) > MOST
    most, chain = max(stacks.deepest(name) for name in stacks.own)
    assert most <= MOST, " > ".join(f"{each} {stacks.own.get(each, 0)}" for each in chain)
