# SPDX-License-Identifier: GPL-2.0-only
"""Tries wheels in a root file system of another C library, without network, as a plain user.

Debian has musl, but no Python for it: musl-gcc compiles Debian's sources of Python 3.11 and of the
libraries that it needs. Nothing else is in that root, not even a shell.
"""

import os
import shutil
from pathlib import Path
from typing import Final

from wheel_trials import LOCK, MADE, WORK, rows, run

MUSL_NEEDS: Final = ("apt-get", "bwrap", "dpkg-source", "mmdebstrap", "musl-gcc")
# Wheels of dependencies have relative relocations (DT_RELR), which musl applies from 1.2.4 on.
MUSL_SUITE: Final = "trixie"
MUSL_LIBRARY: Final = "usr/lib/x86_64-linux-musl/libc.so"
MUSL_LOADER: Final = "ld-musl-x86_64.so.1"
SUITE: Final = "bookworm"  # its Python is 3.11
PYTHON: Final = "/usr/bin/python3.11"
SOURCES: Final = ("zlib", "libffi", "python3.11")
MUSL: Final = "x86_64-linux-musl"
CONFIGURE: Final = {
    "zlib": ("--static",),
    # The kernel's headers are not among musl's: libffi does without.
    "libffi": (
        *(f"--host={MUSL}", "--disable-shared", "--disable-docs", "--disable-exec-static-tramp"),
    ),
    "python3.11": (
        *(f"--build={MUSL}", "--prefix=/usr", "--with-ensurepip=no"),
        *("--disable-test-modules", "--without-doc-strings"),
    ),
}
# Of Modules/Setup.local: setup.py compiles it without the macro that it needs.
EXPAT: Final = """*shared*
pyexpat pyexpat.c -DPy_BUILD_CORE_MODULE -I$(srcdir)/Modules/expat Modules/expat/libexpat.a
"""
# Python asks its compiler for the name of the system, and looks for headers under it.
COMPILER: Final = f"""#!/bin/sh
case "$*" in
*-print-multiarch) echo {MUSL} ;;
*) exec musl-gcc "$@" ;;
esac
"""
# pip takes the wheels that fit the root's C library from those of these platforms.
PLATFORMS: Final = (
    *("musllinux_1_1_x86_64", "musllinux_1_2_x86_64"),
    *(f"manylinux_2_{minor}_x86_64" for minor in range(5, 29)),
)


def _mirrors() -> list[str]:
    """Where this machine gets Debian 12's packages from."""
    ask = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    return run("musl-mirror", [*ask, f"Codename: {SUITE}", "Component: main"]).split()


def musl_lacks() -> list[str]:
    """What is not installed of what the root with musl is made with."""
    programs = [name for name in MUSL_NEEDS if not shutil.which(name)]
    return programs or ([] if _mirrors() else [f"apt's list of {SUITE}"])


def _fetch_sources(folder: Path) -> None:
    """Debian's sources, from the mirror that this machine uses."""
    mirror = _mirrors()[0]
    apt = folder / "apt"
    (apt / "lists" / "partial").mkdir(parents=True)
    (apt / "sources.list").write_text(f"deb-src {mirror} {SUITE} main\n")
    options = {"Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": "-"}
    options |= {"Dir::State::lists": apt / "lists", "Dir::Cache": apt}
    given = [item for name, value in options.items() for item in ("-o", f"{name}={value}")]
    run("musl-lists", ["apt-get", *given, "update"])
    for source in SOURCES:
        get = ["apt-get", *given, "source", "--download-only", source]
        run(f"musl-{source}-source", get, where=apt)
        [description] = apt.glob(f"{source}_*.dsc")
        unpack = ["dpkg-source", "--no-check", "-x", description, folder / source]
        run(f"musl-{source}-unpack", unpack)


