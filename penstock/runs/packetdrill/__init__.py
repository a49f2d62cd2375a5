# SPDX-License-Identifier: GPL-2.0-only
"""Runs packetdrill's scripts against the simulator's TCP.

`script` reads the language, `claims` says which features of TCP the simulator claims,
`settings` turns what a script configures into that of a host, `sockets` are the program's side
of it, `wire` the network's, and `run` plays a script on a virtual clock.
"""
