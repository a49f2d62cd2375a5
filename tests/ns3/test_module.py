# SPDX-License-Identifier: GPL-2.0-only
"""The ns-3 module as an ns-3 user has it: its own test suite, and the example of the docs."""

import re
import subprocess

import pytest


def test_suite(module):
    """Tags, checksums, attributes, all modes with ns-3's assertions on, FlowMonitor's order."""
    done = subprocess.run(
        [str(module / "penstock-tests"), "--suite=penstock", "--verbose"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("PASS penstock")
    assert done.stdout.count("PASS Dumbbell") >= 14


@pytest.mark.parametrize("method", ["fq_codel", "cake", "dualpi2", "xcp_tcp"])
def test_a_method_of_several_queues_is_refused(module, method):
    done = subprocess.run(
        [str(module / "penstock-dumbbell"), f"--method={method}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert f"'{method}' needs several queues" in done.stderr


@pytest.mark.parametrize("method", ["droptail", "ewt"])
def test_example(module, method):
    done = subprocess.run(
        [str(module / "penstock-dumbbell"), f"--method={method}", "--seconds=20"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.fullmatch(
        r"(\w+): ([\d.]+) Mbit/s, (\d+) packets dropped, (\d+) windows changed, "
        r"FlowMonitor says (\d+) lost\n",
        done.stdout,
    )
    assert found, done.stdout
    mbps, dropped, changed, lost = float(found[2]), *map(int, found.groups()[2:])
    assert 9.0 < mbps < 10.0
    assert lost == dropped
    assert (dropped > 0, changed > 0) == (method == "droptail", method == "ewt")
