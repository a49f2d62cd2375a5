# SPDX-License-Identifier: GPL-2.0-only
"""A download over QUIC by aioquic, which has no command of its own.

As a program it is either end:
python -m penstock.runs.clients.quic serve ADDRESS PORT
python -m penstock.runs.clients.quic fetch ADDRESS PORT BYTES FROM_NS UNTIL_NS
"""

import asyncio
import datetime
import ssl
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from penstock.runs.clients.lab import Lab, Report
from penstock.runs.live.busy import BusyError
from penstock.runs.live.session import Process

_SERVER: Final = "senders"
_CLIENT: Final = "receivers"
_ALPN: Final = ["penstock-test"]
_READ_BYTES: Final = 1 << 16
_READY_S: Final = 10.0
_MOST_MBPS: Final = 100


@dataclass(frozen=True)
class Quic:
    """One connection with one stream, which lasts to the end of the run."""

    needs: ClassVar[Sequence[str]] = ("aioquic",)

    name: str = "quic"
    start_s: float = 0.0
    port: int = 4433

    def _command(self, lab: Lab, what: str) -> list[str]:
        address = lab.address(_SERVER)
        return [sys.executable, "-m", "penstock.runs.clients.quic", what, address, str(self.port)]

    def serve(self, lab: Lab) -> None:
        """A server with a certificate of its own."""
        name = f"the server of {self.name}"
        lab.spawn(name, _SERVER, *self._command(lab, "serve")).wait_ready(_READY_S)

    def start(self, lab: Lab) -> list[Process]:
        """A download of more than fits into the run."""
        size = int((lab.end_s - self.start_s) * _MOST_MBPS * 1e6 / 8)
        times = [str(lab.at_ns(lab.warm_up_s)), str(lab.at_ns(lab.end_s))]
        return [lab.spawn(self.name, _CLIENT, *self._command(lab, "fetch"), str(size), *times)]

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """Its rate after the warm-up."""
        (process,) = processes
        try:
            count, connected_ns = map(int, process.text().split())
        except ValueError:
            raise RuntimeError(f"aioquic ({self.name}): {process.complaint()}") from None
        if connected_ns > lab.at_ns(lab.warm_up_s):
            raise BusyError(f"{self.name} was connected only after the warm-up")
        return Report([count * 8e-6 / (lab.end_s - lab.warm_up_s)])


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends as many bytes as the stream asks for."""
    writer.write(bytes(int(await reader.readline())))
    writer.write_eof()


async def _serve(address: str, port: int) -> None:
    from aioquic.asyncio.server import serve
    from aioquic.quic.configuration import QuicConfiguration
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "penstock test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    configuration = QuicConfiguration(alpn_protocols=_ALPN, is_client=False)
    configuration.certificate, configuration.private_key = certificate, key
    tasks = set()

    def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.ensure_future(_answer(reader, writer)))

    await serve(address, port, configuration=configuration, stream_handler=handle)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def _count(reader: asyncio.StreamReader, span_ns: tuple[int, int]) -> int:
    """The bytes that arrive within the span."""
    count = 0
    while (left_ns := span_ns[1] - time.monotonic_ns()) > 0:
        try:
            data = await asyncio.wait_for(reader.read(_READ_BYTES), left_ns * 1e-9)
        except TimeoutError:
            break
        if not data:
            raise RuntimeError("the connection ended early")
        if time.monotonic_ns() >= span_ns[0]:
            count += len(data)
    return count


async def _fetch(address: str, port: int, size: int, span_ns: tuple[int, int]) -> tuple[int, int]:
    """The bytes that arrive within the span, and when it was connected."""
    from aioquic.asyncio.client import connect
    from aioquic.quic.configuration import QuicConfiguration

    configuration = QuicConfiguration(alpn_protocols=_ALPN, verify_mode=ssl.CERT_NONE)
    async with connect(address, port, configuration=configuration) as connection:
        connected_ns = time.monotonic_ns()
        reader, writer = await connection.create_stream()
        writer.write(f"{size}\n".encode())
        return await _count(reader, span_ns), connected_ns


def _main(what: str, address: str, port: str, *numbers: str) -> None:
    if what == "serve":
        asyncio.run(_serve(address, int(port)))
    else:
        size, begin_ns, end_ns = (int(each) for each in numbers)
        print(*asyncio.run(_fetch(address, int(port), size, (begin_ns, end_ns))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
