# SPDX-License-Identifier: GPL-2.0-only
"""The memory that the kernel accounts to a command, which its maps keep after its end."""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOTS = {  # where a group is made, and what counts the kernel's memory for it
    Path("/sys/fs/cgroup/memory"): "memory.kmem.usage_in_bytes",
    Path("/sys/fs/cgroup"): "memory.stat",
}
KERNEL = "kernel "  # its line in memory.stat
LIBBPF = "libbpf.so.1"
ANY = 0  # BPF_ANY


class Accounted:
    """A memory control group."""

    def __init__(self, folder: Path, counter: str) -> None:
        self.folder, self.counter = folder, counter

    def run(self, command: list[str]) -> None:
        """Runs a command in it."""
        join = 'echo $$ > "$0/cgroup.procs"; exec "$@"'
        subprocess.run(["sh", "-c", join, str(self.folder), *command], check=True)

    def kernel_bytes(self) -> int:
        """The kernel's memory for what was run in it, as long as that exists."""
        text = (self.folder / self.counter).read_text()
        if self.counter != "memory.stat":
            return int(text)
        [line] = [one for one in text.splitlines() if one.startswith(KERNEL)]
        return int(line.removeprefix(KERNEL))


@contextmanager
def accounted(name: str) -> Iterator[Accounted]:
    """A new group; skips where the kernel accounts no memory of its own."""
    for root, counter in ROOTS.items():
        folder = root / name
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if (folder / counter).exists():
                yield Accounted(folder, counter)
                return
        finally:
            folder.rmdir()
    pytest.skip("no control group of memory")


def fill(pin: Path, count: int, key_bytes: int, value_bytes: int) -> None:
    """Puts `count` entries of zeros with numbered keys into a pinned map."""
    try:
        bpf = ctypes.CDLL(LIBBPF, use_errno=True)
    except OSError:
        pytest.skip(f"{LIBBPF} is not installed")
    fd = bpf.bpf_obj_get(str(pin).encode())
    assert fd >= 0, os.strerror(ctypes.get_errno())
    key, value = ctypes.create_string_buffer(key_bytes), ctypes.create_string_buffer(value_bytes)
    update, flags = bpf.bpf_map_update_elem, ctypes.c_uint64(ANY)
    try:
        for number in range(count):
            key[:4] = number.to_bytes(4, "little")
            assert update(fd, key, value, flags) == 0, os.strerror(ctypes.get_errno())
    finally:
        os.close(fd)
