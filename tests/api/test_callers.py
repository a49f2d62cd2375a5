# SPDX-License-Identifier: GPL-2.0-only
"""The API from threads, processes and event loops, and with scalars of numpy and polars."""

import ast
import asyncio
import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import calls
import nbformat
import numpy as np
import polars as pl
import pytest
from nbclient import NotebookClient

import penstock as ps
from penstock.api.words import plain
from penstock.errors import UsageError

HERE = Path(__file__).parent
LINK = ps.link(rate="10mbit", rtt="20ms", buffer="60kB", size="30kB")


def four_seeds(*_: object) -> tuple[int, ...]:
    """A run that starts worker processes."""
    return tuple(len(ps.run(LINK, "droptail", flows=2, seeds=4, workers=2)) for _ in range(2))


def test_threads_run_side_by_side() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(four_seeds, range(3))) == [(4, 4)] * 3


def test_figures_of_several_threads_have_their_own_look() -> None:
    found = ps.run(LINK, ["droptail", "ewt"], flows=[1, 2], seeds=1, workers=1)
    barrier = threading.Barrier(4)

    def draw(_: int) -> bytes:
        barrier.wait(60)
        return found.plot.line()._repr_png_()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(draw, range(4)))) == 1


def test_event_loops() -> None:
    async def main() -> list[tuple[int, ...]]:
        direct = four_seeds()
        return [direct, *await asyncio.gather(*(asyncio.to_thread(four_seeds) for _ in range(2)))]

    assert asyncio.run(main()) == [(4, 4)] * 3


POOLS = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import penstock as ps
LINK = ps.link(rate="10mbit", rtt="20ms", buffer="60kB", size="30kB")
def four(_):
    return len(ps.run(LINK, "droptail", flows=2, seeds=4, workers=2))
if __name__ == "__main__":
    assert four(0) == 4  # workers of this process are there when it forks
    context = multiprocessing.get_context(sys.argv[1])
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(four, range(2))) == [4, 4]
    with context.Pool(2) as pool:  # whose workers may have no children
        assert pool.map(four, range(2)) == [4, 4]
    assert four(0) == 4
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(POOLS, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "program.py"), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


SCALARS: list[Any] = [
    np.int64(2), np.uint8(2), np.array(2), np.array([2]), pl.Series([2]), pl.Series([2])[0],
    [np.int32(2)], (np.int64(2),), range(2, 3),
]  # fmt: skip


@pytest.mark.parametrize("flows", SCALARS)
def test_scalars_of_numpy_and_polars_are_numbers(flows: Any) -> None:
    found = ps.run(LINK, np.str_("droptail"), flows=flows, seeds=[np.int64(3)], workers=np.int64(1))
    assert found.frame.select("flows", "seed").rows() == [(2, 3)]


def test_so_they_are_everywhere(tmp_path: Path) -> None:
    two, half = np.int64(2), np.float64(0.5)
    link = ps.link(
        flows=two, buffer=np.int64(60_000), window=np.uint16(65535), size=np.int64(30_000)
    )
    found = ps.run(
        link, "ewt", seeds=two, workers=1, set={"ewt.start_bytes": np.int64(9000)},
        sweep={"tcp.bulk.initial_window": np.array([3, 10]), "tcp.bulk.hystart": np.bool_(False)},
    )  # fmt: skip
    assert len(found) == 4
    assert ps.explain("ewt", queue=np.int64(50_000), window=np.int64(60_000)).window_bytes
    assert ps.explain("ewt", queue=1, flows=two, start_bytes=np.int64(9000)).window_bytes
    assert ps.capacity(link, "droptail", levels=half, seeds=1, most=two).height == 1
    assert ps.trace("lte", seed=two, duration="1s").text
    assert found.plot.bars(y=np.str_("jain")) is not None
    with pytest.raises(UsageError, match="flows"):
        ps.run(LINK, "droptail", flows=np.float64(2.5), seeds=1)


def test_what_is_no_scalar_stays() -> None:
    path = Path("x")
    assert plain(path) is path
    assert plain({"a": np.arange(2)}) == {"a": [0, 1]}
    frame = pl.DataFrame({"a": [1]})
    assert plain(frame) is frame
    assert plain("text") == "text"


@pytest.mark.parametrize(
    ("rate", "hint"),
    [
        (10_000_000, "write 10000000bit or 10mbit"),
        (np.int64(2_500_000), "write 2500000bit or 2.5mbit"),
        (1_234_567, "write 1234567bit"),
        (10, "write for instance '10mbit'"),
    ],
)
def test_the_hint_for_a_unit_is_what_was_meant(rate: Any, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        ps.link(rate=rate)
    with pytest.raises(UsageError, match="write 40000000ns or 40ms"):
        ps.link(rtt="40000000")


def test_each_public_function_is_called() -> None:
    functions = {name for name in ps.__all__ if name.islower() and not name.startswith("_")}
    assert {name.partition(".")[0] for name in calls.CALLS} == functions


async def _awaited() -> list[str]:
    return calls.wrong()


def _in_a_kernel() -> list[str]:
    """In a cell of a notebook, whose kernel runs an event loop of its own."""
    source = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport calls\nprint(calls.wrong())"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return list(ast.literal_eval(book.cells[0].outputs[-1]["text"]))


def _in_a_pool(pool: Executor) -> list[str]:
    with pool:
        return pool.submit(calls.wrong).result()


SPAWN = multiprocessing.get_context("spawn")
PLACES: dict[str, Callable[[], list[str]]] = {
    "thread": lambda: _in_a_pool(ThreadPoolExecutor(1)),
    "process": lambda: _in_a_pool(ProcessPoolExecutor(1, mp_context=SPAWN)),
    "loop": lambda: asyncio.run(_awaited()),
    "thread of a loop": lambda: asyncio.run(asyncio.to_thread(calls.wrong)),
    "notebook": _in_a_kernel,
}


@pytest.mark.parametrize("place", PLACES)
def test_each_public_function_works_in_every_place(place: str) -> None:
    assert PLACES[place]() == []
