# SPDX-License-Identifier: GPL-2.0-only
"""`penstock judge`: whether a law, a discipline or a sender is better than others, and holds."""
