# SPDX-License-Identifier: GPL-2.0-only
"""Which backends, extras and tools are here, and how to get the others."""

import importlib.util
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from penstock.errors import UserError

_OK, _MISSING = "here", "missing"
_TOOLS: Final = {
    "ip": ("network namespaces of the live lab", "apt install iproute2"),
    "tc": ("queues of the live lab", "apt install iproute2"),
    "ethtool": ("offloads of the live lab", "apt install ethtool"),
    "penstock-gw": ("methods in this kernel", "make deb"),
}
_EXTRAS: Final = {
    "distributed": ("run --cluster", "cluster"),
    "gymnasium": ("penstock.gym", "gym"),
    "pyarrow": ("to_pandas() of results", "pandas"),
    "xarray": ("to_xarray() of results", "xarray"),
}
_INSTALL: Final = "tools/setup --extra {} in the checkout"  # or a wheel's file, docs/packaging.md


@dataclass(frozen=True)
class Finding:
    """One item: whether it is installed, its purpose, and how to get it."""

    what: str
    state: str
    about: str
    remedy: str = ""


def _simulator() -> Finding:
    from penstock.runs import backends

    return Finding("sim", _OK, backends.get("sim").engine)


def _backend(name: str, remedy: str) -> Finding:
    from penstock.runs import backends

    try:
        return Finding(name, _OK, backends.get(name).engine)
    except UserError as error:
        return Finding(name, _MISSING, str(error), remedy)


def _extra(name: str) -> Finding:
    about, extra = _EXTRAS[name]
    here = importlib.util.find_spec(name) is not None
    remedy = "" if here else _INSTALL.format(extra)
    return Finding(name, _OK if here else _MISSING, about, remedy)


def _ns3() -> Finding:
    """Not by the name of a module: a checkout has a folder that is called ns3."""
    from penstock.runs.backends import ns3_runner

    about = "ns-3 for --backend ns3"
    try:
        return Finding("ns3", _OK, f"{about}: {ns3_runner.version()}")
    except UserError:
        return Finding("ns3", _MISSING, about, _INSTALL.format("ns3"))


def _tool(name: str) -> Finding:
    about, remedy = _TOOLS[name]
    found = shutil.which(name)
    return (
        Finding(name, _OK, f"{about}: {found}") if found else Finding(name, _MISSING, about, remedy)
    )


def findings() -> Iterator[Finding]:
    """Backends, extras and tools, and what the kernel is; runs nothing."""
    yield _simulator()
    yield _backend("live", "run as root on Linux; docs/live.md")
    yield _ns3()
    yield from (_extra(name) for name in _EXTRAS)
    yield from (_tool(name) for name in _TOOLS)
    btf = os.path.exists("/sys/kernel/btf/vmlinux")
    kernel = f"{platform.system()} {platform.release()}"
    yield Finding("kernel", _OK, f"{kernel}, {'with' if btf else 'without'} BTF")
