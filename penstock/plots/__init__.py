# SPDX-License-Identifier: GPL-2.0-only
"""Figures for papers, drawn by Matplotlib from results: PDF, SVG or PNG."""
