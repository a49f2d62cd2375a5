# SPDX-License-Identifier: GPL-2.0-only
"""A link out of options, of what a gateway measured, and of answers."""

from pathlib import Path

import pytest

from penstock.api import files, links
from penstock.errors import OptionError, UserError


def test_what_nobody_gave_is_usual_and_named() -> None:
    made = links.complete({"rate": "5mbit", "window": None})
    assert made.link.wanted.rate_bps == 5_000_000
    assert dict(made.usual) == {
        "rtt": "60ms", "buffer": "60000", "flows": "12", "window": "auto", "size": "5000000",
    }  # fmt: skip


def test_options_come_before_what_was_measured_and_that_before_questions() -> None:
    asked = []

    def answer(question: str, usual: str) -> str:
        asked.append(question)
        return "7" if usual == "12" else usual

    known: dict[str, int | str] = {"rate_bps": 3_000_000, "rtt_ns": 10**7, "udp_bps": 1000}
    made = links.complete({"rate": "5mbit", "title": "Home"}, known=known, ask=answer)
    wanted = made.link.wanted
    assert (wanted.rate_bps, wanted.rtt_ns, wanted.udp_bps) == (5_000_000, 10**7, 1000)
    assert (wanted.flows, wanted.title, dict(made.usual)) == (7, "Home", {})
    assert len(asked) == 4, "buffer, flows, window and size"


def test_a_file_stays_as_it_was_if_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("before")
    with pytest.raises(UnicodeEncodeError):
        files.saved(tmp_path / "s.toml", "half of it \ud800")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
    with pytest.raises(UserError, match="cannot be written"):
        files.saved("/dev/full", "x")


def test_a_wrong_text_names_its_option() -> None:
    with pytest.raises(OptionError) as caught:
        links.complete({"up": "fast"})
    assert caught.value.option == "--up"
