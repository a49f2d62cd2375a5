# SPDX-License-Identifier: GPL-2.0-only
"""What every test starts from."""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "tests"))  # patience.py

# A caller's terminal decides widths and colours of tables: tests see the defaults.
for _name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"):
    os.environ.pop(_name, None)
os.environ["TERM"] = "dumb"

# Jobs in the background of a script ignore SIGINT, and so would what the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def runner() -> Path:
    """The runner of the ns-3 backend, compiled if need be; without ns-3 the tests are skipped."""
    from penstock.errors import UserError
    from penstock.runs.backends import ns3_runner

    try:
        return ns3_runner.path()
    except UserError as missing:
        pytest.skip(str(missing))
