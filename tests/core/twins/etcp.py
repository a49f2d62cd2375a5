# SPDX-License-Identifier: GPL-2.0-only
"""ETCP as nis-2004 section 13.3 writes it, equations 13.12 to 13.15; windows in segments."""


def etcp_1(cwnd: float, offered: float, initial: float) -> float:
    return offered


def etcp_2(cwnd: float, offered: float, initial: float) -> float:
    return min(cwnd * 2 ** (1 / cwnd), offered)


def etcp_3(cwnd: float, offered: float, initial: float) -> float:
    return offered if cwnd >= offered else cwnd * (offered / cwnd) ** (1 / cwnd)


def etcp_3b(cwnd: float, offered: float, initial: float) -> float:
    if offered > initial > cwnd:
        return cwnd * (offered / cwnd) ** (1 / initial)
    return etcp_3(cwnd, offered, initial)


LAWS = {"etcp_1": etcp_1, "etcp_2": etcp_2, "etcp_3": etcp_3, "etcp_3b": etcp_3b}
