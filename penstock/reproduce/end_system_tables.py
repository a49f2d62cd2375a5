# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 chapters 8 and 9: the numbers of its tables, and the signs of its t tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

RELIABLE, LOSSY = "reliable", "unreliable"
STANDARD, FS_TCBI, EFCM = "standard TCP", "FS-TCBI", "EFCM"
RTTS_MS: Final = (20, 60, 100, 500)

TPO_NEW, TPC_NEW = "newcomer_tpo_segments_per_s", "newcomer_tpc_segments_per_s"
CWND, SSTHRESH = "newcomer_cwnd_segments", "newcomer_ssthresh_segments"
SRTT, RTTVAR = "newcomer_srtt_ms", "newcomer_rttvar_ms"
TPO_BESIDE, TPC_BESIDE, FAIRNESS = "tpo_concurrent", "tpc_concurrent", "fairness_concurrent"
WORDS: Final[Mapping[str, str]] = {
    TPO_NEW: "TPO of new connections, segments/s",
    TPC_NEW: "TPC of new connections, segments/s",
    CWND: "initial window of new connections, segments",
    SSTHRESH: "initial threshold of new connections, segments",
    SRTT: "initial SRTT of new connections, ms",
    RTTVAR: "initial RTTVAR of new connections, ms",
    TPO_BESIDE: "TPO of concurrent connections, segments/s",
    TPC_BESIDE: "TPC of concurrent connections, segments/s",
    FAIRNESS: "fairness of concurrent connections",
}

Three = tuple[float, float, float]  # of TCP 1, TCP 2, TCP 3


@dataclass(frozen=True)
class New:
    """New connections in one setting: standard TCP, the method, and the signs of both tests."""

    table: str
    method: str
    rtt_ms: int
    hop: str
    values: Mapping[str, tuple[Three, Three, str]]
    initial: Mapping[str, Three]  # the method's; standard TCP has 3 and 44 segments


@dataclass(frozen=True)
class Beside:
    """Concurrent connections in one setting, likewise."""

    table: str
    method: str
    rtt_ms: int
    hop: str
    values: Mapping[str, tuple[float, float, str]]


def _new(
    table: str,
    setting: tuple[str, int, str],
    tpo: tuple[Three, Three, str],
    tpc: tuple[Three, Three, str],
    initial: Sequence[Three],
) -> New:
    values = {TPO_NEW: tpo, TPC_NEW: tpc}
    return New(
        table, *setting, values, dict(zip((CWND, SSTHRESH, SRTT, RTTVAR), initial, strict=True))
    )


def _beside(table: str, setting: tuple[str, int, str], *rows: tuple[float, float, str]) -> Beside:
    names = (TPO_BESIDE, TPC_BESIDE, FAIRNESS)
    return Beside(table, *setting, dict(zip(names, rows, strict=True)))


_TPO: Final[Mapping[tuple[int, str], Three]] = {
    (20, RELIABLE): (42.25, 42.30, 42.12),
    (20, LOSSY): (23.56, 24.20, 24.99),
    (100, RELIABLE): (30.45, 30.52, 30.13),
    (100, LOSSY): (16.94, 16.89, 16.96),
}
_TPC: Final[Mapping[tuple[int, str], Three]] = {
    (20, RELIABLE): (46.61, 46.74, 46.89),
    (20, LOSSY): (69.12, 69.69, 69.78),
    (100, RELIABLE): (31.11, 31.20, 31.16),
    (100, LOSSY): (30.38, 30.18, 30.41),
}

