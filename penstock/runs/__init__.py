# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cells of a plan on workers, and stores the results.

It knows backends/ by their interface, plan/ and results/; no table and no report.
"""
