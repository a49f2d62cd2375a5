# SPDX-License-Identifier: GPL-2.0-only
"""Sends or receives a stream whose every byte is known; run inside a namespace."""

import hashlib
import socket
import sys

CHUNK = bytes(range(256)) * 64


def receive(address: str, port: int) -> None:
    """Prints the number and the digest of the bytes of one connection."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, port), family=family)
    print("ready", flush=True)
    connection, _ = listener.accept()
    digest, total = hashlib.sha256(), 0
    while data := connection.recv(1 << 16):
        digest.update(data)
        total += len(data)
    print(total, digest.hexdigest(), flush=True)


def send(address: str, port: int, chunks: int) -> None:
    """Sends `chunks` times the same 16 KiB."""
    digest = hashlib.sha256()
    with socket.create_connection((address, port), timeout=10) as connection:
        connection.settimeout(60)
        for _ in range(chunks):
            connection.sendall(CHUNK)
            digest.update(CHUNK)
    print(chunks * len(CHUNK), digest.hexdigest(), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(sys.argv[2], int(sys.argv[3]))
    else:
        send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
