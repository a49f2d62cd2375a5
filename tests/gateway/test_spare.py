# SPDX-License-Identifier: GPL-2.0-only
"""What `fair` of an attached gateway spares, as its operator writes and reads it."""

import json
from pathlib import Path

import pytest
from gateway_lab import Lab

SHAPE = ("--rate", "20mbit", "--buffer", "97kB")


def test_a_part_is_set_shown_and_kept(lab: Lab) -> None:
    lab.tool("attach", lab.device, *SHAPE)
    assert lab.status()["spare"] == ["50%"]
    said = lab.tool("status", lab.device)
    assert "  spared       flows that keep their rate, up to 50% of the link\n" in said
    assert '# spare = ["50%"]\n' in lab.tool("show", lab.device)
    lab.tool("set", lab.device, "--spare", "12.5%")
    assert lab.status()["params"]["spare_q16"] == 1 << 13
    assert 'spare = ["12.5%"]\n' in lab.tool("show", lab.device)
    lab.tool("set", lab.device, "--rate", "10mbit")
    assert json.loads(lab.tool("show", "-j", lab.device))["spare"] == ["12.5%"]
    lab.tool("set", lab.device, "--spare", "0")
    assert lab.status()["spare"] == ["0%"]
    assert "  spared       no flow\n" in lab.tool("status", lab.device)
    lab.tool("set", lab.device, "-p", "spare=25%")
    assert lab.status()["spare"] == ["25%"]
    lab.tool("set", lab.device, "--fair", "off")
    assert "spare" not in lab.status()
    assert "spared" not in lab.tool("status", lab.device)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--spare", "101%"), "spare: '101%' is not in 0% .. 100%"),
        (("--spare", "-1%"), "spare: '-1%' is not in 0% .. 100%"),
        (("--spare", "half"), "spare: 'half' is not a part of the link, such as 50%"),
        (("--spare", "1%", "--spare", "2%"), "spare: is more than one part of the link: 1%, 2%"),
        (("--spare", "10%", "-p", "spare=0.2"), "spare: is given twice, as param spare too"),
        (("--spare", "10%", "--fair", "off"), "spare: nothing is held that could be spared"),
    ],
)
def test_one_message_says_what_is_wrong_with_it(lab: Lab, words: tuple[str, ...], why: str) -> None:
    said = lab.tool("attach", lab.device, *SHAPE, *words, expect=2)
    assert why in said
    assert said.count("\n") == 1


def test_a_file_says_it_as_one_text_or_as_a_list(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    head = f'[{lab.device}]\nrate = "20mbit"\n'
    for text in ('"25%"', '["25%"]'):
        file.write_text(f"{head}spare = {text}\n")
        lab.tool("attach", lab.device, "-c", str(file))
        assert lab.status()["spare"] == ["25%"]
        lab.tool("detach", lab.device)
    file.write_text(f"{head}spare = 0.25\n")
    said = lab.tool("check", "-c", str(file), expect=78)
    assert ":3: spare: wants a list of texts in quotes" in said
