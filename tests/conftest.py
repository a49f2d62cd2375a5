# SPDX-License-Identifier: GPL-2.0-only
"""What every test starts from."""

import os

# A caller's terminal decides widths and colours of tables: tests see the defaults.
for _name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING"):
    os.environ.pop(_name, None)
os.environ["TERM"] = "dumb"
