# SPDX-License-Identifier: GPL-2.0-only
"""Echoes by ssh: how long a line takes to sshd and back, as somebody who types feels it.

As a program it keeps several sessions busy and prints the times of their echoes:
python -m penstock.runs.clients.echo COUNT EVERY_S BYTES FROM_NS UNTIL_NS SSH...
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from penstock.runs.clients.lab import Lab, Report, path_of, printed_times_ms
from penstock.runs.live.busy import BusyError
from penstock.runs.live.session import Process, run

_SERVER: Final = "senders"
_CLIENT: Final = "receivers"
_PRIVILEGE_SEPARATION: Final = Path("/run/sshd")  # sshd(8), FILES
_ECHO_S: Final = 20.0

_CONFIG: Final = """\
Port {port}
ListenAddress {address}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin prohibit-password
PasswordAuthentication no
MaxStartups 100
"""


@dataclass(frozen=True)
class Echo:
    """`count` sessions, each with a line every so often, whose echo is awaited."""

    needs: ClassVar[Sequence[str]] = ("ssh", "sshd", "ssh-keygen")

    name: str = "echo"
    count: int = 5
    every_s: float = 0.1
    line_bytes: int = 100
    start_s: float = 0.0
    port: int = 2222

    def _folder(self, lab: Lab) -> Path:
        return lab.session.folder / self.name

    def serve(self, lab: Lab) -> None:
        """An sshd with keys that live as long as the lab."""
        folder = self._folder(lab)
        folder.mkdir()
        for key in ("host", "user"):
            command = [path_of("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f"]
            run([*command, str(folder / key)])
        config = folder / "sshd_config"
        address = lab.address(_SERVER)
        config.write_text(
            _CONFIG.format(port=self.port, address=address, folder=folder), encoding="utf-8"
        )
        _PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
        command = [path_of("sshd"), "-D", "-e", "-f", str(config)]
        server = lab.spawn(f"the server of {self.name}", _SERVER, *command)
        lab.wait_listening(server, _SERVER, self.port)

    def start(self, lab: Lab) -> list[Process]:
        """The sessions, whose echoes count after the warm-up."""
        ssh = [path_of("ssh"), "-T", "-F", "none", "-i", str(self._folder(lab) / "user")]
        ssh += ["-p", str(self.port), "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes"]
        ssh += ["-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
        ssh += [f"root@{lab.address(_SERVER)}", "exec cat"]
        times = [str(lab.at_ns(lab.warm_up_s)), str(lab.at_ns(lab.end_s))]
        numbers = [str(self.count), str(self.every_s), str(self.line_bytes), *times]
        own = [sys.executable, "-m", "penstock.runs.clients.echo"]
        return [lab.spawn(self.name, _CLIENT, *own, *numbers, *ssh)]

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """The time of each echo."""
        (process,) = processes
        times_ms = printed_times_ms(process, f"ssh ({self.name})")
        if not times_ms:
            # A session that nothing answers ends with an error.
            raise BusyError(f"ssh ({self.name}): no session was open before the run's end")
        return Report(times_ms=times_ms)


async def _talk(
    ssh: Sequence[str], every_s: float, size: int, span_ns: tuple[int, int]
) -> list[float]:
    """One session until its end; the times in ms of its echoes within the span."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*ssh, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    line, times_ms = b"." * (size - 1) + b"\n", []
    while (begin_ns := time.monotonic_ns()) < span_ns[1]:
        process.stdin.write(line)
        if not await asyncio.wait_for(process.stdout.readline(), _ECHO_S):
            raise RuntimeError("a session ended early")
        taken_ns = time.monotonic_ns() - begin_ns
        if begin_ns >= span_ns[0]:
            times_ms.append(taken_ns * 1e-6)
        await asyncio.sleep(max(0.0, every_s - taken_ns * 1e-9))
    process.stdin.close()
    await asyncio.wait_for(process.wait(), _ECHO_S)
    return times_ms


async def _talk_all(arguments: Sequence[str]) -> list[float]:
    count, every_s, size = int(arguments[0]), float(arguments[1]), int(arguments[2])
    span_ns = int(arguments[3]), int(arguments[4])
    talks = [_talk(arguments[5:], every_s, size, span_ns) for _ in range(count)]
    return [each for times_ms in await asyncio.gather(*talks) for each in times_ms]


if __name__ == "__main__":
    json.dump(asyncio.run(_talk_all(sys.argv[1:])), sys.stdout)
