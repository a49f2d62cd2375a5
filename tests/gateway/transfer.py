# SPDX-License-Identifier: GPL-2.0-only
"""Sends or receives a stream whose every byte is known; run inside a namespace.

transfer.py send|receive listen|connect ADDRESS PORT CHUNKS
"""

import hashlib
import socket
import sys

CHUNK = bytes(range(256)) * 64


def connect(how: str, address: str, port: int) -> socket.socket:
    """The one connection; says on the way that it listens."""
    if how == "connect":
        return socket.create_connection((address, port), timeout=60)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, port), family=family) as listener:
        print("ready", flush=True)
        return listener.accept()[0]


def receive(connection: socket.socket) -> None:
    """Prints the number and the digest of what comes."""
    digest, total = hashlib.sha256(), 0
    while data := connection.recv(1 << 16):
        digest.update(data)
        total += len(data)
    print(total, digest.hexdigest(), flush=True)


def send(connection: socket.socket, chunks: int) -> None:
    """Sends `chunks` times the same 16 KiB; prints the same of them."""
    digest = hashlib.sha256()
    for _ in range(chunks):
        connection.sendall(CHUNK)
        digest.update(CHUNK)
    print(chunks * len(CHUNK), digest.hexdigest(), flush=True)


def main() -> None:
    role, how, address, port, chunks = sys.argv[1:]
    with connect(how, address, int(port)) as connection:
        connection.settimeout(60)
        if role == "receive":
            receive(connection)
        else:
            send(connection, int(chunks))


if __name__ == "__main__":
    main()
