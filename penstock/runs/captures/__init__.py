# SPDX-License-Identifier: GPL-2.0-only
"""Captures of runs in the formats of others: pcapng for Wireshark, qlog for qvis, data of flent."""
