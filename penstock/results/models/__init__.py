# SPDX-License-Identifier: GPL-2.0-only
"""Analytical models of TCP and a gateway: recurrences that need no packets."""
