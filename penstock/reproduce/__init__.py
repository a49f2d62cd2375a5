# SPDX-License-Identifier: GPL-2.0-only
"""What each paper is made of, so that all of it can be run again and held beside it."""
