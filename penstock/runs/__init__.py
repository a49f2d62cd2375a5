# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cells of a plan on workers.

It knows its backends/ by their interface, plan/ and results/; no figure and no page.
"""
