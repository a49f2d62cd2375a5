# SPDX-License-Identifier: GPL-2.0-only
"""The parts of each paper, for running and comparing them."""
