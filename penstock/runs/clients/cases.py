# SPDX-License-Identifier: GPL-2.0-only
"""The cases of live/real: one bottleneck, and who uses it (docs/live.md shows their results)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from penstock.runs.clients.bulk import Bulk, Cheat
from penstock.runs.clients.echo import Echo
from penstock.runs.clients.files import Files
from penstock.runs.clients.lab import Client
from penstock.runs.clients.quic import Quic
from penstock.runs.clients.web import Pages, Trickle

METHODS: Final = ("droptail", "share", "integral", "penstock")
_MS: Final = 10**6


@dataclass(frozen=True, kw_only=True)
class Case:
    """A link with offloads on, and its clients. The results count from `warm_up_s` to `end_s`.

    The host `far` has `far_rtt_ns` in place of `rtt_ns`. `told_bps` is what the gateway takes
    for the rate, if that is not the link's, and `options` are more of `penstock-gw attach`.
    With `both_ways` each direction has a gateway. `controls` are methods that `penstock-gw cc`
    loads meanwhile. A case that is not `usual` has to be named.
    """

    title: str
    clients: tuple[Client, ...]
    rate_bps: int = 20_000_000
    told_bps: int = 0
    options: tuple[str, ...] = ()
    buffer_bytes: int = 97_000
    rtt_ns: int = 40 * _MS
    far_rtt_ns: int = 0
    both_ways: bool = False
    warm_up_s: int = 4
    end_s: int = 16
    controls: tuple[str, ...] = ()
    usual: bool = True


_EXEMPT_PORT: Final = 5202
_QUIC_S: Final = 10  # in which aioquic is connected, also on a busy machine
_FOUR: Final = (Bulk(count=4),)


def _beside_four(cheat: Cheat, *options: str) -> Case:
    """One sender that cheats, on a path like that of four that do not."""
    one = Bulk("cheat", source="far", cheat=cheat, port=5202)
    title = {"window": "ignores its window", "ect1": "sets ECT(1) and ignores marks"}[cheat]
    more = f" ({' '.join(options)})" if options else ""
    return Case(
        title=f"A sender that {title}, beside four that do not{more}",
        clients=(Bulk("fair", count=4), one),
        far_rtt_ns=40 * _MS,
        options=options,
    )


def _beside_exempt(congestion: str) -> Case:
    """One flow past the gateway, on a path like that of four that it controls."""
    one = Bulk("exempt", source="far", congestion=congestion, port=_EXEMPT_PORT)
    return Case(
        title=f"An exempt flow of {congestion.upper()} beside four of CUBIC at 10 Mbit/s",
        clients=(Bulk("tcp", count=4), one),
        rate_bps=10_000_000,
        far_rtt_ns=40 * _MS,
        options=("--exempt", f"port {_EXEMPT_PORT}"),
        usual=False,
    )


def _files(title: str, *controls: str, **fields: Any) -> Case:
    """Pages of six files beside two bulk transfers of another server."""
    far = Bulk("background", count=2, source="far", port=5202)
    return Case(
        title=f"Pages of six files beside two bulk transfers: {title}",
        clients=(far, Files(**fields)),
        far_rtt_ns=40 * _MS,
        warm_up_s=3,
        end_s=25,
        controls=controls,
        usual=False,
    )


def _row(title: str, *controls: str, **fields: Any) -> Case:
    """One file after the other on an idle link, each over a connection of its own."""
    files = Files(pages=12, every_s=0.6, others=0, **fields)
    return Case(
        title=f"Files of 100 kB, one after the other, at 60 ms: {title}",
        clients=(files,),
        rtt_ns=60 * _MS,
        warm_up_s=0,
        end_s=10,
        controls=controls,
        usual=False,
    )


CASES: Final[Mapping[str, Case]] = {
    "quic": Case(
        title="A QUIC download beside four of TCP at 10 Mbit/s",
        clients=(Bulk(name="tcp", count=4), Quic()),
        rate_bps=10_000_000,
        warm_up_s=_QUIC_S,
        end_s=_QUIC_S + 12,
    ),
    "exempt-cubic": _beside_exempt("cubic"),
    "exempt-bbr": _beside_exempt("bbr"),
    "home": Case(
        title="A home: bulk, pages of six files, video, ssh, and a QUIC download",
        clients=(
            Bulk(count=2, start_s=_QUIC_S - 4, settle_s=4),
            Files("pages", pages=7),
            Files("video", one=True, others=0, size_bytes=500_000, port=8201, pages=7),
            Echo(count=2),
            Quic(),
        ),
        warm_up_s=_QUIC_S,
        end_s=_QUIC_S + 16,
        usual=False,
    ),
    "quiet": Case(
        title="A bulk transfer that begins among 500 connections of 10 B/s",
        clients=(Trickle("quiet", count=500, bytes_per_s=10), Bulk(start_s=2.0)),
        warm_up_s=2,
    ),
    "echo": Case(
        title="A bulk transfer beside five ssh sessions with ten echoes per second",
        clients=(Bulk(), Echo()),
    ),
    "echo-short": Case(
        title="The same, with a target of 8 kB: 3 ms",
        clients=(Bulk(), Echo()),
        options=("--param", "target_bytes=8000"),
    ),
    "two-rtts": Case(
        title="Round trips of 5 and 200 ms, four transfers each",
        clients=(Bulk("near", count=4), Bulk("far", count=4, source="far", port=5202)),
        rtt_ns=5 * _MS,
        far_rtt_ns=200 * _MS,
        warm_up_s=8,
        end_s=20,
    ),
    "downloads": Case(
        title="64 parallel downloads of 500 kB, from their start",
        clients=(Pages("downloads", count=64, size_bytes=500_000),),
        warm_up_s=0,
        end_s=30,
    ),
    "pages": Case(
        title="100 pages of 20 kB at once beside a bulk transfer",
        clients=(Bulk(), Pages("pages", count=100, size_bytes=20_000, start_s=6.0)),
        end_s=12,
    ),
    "crowd": Case(
        title="30 pages of 20 kB at once on an idle link",
        clients=(Pages("pages", count=30, size_bytes=20_000, start_s=1.0),),
        warm_up_s=0,
        end_s=6,
    ),
    "crowd-beside": Case(
        title="The same 30 pages beside a bulk transfer",
        clients=(Bulk(), Pages("pages", count=30, size_bytes=20_000, start_s=6.0)),
        end_s=12,
    ),
    "pages-http2": Case(
        title="The same 100 pages over one connection with HTTP/2",
        clients=(Bulk(), Pages("pages", count=100, size_bytes=20_000, start_s=6.0, http2=True)),
        end_s=12,
    ),
    "both-ways": Case(
        title="Both directions full, eight transfers each",
        clients=(
            Bulk("down", count=8),
            Bulk("up", count=8, source="receivers", sink="senders", port=5202),
        ),
        both_ways=True,
    ),
    "told-half": Case(title="The gateway is told half of the rate", clients=_FOUR, told_bps=10**7),
    "told-double": Case(
        title="The gateway is told twice the rate", clients=_FOUR, told_bps=40_000_000
    ),
    "cheat": _beside_four("window"),
    "cheat-policed": _beside_four("window", "--police"),
    "ect1": _beside_four("ect1", "--scalable", "bypass"),
    "files": _files("six connections of CUBIC"),
    "files-bbr": _files("six connections of BBR", congestion="bbr"),
    "files-fs-tcbi": _files("six that share by FS-TCBI", "fs_tcbi", congestion="pst_fs_tcbi"),
    "files-efcm": _files("six that share by EFCM", "efcm", congestion="pst_efcm"),
    "files-cached": _files("six of CUBIC, thresholds in tcp_metrics", cache="all"),
    "files-one": _files("one connection of CUBIC", one=True),
    "files-one-bbr": _files("one connection of BBR", one=True, congestion="bbr"),
    "row": _row("no cache"),
    "row-cached": _row("tcp_metrics as Linux has it", cache="rtt"),
    "row-cached-all": _row("tcp_metrics with thresholds", cache="all"),
    "row-efcm": _row("EFCM", "efcm", congestion="pst_efcm"),
}
