# SPDX-License-Identifier: GPL-2.0-only
"""packetdrill's scripts through the API."""

from pathlib import Path

import pytest

from penstock.api import packetdrill
from penstock.errors import OptionError, UsageError

SCRIPT = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"


def test_scripts_of_a_folder_are_named_within_it(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/one.pkt").write_text(SCRIPT)
    (tmp_path / "two.txt").write_text(SCRIPT)
    alone = str(tmp_path / "two.txt")
    found = packetdrill.scripts([str(tmp_path), alone])
    assert [each.name for each in found] == ["inner/one.pkt", alone]
    assert [verdict.outcome for verdict in packetdrill.play([alone])] == ["passed"]


def test_what_holds_no_script_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no scripts"):
        packetdrill.play([str(tmp_path)])
    with pytest.raises(OptionError) as caught:
        packetdrill.play([], ip_version="ipv5")
    assert caught.value.option == "--ip-version"


def test_features_say_whether_they_are_claimed() -> None:
    found = {each.feature: each.claimed for each in packetdrill.features()}
    assert found["handshake"]
    assert not found["fast-open"]
