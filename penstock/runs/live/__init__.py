# SPDX-License-Identifier: GPL-2.0-only
"""The live lab: a scenario as namespaces, real links, and Linux' own TCP."""
