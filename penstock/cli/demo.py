# SPDX-License-Identifier: GPL-2.0-only
"""`penstock demo`: the first experiment of the EWT paper, from scenario to report."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import options, run, screen
from penstock.view.report import write

SCENARIO: Final = "ewt-2019/scenario-1"
_METHODS: Final = ("droptail", "red", "fq_codel", "ewt", "penstock")
_SEEDS: Final = 10

_INTRODUCTION: Final = """\
Hosts send 5 MB files over one slow link (4 Mbit/s, 370 ms round trip) whose gateway can keep
97,000 bytes. What does the gateway do when more arrives? Drop-tail drops it. RED drops some packets
early. FQ-CoDel gives each connection a queue of its own, and drops what has waited too long. EWT
and Penstock's own law tell the senders how much room is left, in the ACKs that pass. Compared with
8, 17 and 24 transfers at a time, and two kinds of receivers: those of the EWT paper, which take
65,535 bytes at once, and today's, which take more and more (autotuned).
"""
_READING: Final = """\
loss %          packets that the gateway dropped, of all that came     (lower is better)
total Mbit/s    new data that all connections received                (higher is better)
transfer s      how long one 5 MB file took: mean, and the slowest     (lower is better)
fairness        1.000 if all connections get the same                 (higher is better)
delay, p99 ms   waiting in the gateway: mean, and 1 packet in 100 waits longer than p99
± is the 95 % interval of the mean over the runs with different seeds.
"""
_NEXT: Final = """\
On your own link, with its rate, round trip and buffer:
  penstock new-link --rate 20mbit --rtt 40ms --buffer 97kB home.toml
  penstock run home.toml -o home && penstock report home"""


def demo(
    output: Annotated[
        Path,
        options.output("Directory for results."),
    ] = Path("out/demo"),
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Runs of each row.")] = _SEEDS,
    workers: options.Workers = None,
) -> None:
    """See it work: five methods on a satellite link, in a table and an HTML report."""
    from penstock.results import tables
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes
    from penstock.view.plots.data import gather
    from penstock.view.report import headline

    loaded, plan = options.plan(SCENARIO, Wishes(methods=_METHODS, seeds=str(seeds)))
    with Campaign("sim", options.worker_count(workers)) as campaign:
        store = campaign.keep_in(output, loaded)
        screen.say(_INTRODUCTION)
        rows = run.execute(loaded, plan, campaign)
    screen.summary(tables.summarise(rows))
    print(_READING)
    run.finish(campaign, rows)
    for sentence in headline.sentences(gather(store)):
        print(sentence.text)
    print(f"The report begins with the pictures of this: {write(output)}\n")
    print(_NEXT)
    if told := called():
        print(told)


def called() -> str:
    """How to call the command that runs, where its name alone would not find it; else ''."""
    own = Path(sys.argv[0])
    found = shutil.which(own.name)
    if found and Path(found).resolve() == own.resolve():
        return ""
    folder = shlex.quote(str(own.parent.absolute()))
    return f'`penstock` is in {folder}; so that a shell finds it: export PATH={folder}:"$PATH"'
