# SPDX-License-Identifier: GPL-2.0-only
"""What results look like: figures (plots/) and pages (report/).

It reads results/ and runs nothing.
"""
