# SPDX-License-Identifier: GPL-2.0-only
"""Live runs with modules that few kernels have: under Debian's Linux 6.1, in QEMU.

`senders` compares Linux' congestion controls with those of the simulator (docs/cc.md), `peers`
the kernel's queue disciplines and window laws over them, `beyond` more flows than segments on both
(docs/guest.md). Results are kept in FOLDER, and a repeated command runs what is missing. --short:
a few seconds of each.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from run_tests import BIN, BUILD, ENV
from tree import ROOT

PENSTOCK: Final = str(BIN / "penstock")
TOOLS: Final = BUILD / "tests" / "linux" / "gateway"
GUEST_S: Final = 3 * 3600  # QEMU takes two to four times the emulated time
BOOTS: Final = 4
BACKEND: Final = ("--backend", "live")
CONTROLS: Final = ("newreno", "cubic", "westwood_plus", "bic", "highspeed", "scalable", "vegas")
QUEUES: Final = ("fq_codel", "cake", "pie")
METHODS: Final = (
    *("droptail", "integral", "penstock"),
    *(f"linux_{queue}{signal}" for queue in QUEUES for signal in ("", "_ecn")),
    *(f"{law}_linux_{queue}" for queue in QUEUES[:2] for law in ("integral", "penstock")),
)
DELAYS: Final = ("2ms", "20ms", "100ms")


def _scenario(name: str) -> str:
    return str(ROOT / "scenarios" / "live" / f"{name}.toml")


def _run(name: str, *options: str) -> list[str]:
    return [PENSTOCK, "run", _scenario(name), *options]


def _senders(short: bool) -> list[str]:
    """The run that both kinds of senders make."""
    if short:
        clock = ("--set", "time.limit=6s", "--set", "time.warm_up=2s")
        return _run("senders", "-n", "1", "--set", "tcp.bulk.congestion=bic", *clock)
    return _run("senders", "--sweep", f"tcp.bulk.congestion={','.join(CONTROLS)}")


def _peers(short: bool) -> list[str]:
    if short:
        return _run("peers", "-m", "penstock_linux_cake", "-n", "8", "--set", "time.limit=6s")
    delays = f"link.bottleneck.delay={','.join(DELAYS)}"
    return _run("peers", "-m", ",".join(METHODS), "--sweep", delays)


def _beyond(short: bool) -> list[str]:
    if short:
        return _run("beyond", "-m", "penstock", "-n", "96", "--set", "time.limit=24s")
    return _run("beyond", "--sweep", "gateway.left.beyond=none,pace-acks")


def _guest(folder: Path, command: Sequence[str]) -> int:
    """Runs a command in the guest, which has `folder` at /mnt."""
    kernel = subprocess.run(
        [ROOT / "tools" / "debian-kernel"], stdout=subprocess.PIPE, text=True, check=False
    )
    if kernel.returncode:
        return kernel.returncode
    guest = [str(ROOT / "tests" / "live" / "guest"), kernel.stdout.strip(), str(folder)]
    env = {**ENV, "PATH": f"{TOOLS}:{ENV['PATH']}"}
    ready = 'for program in "$@"; do cat "$(command -v "$program")" >/dev/null; done'
    programs = ("penstock-load", "penstock-link", "penstock-gw", "ip", "tc")
    script = f"set -- {' '.join(programs)}\n{ready}\n{shlex.join(command)}\n"
    (folder / "each").write_text(script)
    # A command of the lab that waits for a file of this machine's may exceed its time limit, since
    # the guest's clock skips the wait; the next boot runs what is missing.
    for _ in range(BOOTS):
        done = subprocess.run([*guest, "sh", "/mnt/each"], env=env, timeout=GUEST_S, check=False)
        if not done.returncode:
            break
    return done.returncode


def _both(folder: Path, command: Sequence[str]) -> int:
    """Runs a command in the guest and in the simulator, and shows how near they are."""
    if code := _guest(folder, [*command, *BACKEND, "-o", "/mnt/live"]):
        return code
    for step in (
        [*command, "-o", str(folder / "sim")],
        [PENSTOCK, "live", "compare", str(folder / "live"), str(folder / "sim")],
    ):
        if code := subprocess.run(step, env=ENV, check=False).returncode:
            return code
    return 0


def senders(folder: Path, short: bool) -> int:
    """Both kinds of senders on the same link."""
    return _both(folder, _senders(short))


def beyond(folder: Path, short: bool) -> int:
    """More flows than segments."""
    return _both(folder, _beyond(short))


def peers(folder: Path, short: bool) -> int:
    """The kernel's queues and window laws."""
    return _guest(folder, [*_peers(short), *BACKEND, "-o", "/mnt/live"])


WHAT: Final = {"beyond": beyond, "peers": peers, "senders": senders}


def main() -> int:
    """The exit code of the first command that failed, or 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=sorted(WHAT))
    parser.add_argument("-o", dest="folder", type=Path, help="default: build/guest/WHAT")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    folder = given.folder or BUILD / "guest" / given.what
    folder.mkdir(parents=True, exist_ok=True)
    return WHAT[given.what](folder.resolve(), given.short)


if __name__ == "__main__":
    sys.exit(main())
