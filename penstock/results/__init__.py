# SPDX-License-Identifier: GPL-2.0-only
"""What came out: columns and their definitions, statistics over seeds, tables.

It reads counters of any backend and rows of any folder; it runs nothing.
"""
