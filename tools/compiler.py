# SPDX-License-Identifier: GPL-2.0-only
"""What the C++ compiler of this machine finds."""

import os
import subprocess


def has_header(name: str) -> bool:
    """Whether it finds the header `name`."""
    command = [os.environ.get("CXX", "c++"), "-E", "-x", "c++", "-"]
    source = f"#include <{name}>\n"
    return not subprocess.run(
        command, input=source, text=True, capture_output=True, check=False
    ).returncode
