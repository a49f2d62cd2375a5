# SPDX-License-Identifier: GPL-2.0-only
"""Scenario files: their units, their model, and how they are read."""
