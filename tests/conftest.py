# SPDX-License-Identifier: GPL-2.0-only
"""What every test starts from."""

import os
import signal

# A caller's terminal decides widths and colours of tables: tests see the defaults.
for _name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"):
    os.environ.pop(_name, None)
os.environ["TERM"] = "dumb"

# Jobs in the background of a script ignore SIGINT, and so would what the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
