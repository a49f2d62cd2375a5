# SPDX-License-Identifier: GPL-2.0-only
"""Questions beside a sweep: how many flows are served, why a window was sent.

What has to be run for an answer, the caller runs: it passes a function.
"""
