# SPDX-License-Identifier: GPL-2.0-only
"""What came out: a run's row, statistics over seeds, tables, and the folder that holds them.

It reads counters of any backend and rows of any folder; it runs nothing.
"""