NEW: Final = (
    _new(
        "Table 8.2",
        (FS_TCBI, 20, RELIABLE),
        (_TPO[20, RELIABLE], (46.92, 45.89, 46.88), "+++"),
        (_TPC[20, RELIABLE], (48.16, 47.93, 48.40), "+++"),
        ((9.39, 9.08, 9.14), (40.85, 40.77, 40.78), (113, 112, 113), (66, 65, 66)),
    ),
    _new(
        "Table 8.4",
        (FS_TCBI, 20, LOSSY),
        (_TPO[20, LOSSY], (35.51, 35.88, 36.62), "+++"),
        (_TPC[20, LOSSY], (68.36, 67.87, 68.24), "=--"),
        ((3.99, 3.99, 4.01), (33.37, 33.20, 33.21), (36, 36, 36), (18, 19, 19)),
    ),
    _new(
        "Table 8.10",
        (FS_TCBI, 100, RELIABLE),
        (_TPO[100, RELIABLE], (33.94, 33.93, 34.02), "+++"),
        (_TPC[100, RELIABLE], (34.17, 34.26, 34.43), "+++"),
        ((8.95, 9.08, 9.01), (40.25, 40.25, 40.32), (190, 194, 193), (77, 78, 78)),
    ),
    _new(
        "Table 8.12",
        (FS_TCBI, 100, LOSSY),
        (_TPO[100, LOSSY], (22.64, 22.92, 22.98), "+++"),
        (_TPC[100, LOSSY], (31.31, 31.34, 31.25), "+++"),
        ((4.37, 4.32, 4.27), (31.04, 30.88, 30.83), (106, 107, 107), (25, 25, 25)),
    ),
    _new(
        "Table 9.2",
        (EFCM, 20, RELIABLE),
        (_TPO[20, RELIABLE], (41.48, 39.88, 40.37), "=--"),
        (_TPC[20, RELIABLE], (50.68, 49.95, 50.22), "+++"),
        ((34.52, 32.94, 35.01), (70.35, 68.56, 71.24), (121, 119, 122), (79, 77, 80)),
    ),
    _new(
        "Table 9.4",
        (EFCM, 20, LOSSY),
        (_TPO[20, LOSSY], (41.37, 40.60, 40.20), "+++"),
        (_TPC[20, LOSSY], (69.35, 67.98, 68.33), "=--"),
        ((12.33, 12.07, 12.07), (40.64, 40.60, 40.44), (46, 45, 45), (33, 32, 32)),
    ),
    _new(
        "Table 9.10",
        (EFCM, 100, RELIABLE),
        (_TPO[100, RELIABLE], (34.29, 34.95, 34.24), "+++"),
        (_TPC[100, RELIABLE], (40.87, 41.10, 40.73), "+++"),
        ((39.29, 39.15, 38.46), (76.37, 76.09, 75.39), (199, 197, 196), (90, 87, 88)),
    ),
    _new(
        "Table 9.12",
        (EFCM, 100, LOSSY),
        (_TPO[100, LOSSY], (29.89, 29.96, 29.76), "+++"),
        (_TPC[100, LOSSY], (39.45, 39.13, 39.29), "+++"),
        ((12.03, 12.01, 12.03), (40.26, 40.26, 40.26), (111, 111, 112), (34, 34, 34)),
    ),
)

BESIDE: Final = (
    _beside(
        "Table 8.3",
        (FS_TCBI, 20, RELIABLE),
        (39.97, 38.69, "-"),
        (38.52, 37.42, "-"),
        (0.7916, 0.7896, "="),
    ),
    _beside(
        "Table 8.5",
        (FS_TCBI, 20, LOSSY),
        (35.48, 39.63, "+"),
        (65.65, 62.30, "-"),
        (0.8261, 0.8244, "="),
    ),
    _beside(
        "Table 8.11",
        (FS_TCBI, 100, RELIABLE),
        (27.51, 27.83, "="),
        (25.97, 26.59, "+"),
        (0.7907, 0.7828, "-"),
    ),
    _beside(
        "Table 8.13",
        (FS_TCBI, 100, LOSSY),
        (21.48, 23.29, "+"),
        (27.48, 27.76, "+"),
        (0.8402, 0.8328, "-"),
    ),
    _beside(
        "Table 9.3",
        (EFCM, 20, RELIABLE),
        (39.97, 38.86, "-"),
        (38.52, 41.39, "+"),
        (0.7916, 0.8316, "+"),
    ),
    _beside(
        "Table 9.5",
        (EFCM, 20, LOSSY),
        (35.48, 44.49, "+"),
        (65.65, 63.23, "-"),
        (0.8261, 0.8636, "+"),
    ),
    _beside(
        "Table 9.11",
        (EFCM, 100, RELIABLE),
        (27.51, 30.07, "+"),
        (25.97, 30.93, "+"),
        (0.7907, 0.8174, "+"),
    ),
    _beside(
        "Table 9.13",
        (EFCM, 100, LOSSY),
        (21.48, 29.90, "+"),
        (27.48, 33.89, "+"),
        (0.8402, 0.8743, "+"),
    ),
)

