# SPDX-License-Identifier: GPL-2.0-only
"""Each file that is written appears whole or not at all, and folders need no locks."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from lab_support import Run

from penstock import locks
from penstock.errors import UserError
from penstock.results import sealed
from penstock.results.store import Store
from penstock.view.plots import paper

_NO_LOCKS = """
import errno, fcntl
def flock(*_):
    raise OSError(errno.{0}, "as on some file systems")
fcntl.flock = flock
"""


def test_a_file_keeps_its_old_content_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_text("old")

    def fail() -> None:
        with sealed.replacing(target) as partial:
            partial.write_text("ne")
            raise OSError("cut off")

    with pytest.raises(OSError, match="cut off"):
        fail()
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert target.read_text() == "old"


def test_a_link_stays_a_link_and_a_pipe_is_written_itself(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with sealed.replacing(tmp_path / "link") as partial:
        partial.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    with sealed.replacing(Path(os.devnull)) as partial:
        assert partial == Path(os.devnull)


def test_threads_write_the_same_file_side_by_side(tmp_path: Path) -> None:
    barrier, wrong = threading.Barrier(8), []

    def write(letter: str) -> None:
        try:
            for _ in range(20):
                with sealed.replacing(tmp_path / "f") as partial:
                    barrier.wait(60)
                    partial.write_text(letter * 1000)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=write, args=(each,)) for each in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(set((tmp_path / "f").read_text())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def limited(most_bytes: int, *words: object) -> subprocess.CompletedProcess[str]:
    """A limit of a file's size stands for a full disk."""
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, {most_bytes}))\n"
        "sys.argv[0] = 'penstock'\n"
        "from penstock.__main__ import main\nmain()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_captures_are_whole_or_not_there(small: Path, tmp_path: Path) -> None:
    for option in ("--pcap", "--pcapng"):
        folder = tmp_path / option
        words = ["run", small, "-m", "ewt", "--seeds", "1", "--receivers", "65535"]
        done = limited(100_000, *words, "--workers", "1", option, folder)
        assert done.returncode == 1, done.stderr
        assert "Traceback" not in done.stderr
        assert ".partial" not in done.stderr
        assert not [path for path in folder.rglob("*") if path.is_file()]


def test_figures_are_whole_or_not_there(small: Path, tmp_path: Path, penstock: Run) -> None:
    words = ("run", small, "-m", "ewt", "--seeds", "1", "--receivers", "65535", "-o", "o")
    assert penstock(*words).returncode == 0
    for form in paper.FORMATS:
        target = tmp_path / f"a.{form}"
        done = limited(1000, "plot", tmp_path / "o", "line", "-o", target)
        assert done.returncode == 1, form
        assert done.stderr == f"penstock: {target}: cannot be written: File too large\n"
        assert not list(tmp_path.glob("*a.*"))


def test_captures_are_where_they_are_asked_for(small: Path, tmp_path: Path, penstock: Run) -> None:
    done = penstock("run", small, "-m", "ewt", "--seeds", "1", "--pcap", "p")
    assert done.returncode == 0, done.stderr
    assert {path.suffix for path in (tmp_path / "p").iterdir()} == {".pcap"}


@pytest.mark.parametrize("error", ["ENOSYS", "ENOLCK", "EOPNOTSUPP"])
def test_a_file_system_without_locks_is_said_and_works(
    small: Path, tmp_path: Path, error: str
) -> None:
    from lab_support import command

    words = ("run", small, "-m", "ewt", "--seeds", "1", "-o", "o")
    done = command(*words, cwd=tmp_path, first=_NO_LOCKS.format(error))
    assert done.returncode == 0, done.stderr
    assert "o: its file system has no locks" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "o" / "results.parquet").exists()


def test_other_errors_of_locks_are_errors(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as one, (tmp_path / "f").open("rb") as other:
        assert locks.take(one)
        with pytest.raises(BlockingIOError):
            locks.take(other)
    with Store(tmp_path / "s").folder.parent.joinpath("x").open("wb") as file:
        assert locks.take(file)
    store = Store(tmp_path / "s").open()
    with pytest.raises(UserError, match="another run is writing here"):
        Store(tmp_path / "s").open()
    store.close()
