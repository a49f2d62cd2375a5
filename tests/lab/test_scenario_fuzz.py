# SPDX-License-Identifier: GPL-2.0-only
"""The scenario reader on mutated and random bytes: a scenario, or one message and exit 78."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lab_support import SMALL

from penstock.errors import Exit, UserError
from penstock.scenario.locate import key_lines
from penstock.scenario.model import Scenario
from penstock.scenario.read import read

PIECES = st.sampled_from(
    [b'"', b"'", b"[", b"]", b"[[", b"{", b"}", b"=", b".", b",", b"\n", b"#", b'"""', b"-", b"nan"]
    + [b"1e999", b"0", b"true", b"\xff", b"\x00", b"auto", b"extends = ", b"1979-05-27", b"9" * 30]
    + [line.encode() + b"\n" for line in SMALL.splitlines()]
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid scenario with a few pieces replaced, cut out or put in."""
    data = SMALL.encode()
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(st.just(b""), PIECES, st.binary(max_size=4)))
        data = data[:start] + piece + data[end:]
    return data


def read_or_complain(path: Path) -> Scenario | UserError:
    """The scenario, or what is wrong with it."""
    try:
        return read(str(path)).scenario
    except UserError as error:
        return error


def outcome(data: bytes) -> None:
    """Reads `data` as a scenario; only a UserError with 78 may come of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.toml"
        path.write_bytes(data)
        result = read_or_complain(path)
        if isinstance(result, UserError):
            assert result.code == Exit.CONFIG
            assert str(result).startswith(str(path))


@settings(max_examples=600, deadline=None)
@given(mutated())
def test_mutated(data: bytes) -> None:
    outcome(data)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_random(data: bytes) -> None:
    outcome(data)


def test_lines_of_keys() -> None:
    text = '[a]\nb = { c = 1, d = [2,\n 3] }\n[[e.f]]\n"g h" = """\n[x]\n"""\n[[e.f]]\ni.j = 1\n'
    lines = key_lines(text)
    assert lines["a", "b", "c"] == 2
    assert lines["a", "b", "d", 1] == 3
    assert lines["e", "f", 0, "g h"] == 5
    assert lines["e", "f", 1, "i", "j"] == 9
    assert ("x",) not in lines
