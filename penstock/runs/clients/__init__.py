# SPDX-License-Identifier: GPL-2.0-only
"""Live runs with clients and servers of other projects: nginx, curl, iperf3, ssh, aioquic."""
