# SPDX-License-Identifier: GPL-2.0-only
"""The command `penstock` on another build of its simulator: with_native.py FILE ARGUMENT..."""

import importlib.util
import sys

import penstock


def load(path: str) -> None:
    """Replaces the installed extension module by `path`."""
    name = "penstock._native"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    penstock._native = module  # type: ignore[attr-defined]


if __name__ == "__main__":
    load(sys.argv.pop(1))
    from penstock.cli import main

    main()
