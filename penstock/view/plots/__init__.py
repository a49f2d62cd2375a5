# SPDX-License-Identifier: GPL-2.0-only
"""Figures: one description (chart.py) of each kind (kinds.py), drawn for print and for pages."""
