# SPDX-License-Identifier: GPL-2.0-only
"""Reproduces a paper and packs scenarios, results, report and versions for an archive.

    tools/make_artifact.py PAPER [OPTION OF penstock reproduce]...

The archive is build/artifact/penstock-VERSION-PAPER.tar.gz. The same results give the same bytes.
"""

import gzip
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from artifact_check import SUMS

from penstock.api.reproduce.papers import PAPERS
from penstock.errors import UserError
from penstock.results import sealed
from penstock.runs import provenance
from penstock.scenario.read import find
from penstock.version import version

ROOT: Final = Path(__file__).resolve().parents[1]
WORK: Final = ROOT / "build" / "artifact"
LEFT_OUT: Final = (".lock",)  # of a folder of results
README: Final = """\
# {title}

Penstock's reproduction of this paper: scenarios, results, report and versions.

| file | content |
|---|---|
| `results/reproduce.html` | the paper's statements beside what was found; open it in a browser |
| `results/` | all results: one file per run in `cells/`, tables in Parquet, a report per scenario |
| `statements.jsonl` | the statements as data, one JSON object per line |
| `scenarios/` | the scenarios as they were run |
| `source.tar.gz`, `requirements.lock` | Penstock as it ran them, and its dependencies |
| `versions.json` | commit, engine, versions and machine |
| `check.py`, `{sums}` | the check |

## Check

That no file was changed since the archive was made (Python's standard library is enough):

    python3 check.py        # or: sha256sum -c {sums}

That the results can be repeated, with Penstock {version} installed from `source.tar.gz`:

    tar xf source.tar.gz && (cd penstock-{version} && make setup)
    penstock-{version}/.venv/bin/penstock reproduce {command} -o again
    penstock-{version}/.venv/bin/python check.py again

The last command compares all rows with those of the archive. Simulated rows are the same on any
machine, apart from the time that a run took; rows of live runs depend on the machine.
"""


def packed(folder: Path) -> Iterator[Path]:
    """The files of a folder that belong into the archive."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in LEFT_OUT:
            yield path


def origins(results: Path) -> list[dict[str, Any]]:
    """What the folders of results say of themselves."""
    found = [
        sealed.read(path) or {}
        for name in ("run.json", "capacity.json")
        for path in sorted(results.rglob(name))
    ]
    if not found:
        raise UserError(f"{results}: no results here")
    return found


def versions(about: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each build that has made some of the results, and this machine."""
    builds = {sealed.canonical({name: run[name] for name in ("versions", "git")}) for run in about}
    return {
        "penstock": version(),
        "results_made_by": [json.loads(build) for build in sorted(builds)],
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
    }


def source(target: Path) -> None:
    """The commit's files, as a tar that one commit always gives."""
    made = subprocess.run(
        ["git", "-C", str(ROOT), "archive", f"--prefix=penstock-{version()}/", "HEAD"],
        capture_output=True,
        check=True,
    )
    target.write_bytes(gzip.compress(made.stdout, mtime=0))


def collect(paper: str, command: str, results: Path, statements: str, folder: Path) -> None:
    """Puts everything into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    about = origins(results)
    for path in packed(results):
        target = folder / "results" / path.relative_to(results)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name in sorted({str(run["scenario"]["name"]) for run in about}):
        target = folder / "scenarios" / f"{name.removesuffix('.toml').lstrip('/')}.toml"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(find(name), target)
    (folder / "statements.jsonl").write_text(statements, encoding="utf-8")
    (folder / "versions.json").write_text(json.dumps(versions(about), indent=1) + "\n")
    shutil.copyfile(ROOT / "requirements/run.lock", folder / "requirements.lock")
    shutil.copyfile(ROOT / "tools" / "artifact_check.py", folder / "check.py")
    source(folder / "source.tar.gz")
    text = README.format(title=paper, version=version(), command=command, sums=SUMS)
    (folder / "README.md").write_text(text, encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in packed(folder)
    ]
    (folder / SUMS).write_text("".join(sums), encoding="utf-8")


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    return entry


def tar(folder: Path) -> Path:
    """A tar of a folder that depends on names and contents alone."""
    target = folder.with_name(f"{folder.name}.tar.gz")
    with (
        target.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for path in packed(folder):
            made.add(path, f"{folder.name}/{path.relative_to(folder).as_posix()}", filter=_plain)
    return target


def main(arguments: Sequence[str]) -> int:
    """Exit code of `penstock reproduce`, or 0."""
    if not arguments or arguments[0] not in PAPERS:
        print(f"usage: make artifact PAPER={'|'.join(PAPERS)} OPTIONS=--quick", file=sys.stderr)
        return 2
    name = arguments[0]
    results = WORK / "results" / name
    command = [sys.executable, "-m", "penstock", "reproduce", *arguments]
    done = subprocess.run(
        [*command, "-j", "-o", str(results)], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        return done.returncode
    folder = WORK / f"penstock-{version()}-{name}"
    if provenance.commit()["dirty"]:
        print(
            "-- files differ from the commit in source.tar.gz; commit them first", file=sys.stderr
        )
    try:
        collect(PAPERS[name].title, " ".join(arguments), results, done.stdout, folder)
    except UserError as error:
        print(f"penstock: {error}", file=sys.stderr)
        return error.code
    print(tar(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
