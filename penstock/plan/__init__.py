# SPDX-License-Identifier: GPL-2.0-only
"""What is to be run: the cells of a sweep, their random draws, and the network of each.

It reads scenario/ and runs nothing.
"""
