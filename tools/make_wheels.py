# SPDX-License-Identifier: GPL-2.0-only
"""Builds the sdist and, from it, wheels for x86-64 and arm64; tries each in a clean environment.

One wheel for Python 3.11, one for all from 3.12 on (stable ABI), as far as this machine has these
versions (on PATH, or in PENSTOCK_PYTHONS), and the same for glibc 2.28 and for musl, compiled by
zig. The wheel for musl is tried in a root file system with musl alone (tools/wheel_roots.py); those
of PENSTOCK_ROOTS, separated by colons and each with Python 3.11, try the wheel that they take.
The arm64 wheel is for Debian's Python 3.11, compiled with Debian's cross compiler against packages
unpacked by mmdebstrap, and tried under qemu. Each trial installs the pinned dependencies, runs
`penstock --version` and a small scenario, and must print the same rows as the others. --short makes
and tries the wheel of this Python alone.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from run_tests import ROOT, say
from wheel_roots import fetch_dependencies, musl_lacks, musl_root, try_in_root
from wheel_trials import LOCK, LOGS, MADE, WORK, Environment, rows, run

TOOLS: Final = ROOT / "requirements" / "wheels.lock"
ZIG: Final = ROOT / "requirements" / "zig.lock"
ZIG_TARGETS: Final = {"glibc": "x86_64-linux-gnu.2.28", "musl": "x86_64-linux-musl"}
MUSL_PLATFORM: Final = "musllinux_1_2_x86_64"
MUSL_SUFFIX: Final = ".cpython-311-x86_64-linux-musl.so"
HEADERS: Final = {"CLI11": "CLI", "nlohmann_json": "nlohmann"}  # by CMake package, in /usr/include
NEWEST_TRIED: Final = 15  # of Python 3
STABLE_ABI: Final = (3, 12)
ARM64_PYTHON: Final = (3, 11)  # Debian 12's
ARM64_NEEDS: Final = ("aarch64-linux-gnu-g++", "mmdebstrap", "qemu-aarch64-static")
ARM64_PACKAGES: Final = (
    *("libc6-dev", "libstdc++-12-dev", "libpython3.11-dev", "python3.11"),
    *("libcli11-dev", "nlohmann-json3-dev"),
)
ARM64_PLATFORMS: Final = [f"manylinux_2_{minor}_aarch64" for minor in range(17, 37)]

Version = tuple[int, int]


def pythons() -> dict[Version, str]:
    """The interpreters of this machine that Penstock can be installed for."""
    named = os.environ.get("PENSTOCK_PYTHONS", "").split(":")
    names = [name for name in named if name] or [
        sys.executable,
        *(f"python3.{minor}" for minor in range(11, NEWEST_TRIED + 1)),
    ]
    found: dict[Version, str] = {}
    for name in names:
        ask = [name, "-c", "import sys, venv; print(sys._base_executable, *sys.version_info[:2])"]
        try:
            done = subprocess.run(ask, capture_output=True, text=True, check=False)
        except OSError:
            continue
        if done.returncode == 0:
            path, major, minor = done.stdout.rsplit(maxsplit=2)
            found.setdefault((int(major), int(minor)), path)
    return dict(sorted(found.items()))


def environment(name: str, python: str, *locks: Path) -> Path:
    """A new virtual environment with what the lock files pin; its bin folder."""
    folder = WORK / "envs" / name
    shutil.rmtree(folder, ignore_errors=True)
    run(f"{name}-venv", [python, "-m", "venv", folder])
    pip = folder / "bin" / "pip"
    install = [pip, "install", "--require-hashes", "--only-binary", ":all:"]
    if locks:
        run(f"{name}-lock", [*install, *(item for lock in locks for item in ("-r", lock))])
    return folder / "bin"


def epoch() -> Environment:
    """The time that archives give their files: that of the commit."""
    asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return {"SOURCE_DATE_EPOCH": done.stdout.strip()} if done.returncode == 0 else {}


def make_sdist(tools: Path) -> Path:
    """The sdist, and its content in WORK/source, which the wheels are built from."""
    build = [tools / "python", "-m", "build", "--no-isolation", "--sdist", "-o", MADE, ROOT]
    run("sdist", build, epoch())
    [sdist] = MADE.glob("*.tar.gz")
    source = WORK / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.unpack_archive(sdist, WORK / "unpacked", filter="data")
    (WORK / "unpacked" / sdist.name.removesuffix(".tar.gz")).rename(source)
    return sdist


def make_wheel(
    name: str, tools: Path, defines: Iterable[str] = (), *, musl: bool = False, **more: str
) -> Path:
    """A wheel that fits the oldest glibc that its symbols allow, or musl."""
    raw = WORK / "raw" / name
    shutil.rmtree(raw, ignore_errors=True)
    settings = [
        f"build-dir={WORK / 'objects' / name}",
        *(f"cmake.define.{define}" for define in defines),
    ]
    build = [tools / "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", raw]
    build += [f"--config-settings={setting}" for setting in settings]
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    run(f"wheel-{name}", [*build, WORK / "source"], {**path, **epoch(), **more})
    [plain] = raw.glob("*.whl")
    before = set(MADE.iterdir())
    repair = [tools / "auditwheel", "repair", "-w", MADE]
    if musl:
        # auditwheel reads that from the name, and takes libc.so, which is musl, for a library.
        plain = plain.rename(raw / plain.name.replace("linux_x86_64", MUSL_PLATFORM))
        repair += ["--exclude", "libc.so"]
    run(f"repair-{name}", [*repair, plain], path)
    [wheel] = set(MADE.iterdir()) - before
    return wheel


def try_package(name: str, python: str, package: Path) -> str:
    """The rows of a run from a clean environment with the wheel or sdist alone."""
    sdist = package.suffix == ".gz"
    tools = environment(name, python, LOCK, *([TOOLS] if sdist else []))
    offline = ["--no-index", "--no-deps", *(["--no-build-isolation"] if sdist else [])]
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    run(f"{name}-install", [tools / "pip", "install", *offline, package], path)
    run(f"{name}-check", [tools / "pip", "check"])
    for program in ("penstock-link", "penstock-load"):
        if (tools / program).exists():
            run(f"{name}-{program}", [tools / program, "--help"])
    return rows(name, [tools / "penstock"])


def arm64_root() -> Path:
    """An arm64 Debian of unpacked packages: headers, libraries and Python 3.11."""
    root = WORK / "arm64-root"
    if not (root / "usr" / "bin" / "python3.11").exists():
        shutil.rmtree(root, ignore_errors=True)
        packages = ",".join(ARM64_PACKAGES)
        make = ["mmdebstrap", "--variant=extract", "--arch=arm64", f"--include={packages}"]
        run("arm64-root", [*make, "bookworm", root])
    return root


def make_arm64_wheel(tools: Path, root: Path) -> Path:
    """The wheel for Python 3.11 on arm64, cross-compiled."""
    defines = (
        f"CMAKE_TOOLCHAIN_FILE={WORK / 'source' / 'cmake' / 'aarch64-linux-gnu.cmake'}",
        f"PENSTOCK_SYSROOT={root}",
        f"Python_INCLUDE_DIR={root / 'usr' / 'include' / 'python3.11'}",
    )
    return make_wheel(
        "arm64-cp311",
        tools,
        defines,
        _PYTHON_HOST_PLATFORM="linux-aarch64",
        SETUPTOOLS_EXT_SUFFIX=".cpython-311-aarch64-linux-gnu.so",
    )


def try_arm64(tools: Path, root: Path, wheel: Path) -> str:
    """The rows of a run under qemu, with arm64's Python and arm64 wheels of the dependencies."""
    site = WORK / "envs" / "arm64"
    shutil.rmtree(site, ignore_errors=True)
    target = ["--only-binary", ":all:", "--python-version", "3.11", "--target", site]
    target += [item for name in ARM64_PLATFORMS for item in ("--platform", name)]
    install = [tools / "pip", "install", *target]
    run("arm64-lock", [*install, "--require-hashes", "-r", LOCK])
    run("arm64-install", [*install, "--no-index", "--no-deps", wheel])
    qemu = ["qemu-aarch64-static", "-L", root]
    for program in ("penstock-link", "penstock-load"):
        if (site / "bin" / program).exists():
            run(f"arm64-{program}", [*qemu, site / "bin" / program, "--help"])
    python = [*qemu, root / "usr" / "bin" / "python3.11", "-m", "penstock"]
    return rows("arm64", python, {"PYTHONPATH": str(site)})


