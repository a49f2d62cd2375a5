# SPDX-License-Identifier: GPL-2.0-only
"""Commands at the same time, as of a unit, udev and an operator: one after the other."""

import subprocess

from gateway_lab import TOOL, Lab

COMMANDS = (("attach", "--rate", "20mbit"), ("set", "--rate", "10mbit"), ("detach", "--now"))
TIMES = 10
NOT_ATTACHED = 3


def test_commands_at_the_same_time_leave_all_or_nothing(lab: Lab) -> None:
    started = [
        subprocess.Popen(
            [TOOL, "--netns", lab.gateway, what, lab.device, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(TIMES)
        for what, *options in COMMANDS
    ]
    said = [one.communicate()[0] for one in started]
    codes = [one.returncode for one in started]
    state = lab.status(expect=None)["state"]
    assert state in ("live", "off")
    if state == "live":
        lab.tool("detach", lab.device, "--now")
    assert lab.leftovers() == []
    attached = codes[:: len(COMMANDS)]
    assert attached.count(0) >= 1
    for code, text in zip(codes, said, strict=True):
        assert code in (0, NOT_ATTACHED) or "already" in text, text