# Tables 8.1 and 9.1: packet loss rates of the bottleneck router, by RTTS_MS.
LOSS_RATES: Final[Mapping[tuple[str, str], Sequence[float]]] = {
    (STANDARD, RELIABLE): (0.003263, 0.003257, 0.003275, 0.003225),
    (STANDARD, LOSSY): (0.000028, 0.000028, 0.000027, 0.000027),
    (FS_TCBI, RELIABLE): (0.003273, 0.003257, 0.003266, 0.003234),
    (FS_TCBI, LOSSY): (0.000027, 0.000028, 0.000028, 0.000026),
    (EFCM, RELIABLE): (0.003256, 0.003257, 0.003265, 0.003228),
    (EFCM, LOSSY): (0.000027, 0.000025, 0.000028, 0.000028),
}

# Tables 8.18 and 9.18: the signs of each metric, by RTTS_MS.
SUMMARY: Final[Mapping[tuple[str, str, str], Sequence[str]]] = {
    (FS_TCBI, RELIABLE, TPO_NEW): ("+", "+", "+", "+"),
    (FS_TCBI, LOSSY, TPO_NEW): ("++", "++", "++", "+"),
    (FS_TCBI, RELIABLE, TPC_NEW): ("+", "+", "+", "+"),
    (FS_TCBI, LOSSY, TPC_NEW): ("-", "=", "+", "+"),
    (FS_TCBI, RELIABLE, TPO_BESIDE): ("-", "=", "=", "+"),
    (FS_TCBI, LOSSY, TPO_BESIDE): ("+", "+", "+", "+"),
    (FS_TCBI, RELIABLE, TPC_BESIDE): ("-", "-", "+", "+"),
    (FS_TCBI, LOSSY, TPC_BESIDE): ("-", "-", "+", "+"),
    (FS_TCBI, RELIABLE, FAIRNESS): ("=", "-", "-", "-"),
    (FS_TCBI, LOSSY, FAIRNESS): ("=", "-", "-", "-"),
    (EFCM, RELIABLE, TPO_NEW): ("-", "=", "+", "++"),
    (EFCM, LOSSY, TPO_NEW): ("+++", "+++", "+++", "+++"),
    (EFCM, RELIABLE, TPC_NEW): ("+", "+", "++", "+++"),
    (EFCM, LOSSY, TPC_NEW): ("-", "+", "++", "+++"),
    (EFCM, RELIABLE, TPO_BESIDE): ("-", "=", "+", "++"),
    (EFCM, LOSSY, TPO_BESIDE): ("++", "++", "++", "++"),
    (EFCM, RELIABLE, TPC_BESIDE): ("+", "+", "+", "++"),
    (EFCM, LOSSY, TPC_BESIDE): ("-", "+", "++", "++"),
    (EFCM, RELIABLE, FAIRNESS): ("+", "+", "+", "+"),
    (EFCM, LOSSY, FAIRNESS): ("+", "+", "+", "+"),
}

# Sections 8.2 and 9.2: new connections that come to others, percent of all.
CONTROLLABLE: Final[Mapping[tuple[str, int, str], float]] = {
    (FS_TCBI, 100, RELIABLE): 8.5,
    (FS_TCBI, 100, LOSSY): 14.0,
    (FS_TCBI, 500, RELIABLE): 18.1,
    (FS_TCBI, 500, LOSSY): 32.2,
    (EFCM, 100, RELIABLE): 8.5,
    (EFCM, 100, LOSSY): 13.9,
    (EFCM, 500, RELIABLE): 18.0,
    (EFCM, 500, LOSSY): 31.1,
}
