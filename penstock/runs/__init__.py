# SPDX-License-Identifier: GPL-2.0-only
"""Running the cells of a plan on workers, and the folder that keeps their results.

It knows backends/ by their interface, plan/ and results/; no table and no report.
"""
