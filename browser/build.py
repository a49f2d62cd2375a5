# SPDX-License-Identifier: GPL-2.0-only
"""Builds build/browser/index.html: the simulator, compiled to WebAssembly, and the page."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from recipe import recipe

ROOT: Final = Path(__file__).resolve().parents[1]
OUT: Final = ROOT / "build/browser"
PAGE: Final = ROOT / "browser/page"
SCRIPTS: Final = (
    *("numbers.js", "setup.js", "row.js", "settings.js", "chart.js", "main.js", "controls.js"),
)
MOST_BYTES: Final = 1_500_000
SOURCES: Final = (
    *("sim/net/*.cpp", "sim/tcp/*.cpp", "sim/quic/*.cpp", "sim/gateway/*.cpp", "sim/traffic/*.cpp"),
    *("sim/setup/*.cpp", "browser/engine/*.cpp"),
)
# One unit, which takes a fifth of the time of its parts. -ffp-contract=off: the native numbers.
COMMAND: Final = (
    *("clang++-14", "--target=wasm32-wasi", "-std=c++20", "-Os", "-ffp-contract=off"),
    *("-fexceptions", "-fno-rtti", "-mexec-model=reactor", "-fuse-ld=/usr/bin/wasm-ld-14"),
    "-Wl,--gc-sections,--strip-all,-z,stack-size=1048576",
)
NEEDED: Final = "clang-14 lld-14 wasi-libc libc++-14-dev-wasm32 libclang-rt-14-dev-wasm32"


def _unit() -> str:
    """A source that includes all of them."""
    paths = sorted(path for pattern in SOURCES for path in ROOT.glob(pattern))
    return "".join(f'#include "{path.relative_to(ROOT)}"\n' for path in paths)


def _digest(unit: str) -> str:
    """Of everything that the module is compiled from."""
    found = hashlib.sha256(" ".join(COMMAND).encode() + unit.encode())
    for room in ("core", "sim", "browser/engine"):
        for path in sorted((ROOT / room).rglob("*.*")):
            if path.suffix in (".h", ".cpp"):
                found.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return found.hexdigest()


def engine() -> bytes:
    """The WebAssembly module; compiled again only if a source has changed."""
    unit, module, stamp = _unit(), OUT / "engine.wasm", OUT / "engine.digest"
    digest = _digest(unit)
    if not (module.exists() and stamp.exists() and stamp.read_text() == digest):
        command = [*COMMAND, f"-I{ROOT}", "-x", "c++", "-", "-o", str(module)]
        try:
            subprocess.run(command, input=unit.encode(), check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"the simulator was not compiled: {error}\nDebian's packages: {NEEDED}")
        stamp.write_text(digest)
    return module.read_bytes()


def _script(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def page() -> str:
    """All of it in one document."""
    data = json.dumps(recipe(), separators=(",", ":")).replace("</", "<\\/")
    scripts = 'const RECIPE = JSON.parse(document.getElementById("recipe").textContent);\n'
    scripts += "\n".join(map(_script, SCRIPTS))
    parts = {
        "/* style.css */": _script("style.css"),
        "/* recipe */": data,
        "/* engine */": base64.b64encode(engine()).decode(),
        "/* worker.js */": _script("worker.js"),
        "/* page */": scripts,
    }
    text = _script("index.html")
    for mark, part in parts.items():
        before, found, after = text.partition(mark)
        assert found, mark
        text = before + part + after
    return text


def main() -> None:
    """Writes the page."""
    OUT.mkdir(parents=True, exist_ok=True)
    text, file = page(), OUT / "index.html"
    if len(text.encode()) > MOST_BYTES:
        sys.exit(f"{file} would have {len(text.encode())} bytes; {MOST_BYTES} are the most")
    file.write_text(text, encoding="utf-8")
    print(f"{file.relative_to(ROOT)} ({len(text.encode()) // 1000} kB)")


if __name__ == "__main__":
    main()
