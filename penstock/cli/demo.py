# SPDX-License-Identifier: GPL-2.0-only
"""`penstock demo`: the first experiment of the EWT paper, from scenario to report."""

from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import options, run, screen
from penstock.cli.report import write

SCENARIO: Final = "ewt-2019/scenario-1"
_SEEDS: Final = 30

_INTRODUCTION: Final = """\
Hosts send 5 MB files over one slow link (4 Mbit/s, 370 ms round trip) whose gateway can keep
97,000 bytes. What does the gateway do when more arrives? Drop-tail drops it. RED and ARED drop
some packets early. EWA, AWM, EWT and EWT-IoT tell the senders to slow down, in the ACKs that
pass. Compared with 8, 17 and 24 transfers at a time, and two kinds of receivers: those of the
paper, which take 65,535 bytes at once, and today's, which take more and more (autotuned).
"""
_READING: Final = """\
loss %          packets that the gateway dropped, of all that came     (lower is better)
transfer s      how long one 5 MB file took, on average                (lower is better)
goodput Mbit/s  new data that one connection received                 (higher is better)
fairness        1.000 if all connections get the same                 (higher is better)
delay, p99 ms   waiting in the gateway: mean, and 1 packet in 100 waits longer than p99
± is the 95 % interval of the mean over the runs with different seeds.
"""


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="DIR", parser=options.path, help="Directory for results."
        ),
    ] = Path("out/demo"),
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Runs of each row.")] = _SEEDS,
    workers: options.Workers = None,
) -> None:
    """Run the EWT paper's first scenario with all methods: a table and an HTML report."""
    from penstock.plots.data import gather
    from penstock.report import headline
    from penstock.results import tables
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes

    loaded, plan = options.plan(SCENARIO, Wishes(seeds=str(seeds)))
    with Campaign("sim", options.worker_count(workers)) as campaign:
        store = campaign.keep_in(output, loaded)
        screen.say(_INTRODUCTION)
        rows = run.execute(loaded, plan, campaign)
    screen.summary(tables.summarise(rows))
    print(_READING)
    run.finish(campaign, rows)
    for sentence in headline.sentences(gather(store)):
        print(sentence)
    print(f"\nReport with plots: {write(output)}")