def zig_program(python: str) -> Path:
    """The compiler, in an environment of its own."""
    tools = environment("zig", python, ZIG)
    ask: list[str | Path] = [tools / "python", "-c", "import ziglang; print(ziglang.__path__[0])"]
    return Path(run("zig-path", ask).strip()) / "zig"


def make_portable_wheel(name: str, libc: str, tools: Path, zig: Path) -> Path:
    """A wheel for another C library: of this machine's headers it sees those libraries alone."""
    headers = WORK / "headers"
    headers.mkdir(exist_ok=True)
    for folder in HEADERS.values():
        (headers / folder).unlink(missing_ok=True)
        (headers / folder).symlink_to(Path("/usr/include") / folder)
    defines = (
        f"CMAKE_TOOLCHAIN_FILE={WORK / 'source' / 'cmake' / 'zig.cmake'}",
        f"PENSTOCK_ZIG={zig}",
        f"PENSTOCK_ZIG_TARGET={ZIG_TARGETS[libc]}",
        *(f"CMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in HEADERS),
        *(f"{package}_INCLUDE={headers}" for package in HEADERS),
    )
    if libc == "musl":
        return make_wheel(name, tools, defines, musl=True, SETUPTOOLS_EXT_SUFFIX=MUSL_SUFFIX)
    return make_wheel(name, tools, defines)


def tried(what: str, found: str, agreed: list[str]) -> None:
    """Says that a trial went well; the same version prints the same rows everywhere."""
    agreed.append(found)
    if found != agreed[0]:
        sys.exit(f"penstock: {what}: its rows are not those of the first trial: {LOGS}")
    say(f"{what}: installed and tried")


def try_wheels(
    wheels: Mapping[Version, Path], here: Mapping[Version, str], agreed: list[str]
) -> None:
    """Tries with each Python the wheel that fits it."""
    for version, python in here.items():
        wheel = wheels[max(v for v in wheels if v <= version)]
        name = f"python3.{version[1]}"
        tried(f"{wheel.name} with {name}", try_package(name, python, wheel), agreed)


def build_for(version: Version, here: Mapping[Version, str]) -> bool:
    """Whether a wheel is to be built with this Python: 3.11, and the oldest with a stable ABI."""
    return version < STABLE_ABI or version == min(v for v in here if v >= STABLE_ABI)


def arm64(tools: Mapping[Version, Path], agreed: list[str]) -> None:
    """Makes and tries the arm64 wheel, or says what that lacks."""
    missing = [name for name in ARM64_NEEDS if not shutil.which(name)]
    if missing or ARM64_PYTHON not in tools:
        say(f"arm64 is left out: {', '.join(missing) or 'Python 3.11'} is not installed")
        return
    root = arm64_root()
    wheel = make_arm64_wheel(tools[ARM64_PYTHON], root)
    tried(f"{wheel.name} under qemu", try_arm64(tools[ARM64_PYTHON], root, wheel), agreed)


def roots() -> dict[str, Path]:
    """Root file systems in which a wheel is tried; says what the one for musl lacks."""
    named = [Path(name) for name in os.environ.get("PENSTOCK_ROOTS", "").split(":") if name]
    found = {f"root-{number}": root for number, root in enumerate(named, 1)}
    if missing := musl_lacks():
        say(f"the wheel for musl is not tried: {', '.join(missing)} is not installed")
        return found
    return {"musl-root": musl_root(), **found}


def portable(tools: Mapping[Version, Path], here: Mapping[Version, str], agreed: list[str]) -> None:
    """Makes and tries the wheels that zig compiles."""
    zig = zig_program(here[min(here)])
    for libc in ZIG_TARGETS:
        names = {v: f"{libc}-cp3{v[1]}" for v in tools}
        made = {v: make_portable_wheel(names[v], libc, tools[v], zig) for v in tools}
        if libc == "glibc":
            try_wheels(made, here, agreed)
    if (3, 11) not in tools:
        say("no wheel is tried in another root: Python 3.11 is not installed")
        return
    found = roots()
    if found:
        fetch_dependencies(tools[3, 11])
    for name, root in found.items():
        tried(f"a wheel in {root}", try_in_root(name, root, tools[3, 11]), agreed)


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if all that this machine can build was built and works."""
    short = "--short" in arguments
    for folder in (MADE, WORK / "raw"):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (MADE, LOGS):
        folder.mkdir(parents=True, exist_ok=True)
    here = {v: path for v, path in pythons().items() if not short or v == sys.version_info[:2]}
    tools = {v: environment(f"tools-3.{v[1]}", here[v], TOOLS) for v in here if build_for(v, here)}
    oldest, agreed = min(here), list[str]()
    sdist = make_sdist(tools[oldest])
    try_wheels({v: make_wheel(f"cp3{v[1]}", tools[v]) for v in tools}, here, agreed)
    if not short and platform.machine() == "x86_64":
        portable(tools, here, agreed)
    if not short:
        tried(sdist.name, try_package("sdist", here[oldest], sdist), agreed)
        arm64(tools, agreed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
