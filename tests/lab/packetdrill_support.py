# SPDX-License-Identifier: GPL-2.0-only
"""Short scripts of packetdrill, played in the simulator."""

from pathlib import Path

from penstock.runs.packetdrill import run

SERVER = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 30000 <mss 1000,{options}nop,wscale 5>
   +0 > S. 0:0(0) ack 1 <...>
 +.05 < . 1:1(0) ack 1 win 2000
   +0 accept(3, ..., ...) = 4
"""
WITH_SACK = SERVER.format(options="sackOK,")
WITHOUT = SERVER.format(options="")


def played(tmp_path: Path, text: str) -> run.Verdict:
    file = tmp_path / "script.pkt"
    file.write_text(text)
    return run.verdict(file, file.name)


def passes(tmp_path: Path, text: str) -> None:
    verdict = played(tmp_path, text)
    assert verdict.outcome == "passed", verdict


def fails(tmp_path: Path, text: str, reason: str) -> None:
    verdict = played(tmp_path, text)
    assert verdict.outcome == "failed", verdict
    assert reason in verdict.reason


def skips(tmp_path: Path, text: str, reason: str) -> None:
    verdict = played(tmp_path, text)
    assert verdict.outcome == "skipped", verdict
    assert reason in verdict.reason
