# SPDX-License-Identifier: GPL-2.0-only
"""What `fair` of an attached gateway spares, as its operator writes and reads it."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from datagrams import PORT, RATE_BPS, Udp
from gateway_lab import Lab, sh
from loads import acked_bytes, connections, streaming, until

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
        (("--spare", "half"), "spare: 'half' is not a part of the link, such as 50%, or a rule"),
        (("--spare", "udp port 99999"), "spare: 'udp port 99999' has '99999' where 1 .. 65535 is"),
        (
            ("--spare", "dscp=eff"),
            "spare: 'dscp=eff' has 'eff', which is no DSCP: use ef, va, af11",
        ),
        (("--spare", "udp", "--spare", "none"), "spare: 'none' stands beside rules: udp, none"),
        (
            ("--spare", "port 1", "--spare", "port 1 up to 5%"),
            "names the packets of 'port 1' again",
        ),
        (
            tuple(word for n in range(1, 10) for word in ("--spare", f"port {n}")),
            "room for 8 rules, not for 9",
        ),
        (("--spare", "udp", "--fair", "off"), "spare: nothing is held that could be spared"),
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


def test_rules_are_set_shown_and_kept(lab: Lab) -> None:
    rules = ["udp port 5004", "dscp=af41,cs5,ef", "192.0.2.0/24 up to 30%"]
    words = [word for rule in rules for word in ("--spare", rule)]
    lab.tool("attach", lab.device, *SHAPE, *words)
    assert lab.status()["spare"] == ["50%", *rules]
    assert tomllib.loads(lab.tool("show", lab.device))[lab.device]["spare"] == rules
    said = lab.tool("status", lab.device)
    assert (
        "  spared       flows that keep their rate, up to 50% of the link, and by rules\n" in said
    )
    assert "    by         'udp port 5004': 0 bit/s; 0 B in 0 packets\n" in said
    lab.tool("set", lab.device, "--spare", "10%")
    assert lab.status()["spare"] == ["10%", *rules]
    lab.tool("set", lab.device, "--spare", "mark 7", "--rate", "10mbit")
    assert lab.status()["spare"] == ["10%", "mark 0x7"]
    assert json.loads(lab.tool("show", "-j", lab.device))["spare"] == ["10%", "mark 0x7"]
    lab.tool("set", lab.device, "-m", "share")
    assert lab.status()["spare"] == ["50%", "mark 0x7"]
    lab.tool("set", lab.device, "--spare", "none")
    assert lab.status()["spare"] == ["50%"]
    assert "spared" not in lab.status()


def test_a_file_says_rules(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    head = f'[{lab.device}]\nrate = "20mbit"\n'
    file.write_text(f'{head}spare = ["20%", "udp port 5004", "dscp=ef,trust up to 10%"]\n')
    lab.tool("attach", lab.device, "-c", str(file))
    shown = tomllib.loads(lab.tool("show", lab.device))[lab.device]
    assert shown["spare"] == ["20%", "udp port 5004", "dscp=ef,trust up to 10%"]
    lab.tool("detach", lab.device)
    file.write_text(f'{head}spare = "udp port 70000"\n')
    said = lab.tool("check", "-c", str(file), expect=78)
    assert "spare: 'udp port 70000' has '70000' where 1 .. 65535 is right" in said


MARKED_EF = 46 << 2
STREAM_BPS = 0.6 * RATE_BPS  # more than `fair` leaves one that keeps its rate


def drops(lab: Lab) -> int:
    return int(str(lab.status()["early_drops"]))


def spared(lab: Lab) -> dict[str, Any]:
    """Of the first rule."""
    found: Any = lab.status()["spared"]
    return dict(found[0])


@contextmanager
def beside_downloads(lab: Lab, udp: Udp, *words: str) -> Iterator[None]:
    """The stream beside four controlled transfers that fill the link."""
    lab.tool("attach", lab.device, *SHAPE, *words)
    with lab.far_server("20ms"), connections(lab, 4) as pairs, streaming(*pairs):
        until(lambda: all(acked_bytes(near) > 500_000 for near, _ in pairs))
        with udp.running():
            yield


def test_a_stream_that_is_held_loses_nothing_by_its_rule(lab: Lab) -> None:
    udp = Udp(lab, STREAM_BPS, answered=True)
    with beside_downloads(lab, udp, "--spare", f"udp port {PORT}"):
        until(lambda: spared(lab)["packets"] > 3000)
        assert drops(lab) == 0
        (flow,) = spared(lab)["flows"]
        assert flow["receiver"] == f"10.9.1.2:{PORT}"
        assert f"    by         'udp port {PORT}': " in lab.tool("status", lab.device)
        assert f"UDP {flow['sender']} -> 10.9.1.2:{PORT}: " in lab.tool("status", lab.device)
        lab.tool("set", lab.device, "--spare", "none")
        until(lambda: drops(lab) > 100)


def test_a_dscp_from_the_provider_is_believed_only_if_told(lab: Lab) -> None:
    udp = Udp(lab, STREAM_BPS, answered=True, tos=MARKED_EF)
    # The provider is behind the server's device: what leaves by the other one comes from there.
    with beside_downloads(lab, udp, "--spare", "dscp=ef"):
        sh(f"ip -n {lab.gateway} route add default via 10.9.2.2")
        assert spared(lab)["believed"], "as no route said where the provider is"
        until(lambda: spared(lab)["packets"] > 500)
        lab.tool("set", lab.device, "--spare", "dscp=ef up to 99%")
        assert not spared(lab)["believed"]
        assert "not believed: the packets come from the provider" in lab.tool("status", lab.device)
        until(lambda: drops(lab) > 100)
        assert spared(lab)["packets"] == 0
        lab.tool("set", lab.device, "--spare", "dscp=ef,trust")
        before = drops(lab)
        until(lambda: spared(lab)["packets"] > 1000)
        assert drops(lab) == before
