# SPDX-License-Identifier: GPL-2.0-only
"""`python -m penstock` is the `penstock` command."""

from penstock.cli import main

if __name__ == "__main__":
    main()
