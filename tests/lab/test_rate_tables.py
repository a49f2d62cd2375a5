# SPDX-License-Identifier: GPL-2.0-only
"""Tables of rates as people have them: separators, decimal commas, clocks, pauses, line numbers."""

import codecs
from itertools import pairwise
from pathlib import Path

import pytest
from lab_support import Run

from penstock.scenario.rate_tables import Asked
from penstock.scenario.trace_formats import opportunities
from penstock.text import decoded


def seconds(text: str, asked: Asked = Asked()) -> list[int]:  # noqa: B008
    """How many opportunities are in each second of a table."""
    ms, _ = opportunities("csv", text, asked)
    return [sum(s * 1000 < at <= (s + 1) * 1000 for at in ms) for s in range(-(-ms[-1] // 1000))]


def told(text: str, kind: str = "csv", asked: Asked = Asked()) -> str:  # noqa: B008
    """What is said of a recording."""
    return "\n".join(opportunities(kind, text, asked)[1])


@pytest.mark.parametrize(
    "text",
    [
        "time,DL_bitrate\n0,12000\n1,24000\n",
        "time;DL_bitrate\n0;12000,0\n1;24000,0\n",
        "time;DL_bitrate\n0,0;12.000,0\n1,0;24.000,0\n",
        "time\tDL_bitrate\n0\t12000\n1\t24000\n",
        "time|DL_bitrate\n0|12000\n1|24000\n",
        "time DL_bitrate\n0    12000\n1    24000\n",
        "time, DL_bitrate \n0, 12000\n1, 24000\n",
        'time , "DL_bitrate"\n0, "12,000.0"\n1, "24,000.0"\n',
        "sep=;\ntime;DL_bitrate\n0;12000\n1;24000\n",
        "# of a drive\n\ntime;DL_bitrate\n0;12000\n\n1;24000\n;\n",
        "time,DL_bitrate\r\n0,12000\r\n1,24000\r\n",
        "time,DL_bitrate\r0,12000\r1,24000\r",
        "DL_bitrate;time\n12000;0\n24000;1\n",
        "time,DL_bitrate\n0,1.2e4\n1,2.4E4\n",
        "time (ms);DL_bitrate\n0;12000\n1000;24000\n",
        "time_us,DL_bitrate\n0,12000\n1000000,24000\n",
        "timeMs,DL_bitrate\n0,12000\n1000,24000\n",
        "Elapsed Time [seconds];DL_bitrate\n0,5;12000\n1,5;24000\n",
        "elapsed_ms,DL_bitrate\n0,12000\n1000,24000\n",
        "time (\u00b5s),DL_bitrate\n0,12000\n1000000,24000\n",
        "milliseconds,DL_bitrate\n0,12000\n1000,24000\n",
        "unix_timestamp,DL_bitrate\n1767261600,12000\n1767261601,24000\n",
        "datetime;DL_bitrate\n31.01.2026 12:00:00;12000\n31.01.2026 12:00:01;24000\n",
        "time,DL_bitrate\n23:59:58.5,12000\n23:59:59.5,24000\n",
        "time;DL_bitrate\n23:59:59,5;12000\n00:00:00,5;24000\n",
        '"sep=;"\ntime;DL_bitrate\n0;12000\n1;24000\n',
        "Timestamp,DL_bitrate\n2026-01-31T12:00:00Z,12000\n2026-01-31T12:00:01Z,24000\n",
        "Timestamp,DL_bitrate\n2026-01-31 12:00:00.500,12000\n2026-01-31 12:00:01.500,24000\n",
        "time,DL_bitrate\n1767261600,12000\n1767261601,24000\n",
        "time,DL_bitrate\n1767261600000,12000\n1767261601000,24000\n",
        "time,DL_bitrate\n1767261600000000,12000\n1767261601000000,24000\n",
        "time,DL_bitrate\n1767261600000000001,12000\n1767261601000000001,24000\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_notation_gives_the_same_trace(text: str, encoding: str) -> None:
    assert seconds(decoded(text.encode(encoding))) == [1000, 2000]


def test_a_unit_of_time_is_asked_for_where_it_is_open() -> None:
    open_ = "time,DL_bitrate\n0,12000\n1000,24000\n"
    with pytest.raises(ValueError, match="--time-unit: say whether time is in s, ms, us, ns"):
        opportunities("csv", open_)
    assert seconds(open_, Asked(time_unit="ms")) == [1000, 2000]
    assert "taken as seconds" in told("time,DL_bitrate\n0,12\n1,24000\n")
    assert "ms since 1970" in told("time,DL_bitrate\n1767261600000,12\n1767261601000,24000\n")
    assert "no column of times" in told("DL_bitrate\n24000\n")
    assert "no column of times" in told("timeout,DL_bitrate\n5,24000\n")
    assert seconds("t;DL_bitrate\n0;12000\n500;24000\n", Asked(time="t", time_unit="ms")) == [1500]


def test_a_comma_that_may_stand_between_thousands_is_told() -> None:
    said = "DL_bitrate: 12,000 is taken as 12.000, with a decimal comma"
    assert said in told("time;DL_bitrate\n0;12,000\n1;24,000\n", asked=Asked(unit_bps=1e6))
    assert "decimal comma" not in told("time;DL_bitrate\n0;12000,5\n1;24000,25\n")


def test_a_recording_is_at_most_a_day_long() -> None:
    for text in ("1\n86400001\n", "1767261600000\n1767261600001\n"):
        with pytest.raises(ValueError, match="longer than 24 h; cellsim counts from the first"):
            opportunities("mahimahi", text)
    assert opportunities("cellsim", "1767261600000\n1767261600001\n")[0] == [0, 1]


def test_rows_of_one_time_count_by_their_mean() -> None:
    text = "time,DL_bitrate\n0,48000\n0,0\n1,12000\n2,12000\n2,36000\n"
    assert seconds(text) == [2000, 1000, 2000]
    assert "joined: lines 3, 6" in told(text)
    # Two rows within one millisecond: each has its part of it.
    fine = "time,DL_bitrate\n0,24000\n0.0005,72000\n0.001,0\n"
    assert opportunities("csv", fine)[0] == [1, 1, 1, 1, 2]


def test_a_clock_that_goes_back_does_not_end_a_recording() -> None:
    back = "time,DL_bitrate\n20,12000\n21,24000\n20,12000\n21,24000\n22,12000\n"
    assert seconds(back) == [1000, 2000, 1000, 2000, 1000]
    assert "clock set back: line 4" in told(back)
    late = "time,DL_bitrate\n0,12000\n2,36000\n1,24000\n3,12000\n"
    assert seconds(late) == [1000, 2000, 3000, 1000]
    assert "put in order: line 4" in told(late)
    assert opportunities("mahimahi", "1\n3\n2\n")[0] == [1, 2, 3]
    assert "put in order: 1 line, less than 1 s late" in told("1\n3\n2\n", "mahimahi")
    with pytest.raises(ValueError, match="line 3: the clock goes back by 5 s; cut the file there"):
        opportunities("cellsim", "1\n6001\n1001\n")


def test_pauses_are_told() -> None:
    text = "time,DL_bitrate\n0,12000\n3600,24000\n3601,24000\n"
    assert seconds(text) == [1000, 2000, 2000]
    assert "left out: 3,599 s, pauses before line 3" in told(text)
    short = "time,DL_bitrate\n0,12000\n1,12000\n6,24000\n7,24000\n"
    assert seconds(short) == [1000] * 6 + [2000, 2000]
    assert "filled with the rate before: 4 s, pauses before line 4" in told(short)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,DL_bitrate\n0,1000\n\n\n1,bad\n", "line 5: 'bad' is not a rate"),
        ('a,DL_bitrate\n"x\ny",1\n"z\n\nz",bad\n', "line 6: 'bad'"),
        ("# one\n\nDL_bitrate\n1\n# two\nbad\n", "line 6: 'bad'"),
        ("sep=;\nDL_bitrate\nbad\n", "line 3: 'bad'"),
        ("DL_bitrate\r1\r\rbad\r", "line 4: 'bad'"),
        ("time,DL_bitrate\n0,1\n1,\n", "line 3: '' is not a rate"),
        ("time,DL_bitrate\n0,12000,5\n", "line 2: 3 cells below 2 names of columns"),
        ('time,DL_bitrate\n0,"12,000"\n', "line 2: '12,000' may have a decimal comma or thousands"),
        ("time,DL_bitrate\n0,1\n31.01.2026,1\n", "line 3: '31.01.2026' is not a time"),
        ("time,DL_bitrate\n0,1\n1e400,1\n", "line 3: '1e400' is not a time"),
        ("DL_bitrate,DL_bitrate\n1,2\n", "there are 2 columns 'DL_bitrate'"),
        ("DL_bitrate\n1_000\n", "line 2: '1_000' is not a rate"),
        ("DL_bitrate\n", "it has no rows"),
        ("\n \n", "it is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        opportunities("csv", decoded(text.encode()))


def test_text_that_is_no_utf_8_says_so() -> None:
    with pytest.raises(ValueError, match=r"byte 0xfc in line 2\); save it as UTF-8"):
        decoded("a\nZürich\n".encode("latin-1"))
    with pytest.raises(ValueError, match="a zero byte in line 1"):
        decoded("a\n".encode("utf-16-le"))
    with pytest.raises(ValueError, match="not a text file in UTF-16"):
        decoded(codecs.BOM_UTF16_LE + b"\0")


def test_a_folder_is_checked_before_anything_is_written(penstock: Run, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "more").mkdir(parents=True)
    (folder / "a.up").write_text("1\n2\n")
    (folder / "README").write_text("Traces of a tram\n")
    (folder / "picture").write_bytes(b"\x89PNG\0")
    (folder / "z.down").write_text("1\n3\n2\n")
    done = penstock("trace", "mahimahi", "in", "-o", "o")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == [
        "a.up.trace",
        "z.down.trace",
    ]
    for line in (
        "in/a.up: 2 lines read, 0.002 s",
        "in/z.down: put in order: 1 line",
        "left out: in/README: line 1: 'Traces of a tram' is not a whole number of ms",
        "left out: in/picture: not a text file",
        "left out: in/more, no file",
    ):
        assert line in done.stderr
    (folder / "m.damaged").write_text("1\n2\nx\n")
    done = penstock("trace", "mahimahi", "in", "-o", "new")
    assert done.returncode == 1
    assert "in/m.damaged: line 3: 'x'" in done.stderr
    assert "nothing was written" in done.stderr
    assert not (tmp_path / "new").exists()


def test_opportunities_are_in_order() -> None:
    text = "time,DL_bitrate\n" + "".join(f"{n * 0.3:.1f},{n * 777}\n" for n in range(50))
    ms, _ = opportunities("csv", text)
    assert all(one <= other for one, other in pairwise(ms))
    assert len(ms) == pytest.approx(sum(n * 777 * 0.3 / 12 for n in range(50)), abs=1)