def _compile(folder: Path) -> None:
    """The libraries, each into the same prefix, and Python, in its own folder."""
    prefix, compiler = folder / "prefix", folder / "musl-cc"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    settings = {
        "CC": str(compiler),
        "CFLAGS": "-O1 -fPIC",
        "CPPFLAGS": f"-I{prefix}/include",
        "LDFLAGS": f"-L{prefix}/lib",
        "PKG_CONFIG_LIBDIR": str(prefix / "lib" / "pkgconfig"),
    }
    for source in SOURCES:
        library = source != PYTHON.rpartition("/")[2]
        options = [*([f"--prefix={prefix}"] if library else []), *CONFIGURE[source]]
        where = folder / source
        if not library:
            (where / "Modules" / "Setup.local").write_text(EXPAT)
        run(f"musl-{source}-configure", ["./configure", *options], settings, where)
        run(f"musl-{source}-make", ["make", f"-j{os.cpu_count()}"], settings, where)
        if library:
            run(f"musl-{source}-install", ["make", "install"], settings, where)


def musl_root() -> Path:
    """A root file system with musl and Python 3.11."""
    folder = WORK / "musl"
    root = folder / "root"
    if not (root / PYTHON[1:]).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _fetch_sources(folder)
        _compile(folder)
        built = folder / "python3.11"
        library = root / "usr" / "lib" / "python3.11"
        shutil.copytree(
            built / "Lib", library, ignore=shutil.ignore_patterns("test", "__pycache__")
        )
        [modules] = (built / "build").glob("lib.*")
        shutil.copytree(modules, library / "lib-dynload")
        shutil.copy(next((built / "Modules").glob("pyexpat.*.so")), library / "lib-dynload")
        packages = folder / "packages"
        unpack = ["mmdebstrap", "--variant=extract", "--include=musl", MUSL_SUITE, packages]
        run("musl-packages", unpack)
        (root / "lib").mkdir()
        shutil.copy(packages / MUSL_LIBRARY, root / "lib" / MUSL_LOADER)
        (root / "usr" / "bin").mkdir()
        shutil.copy(built / "python", root / PYTHON[1:])
    return root


def _enter(name: str, root: Path, tools: Path) -> list[str | Path]:
    """What runs a command in the root, as a user who owns only the home."""
    home = WORK / "envs" / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    for folder in ("dev", "mnt", "proc", "tmp"):
        (root / folder).mkdir(exist_ok=True)
    [pip] = tools.parent.glob("lib/python3*/site-packages/pip")
    enter = ["bwrap", "--unshare-all", "--uid", "1000", "--gid", "1000", "--ro-bind", root, "/"]
    enter += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/mnt"]
    enter += ["--bind", home, "/mnt/home", "--chdir", "/mnt/home", "--clearenv"]
    shown = {"pip": pip, "made": MADE, "requirements.lock": LOCK}
    for inside, path in {**shown, "dependencies": WORK / "dependencies"}.items():
        enter += ["--ro-bind", path, f"/mnt/{inside}"]
    environment = {"HOME": "/mnt/home", "PATH": "/mnt/home/env/bin:/usr/bin"}
    return enter + [item for pair in environment.items() for item in ("--setenv", *pair)]


def fetch_dependencies(tools: Path) -> None:
    """The locked dependencies' wheels for Python 3.11, for both C libraries."""
    for number, platforms in enumerate((PLATFORMS[:2], PLATFORMS[2:])):
        fetch: list[str | Path] = [tools / "pip", "download", "--only-binary", ":all:"]
        fetch += ["--python-version", "3.11", "--require-hashes", "-r", LOCK]
        fetch += [item for platform in platforms for item in ("--platform", platform)]
        run(f"dependencies-{number}", [*fetch, "-d", WORK / "dependencies"])


def try_in_root(name: str, root: Path, tools: Path) -> str:
    """The rows of a run in the root, with the wheel that its pip picks of those that were made."""
    enter = _enter(name, root, tools)
    run(f"{name}-venv", [*enter, PYTHON, "-m", "venv", "--without-pip", "env"])
    pip = [*enter, "python3.11", "/mnt/pip", "install", "--no-index"]
    locked = ["--find-links", "/mnt/dependencies", "--require-hashes", "-r"]
    run(f"{name}-lock", [*pip, *locked, "/mnt/requirements.lock"])
    made = ["--no-deps", "--only-binary", ":all:", "--find-links", "/mnt/made", "penstock"]
    run(f"{name}-install", [*pip, *made])
    for program in ("penstock-link", "penstock-load"):
        run(f"{name}-{program}", [*enter, program, "--help"])
    return rows(name, [*enter, "penstock"])
