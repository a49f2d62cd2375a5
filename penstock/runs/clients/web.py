# SPDX-License-Identifier: GPL-2.0-only
"""Downloads by curl from nginx: pages at once, or connections that are nearly idle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from penstock.runs.clients.lab import Lab, Report, path_of
from penstock.runs.live.session import Process, run

_SERVER: Final = "senders"
_CLIENT: Final = "receivers"
_MOST_PARALLEL: Final = 250  # curl itself takes no more than 300
_LIMIT_S: Final = 120
_HEADERS_BYTES: Final = 500  # of a response; they are not slowed down
_SLOW_FILE_BYTES: Final = 100_000
_FORMAT: Final = "%{time_total} %{size_download} %{http_version} %{exitcode}\\n"
_SEPARATE: Final = ("--http1.1", "--parallel-immediate")
_TLS: Final = """ ssl http2;
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem"""
_CERTIFICATE: Final = (
    *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
    *("-days", "2", "-subj", "/CN=penstock test"),
)
_TIMED_OUT: Final = 28  # curl(1), EXIT CODES

_CONFIG: Final = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    server {{
        listen {address}:{port}{listen};
        root {folder}/www;
        location /slow {{
            limit_rate {rate};
            limit_rate_after {headers};
        }}
    }}
}}
"""


def _tls(folder: Path) -> str:
    """What a server with HTTP/2 has beside its port; browsers and curl want TLS for it."""
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    run([path_of("openssl"), *_CERTIFICATE, *files])
    return _TLS.format(folder=folder)


def _serve(lab: Lab, name: str, port: int, files: dict[str, int], http2: bool, rate: int) -> None:
    """An nginx of this client's own."""
    folder = lab.session.folder / name
    (folder / "www").mkdir(parents=True)
    for file, size in files.items():
        (folder / "www" / file).write_bytes(bytes(size))
    address = lab.url(_SERVER, port).removeprefix("http://").rsplit(":", 1)[0]
    text = _CONFIG.format(
        folder=folder,
        address=address,
        port=port,
        listen=_tls(folder) if http2 else "",
        rate=rate,
        headers=_HEADERS_BYTES,
    )
    config = folder / "nginx.conf"
    config.write_text(text, encoding="utf-8")
    _let_in(folder)
    server = lab.spawn(f"the server of {name}", _SERVER, path_of("nginx"), "-c", str(config))
    lab.wait_listening(server, _SERVER, port)


def _let_in(folder: Path) -> None:
    """Lets nginx read below the session's folder."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _transfers(process: Process) -> Iterator[tuple[float, int, str, int]]:
    """Seconds, bytes, version of HTTP and exit code of each transfer of a curl."""
    for line in process.text().splitlines():
        seconds, size, version, code = line.split()
        yield float(seconds), int(size), version, int(code)


def _curls(lab: Lab, name: str, url: str, count: int, *more: str) -> list[Process]:
    """As many as are needed for `count` transfers at once."""
    common = ["curl", "--silent", "--output", "/dev/null", "--write-out", _FORMAT, "--noproxy", "*"]
    common += ["--parallel", "--parallel-max", str(_MOST_PARALLEL), *more]
    found = []
    for first in range(0, count, _MOST_PARALLEL):
        last = min(count, first + _MOST_PARALLEL)
        found.append(lab.spawn(name, _CLIENT, *common, f"{url}?[{first + 1}-{last}]"))
    return found


@dataclass(frozen=True)
class Pages:
    """`count` files of one size, all requested at once.

    With HTTP/1.1 each has a connection of its own, with HTTP/2 one carries all.
    """

    name: str
    count: int
    size_bytes: int
    start_s: float = 0.0
    http2: bool = False
    port: int = 8080

    @property
    def needs(self) -> Sequence[str]:
        """With HTTP/2 a certificate as well."""
        return ("nginx", "curl", "openssl") if self.http2 else ("nginx", "curl")

    def serve(self, lab: Lab) -> None:
        """An nginx with the one file."""
        _serve(lab, self.name, self.port, {"page": self.size_bytes}, self.http2, 0)

    def start(self, lab: Lab) -> list[Process]:
        """Curl for all of them."""
        # --parallel-immediate: a connection for each; without it, curl waits for one to share.
        version, url = [*_SEPARATE], f"{lab.url(_SERVER, self.port)}/page"
        if self.http2:
            version, url = ["--http2", "--insecure"], url.replace("http:", "https:")
        return _curls(lab, self.name, url, self.count, *version, "--max-time", str(_LIMIT_S))

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """The times of whole transfers."""
        found = [each for process in processes for each in _transfers(process)]
        wanted = "2" if self.http2 else "1.1"
        good = [each for each in found if each[1:] == (self.size_bytes, wanted, 0)]
        if len(good) < self.count:
            raise RuntimeError(f"curl ({self.name}): {len(good)} of {self.count} transfers arrived")
        seconds = [each[0] for each in good]
        total_mbps = self.count * self.size_bytes * 8e-6 / max(seconds)
        return Report([total_mbps], [1000 * each for each in seconds])


@dataclass(frozen=True)
class Trickle:
    """`count` connections over which nginx sends a few bytes per second."""

    needs: ClassVar[Sequence[str]] = ("nginx", "curl")

    name: str
    count: int
    bytes_per_s: int
    start_s: float = 0.0
    port: int = 8090

    def serve(self, lab: Lab) -> None:
        """An nginx that limits each connection."""
        _serve(lab, self.name, self.port, {"slow": _SLOW_FILE_BYTES}, False, self.bytes_per_s)

    def start(self, lab: Lab) -> list[Process]:
        """Curl until the end of the run."""
        url = f"{lab.url(_SERVER, self.port)}/slow"
        seconds = str(int(lab.end_s - self.start_s))
        return _curls(lab, self.name, url, self.count, *_SEPARATE, "--max-time", seconds)

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """Nothing but that all were there to the end, and slow."""
        found = [each for process in processes for each in _transfers(process)]
        good = [each for each in found if 0 < each[1] < _SLOW_FILE_BYTES and each[3] == _TIMED_OUT]
        if len(good) < self.count:
            raise RuntimeError(f"curl ({self.name}): {len(good)} of {self.count} connections held")
        return Report()
