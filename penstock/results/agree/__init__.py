# SPDX-License-Identifier: GPL-2.0-only
"""Do two backends agree on the same cells?"""
