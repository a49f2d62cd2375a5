# SPDX-License-Identifier: GPL-2.0-only
"""`penstock cluster`: a scheduler and workers on this machine, until Ctrl-C."""

import logging
import threading
from typing import Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UserError
from penstock.runs.cluster import library


def cluster(
    workers: options.Workers = None,
    host: Annotated[
        str,
        typer.Option("--host", help="Listening address; for other hosts not only 127.0.0.1."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of the scheduler; 0 for any.")
    ] = 8786,
) -> None:
    """Start a cluster on this machine, for `run --cluster`; Ctrl-C ends it."""
    distributed = library()
    count = options.worker_count(workers)
    logging.getLogger("distributed.deploy").setLevel(logging.ERROR)  # what fails is raised too
    try:
        made = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host=host,
            scheduler_port=port,
            dashboard_address=None,
            worker_dashboard_address=None,
        )
    except (OSError, RuntimeError) as error:
        reason = str(error.__cause__ or error).splitlines()[0]
        raise UserError(f"--host {host} --port {port}: {reason}") from None
    with made:
        print(made.scheduler_address, flush=True)
        screen.say(
            f"{count} workers; more: `dask worker {made.scheduler_address} --nthreads 1`; use: "
            f"penstock run SCENARIO --cluster {made.scheduler_address}; Ctrl-C ends it"
        )
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            raise UserError("ended", Exit.INTERRUPTED) from None
