# SPDX-License-Identifier: GPL-2.0-only
"""Workers as jobs of a batch system, by dask-jobqueue.

Each job is a worker with one thread. What a site wants beside that (queue, account, walltime,
memory) stands in dask-jobqueue's own file, ~/.config/dask/jobqueue.yaml.
"""

import shutil
import signal
import threading
from typing import Any, Final

from penstock.errors import Exit, UserError

KINDS: Final = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "oar": "OARCluster",
    "htcondor": "HTCondorCluster",
    "local": "LocalCluster",  # processes here, to try a configuration
}
_USUAL: Final = {"cores": 1, "processes": 1, "memory": "2GB"}
_MISSING: Final = (
    "dask-jobqueue is missing; tools/setup --extra cluster, or pip install 'WHEEL[cluster]'"
)


def _made_by(kind: str) -> Any:
    is_main = threading.current_thread() is threading.main_thread()
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        import dask_jobqueue
        import dask_jobqueue.local
    except ImportError:
        raise UserError(_MISSING, Exit.BACKEND_MISSING) from None
    finally:
        if is_main:
            signal.signal(signal.SIGINT, interrupt)  # the import makes Ctrl-C end with success
    room = dask_jobqueue.local if kind == "local" else dask_jobqueue
    return getattr(room, KINDS[kind])


def _settings(kind: str) -> dict[str, Any]:
    """What the user's own file does not say."""
    import dask

    return {
        name: value
        for name, value in _USUAL.items()
        if dask.config.get(f"jobqueue.{kind}.{name}", None) is None
    }


def start(kind: str) -> Any:
    """A scheduler in this process that can ask the batch system for workers.

    Raises UserError (69) if its commands or the library are missing.
    """
    made_by = _made_by(kind)
    submit = (getattr(made_by.job_cls, "submit_command", None) or "").split()
    if submit and shutil.which(submit[0]) is None:
        raise UserError(
            f"--cluster {kind}: {submit[0]} is not here; run this where jobs can be submitted",
            Exit.BACKEND_MISSING,
        )
    try:
        return made_by(
            **_settings(kind), scheduler_options={"dashboard_address": None}, log_directory=None
        )
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise UserError(f"--cluster {kind}: {error}; see jobqueue.{kind} in dask's files") from None
