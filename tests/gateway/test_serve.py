# SPDX-License-Identifier: GPL-2.0-only
"""`penstock-gw serve`: who is answered, with what, and at what cost."""

import contextlib
import itertools
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gateway_lab import ROOT, Lab
from loads import connections, streaming, until
from patience import timed
from serving import Served, lines_for, lines_to, lines_to_event, serving

FILES = ("/", "/page.css", "/page.js", "/path.js", "/chart.js")
MOST_BYTES = 100_000
TICK_S = 1 / os.sysconf("SC_CLK_TCK")  # what CPU time is counted in


def test_the_page_is_small_and_asks_nobody_else(lab: Lab) -> None:
    with serving(lab) as served:
        total = 0
        for path in FILES:
            status, headers, body = served.ask(path)
            assert status == 200
            total += len(body)
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            text = body.decode().replace("http://www.w3.org/2000/svg", "")
            assert "://" not in text, "an address of elsewhere"
        assert 10_000 < total < MOST_BYTES
    assert sorted(path.name for path in (ROOT / "linux/gateway/page").glob("*.*[!d]")) == sorted(
        ["page.html", "report.html", *(path[1:] for path in FILES[1:])]
    )


def test_the_operators_page_says_how_small_it_is() -> None:
    sizes = [
        (ROOT / "linux/gateway/page" / (path[1:] or "page.html")).stat().st_size for path in FILES
    ]
    said = " ".join((ROOT / "docs/operator/see.md").read_text().split())
    assert f"The page, {sum(sizes) / 1000:.0f} kB in all" in said
    assert f"charts is our own, {sizes[FILES.index('/chart.js')] / 1000:.0f} kB" in said


def test_the_status_is_that_of_the_command(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with serving(lab) as served:
        status, headers, body = served.ask("/status")
        assert (status, headers["content-type"]) == (200, "application/json")
        shown, own = json.loads(body), lab.status()
        assert shown.keys() == own.keys()
        assert shown["buffer_bytes"] == own["buffer_bytes"]
        lab.tool("detach", lab.device)
        off = json.loads(served.ask("/status")[2])
        assert (off["state"], off["reason"]) == ("off", "not attached")


def test_other_requests_are_refused(lab: Lab) -> None:
    with serving(lab) as served:
        assert served.ask("/etc/passwd")[0] == 404
        assert served.ask("/../page.css")[0] == 404
        status, headers, _ = served.ask("/", "POST")
        assert (status, headers["allow"]) == (405, "GET, HEAD")
        status, headers, body = served.ask("/page.css", "HEAD")
        assert (status, body) == (200, b"")
        assert int(headers["content-length"]) > 1000
        # A name of another site that leads here: its pages may not read ours.
        for other in ("example.org:7470", "127.example.org", "127.0.0.1.example.org:7470"):
            assert served.ask("/status", Host=other)[0] == 403, other
        for own in ("localhost:9000", "127.0.0.2", "[::1]:9000"):
            assert served.ask("/status", Host=own)[0] == 200, own
        with served.connect() as raw:
            raw.sendall(b"nonsense\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400 ")
        with served.connect() as raw:
            raw.sendall(b"GET /" + b"a" * 20_000)
            with contextlib.suppress(ConnectionResetError):
                assert raw.recv(100) == b""
        assert served.ask("/")[0] == 200


def test_other_machines_need_the_token(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with serving(lab, "--listen", "10.9.1.1:7471") as served:
        address, _, token = served.address.partition("#token=")
        assert address == "http://10.9.1.1:7471/"
        assert len(token) == 32
        assert served.ask("/")[0] == 200, "the page asks for the token"
        for path in ("/status", "/stream"):
            assert served.ask(path)[0] == 401
            assert served.ask(path, Authorization=f"Bearer {token[:-1]}x")[0] == 401
            assert served.ask(f"{path}?token={token}")[0] == 401
        assert served.ask("/status", Authorization=f"Bearer {token}")[0] == 200
    secret = tmp_path / "token"
    secret.write_text("of-my-own-password-manager\n")
    with serving(lab, "--listen", "[fd09:1::1]:7471", "--token-file", str(secret)) as served:
        assert served.address == "http://[fd09:1::1]:7471/"
        assert served.ask("/status")[0] == 401
        assert served.ask("/status", Authorization=f"Bearer {secret.read_text().strip()}")[0] == 200
    secret.write_text("short\n")
    said = lab.tool("serve", lab.device, "--token-file", str(secret), expect=2)
    assert "less than 16 characters" in said


def test_a_unix_socket_is_for_its_owner(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "page.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    with serving(lab, "--listen", f"unix:{path}") as served:
        assert served.address == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        assert served.ask("/")[0] == 200
        said = lab.tool("serve", lab.device, "--listen", f"unix:{path}", expect=1)
        assert "Address already in use" in said
    assert not path.exists()


def test_wrong_addresses_are_named(lab: Lab) -> None:
    for wrong in ("7470", "localhost", "127.0.0.1:0", "127.0.0.1:70000", "::1:80", "unix:"):
        said = lab.tool("serve", lab.device, "--listen", wrong, expect=2)
        assert f"'{wrong}' is not ADDRESS:PORT" in said
    assert "is not an address" in lab.tool("serve", lab.device, "--listen", "gw:80", expect=2)
    assert "no device 'nil'" in lab.tool("serve", "nil", expect=2)
    said = lab.tool("serve", lab.device, "--port", "80", "--listen", "127.0.0.1:80", expect=2)
    assert "not both" in said


def are_tenths(lines: list[dict[str, object]]) -> bool:
    """Whether the samples, except a few, come a tenth of a second after one another."""
    times = [int(str(line["time_ns"])) / 1e9 for line in lines if line["kind"] == "sample"]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    return sum(0.09 < gap < 0.15 for gap in gaps) > 0.8 * len(gaps)


def test_the_stream_tells_what_happens_ten_times_a_second(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe", "--queue", "install")
    with serving(lab) as served, served.stream() as stream:
        head = next(stream)
        assert (head["kind"], head["schema_version"], head["device"]) == ("head", 1, lab.device)
        next(line for line in stream if line["kind"] == "sample")
        lab.tool("set", lab.device, "--live")
        lab.tool("set", lab.device, "--buffer", "60kB")
        lab.add_foreign_filter()
        lab.tc(f"qdisc del dev {lab.device} root")
        told = lines_to_event(stream, "degraded")
        lab.tool("detach", lab.device)
        told += lines_to_event(stream, "detach")
        lab.tool("attach", lab.device, "--rate", "5mbit")
        told += lines_to_event(stream, "attach")
        with timed():
            until(lambda: are_tenths(lines_for(stream, 4)), 30)
    events = [(str(line["event"]), str(line["reason"])) for line in told if line["kind"] == "event"]
    assert [name for name, _ in events][:3] == ["live", "set", "degraded"]
    assert events[1][1] == 'buffer = "60kB" (was not set)'
    assert "HTB" in events[2][1] or "queue" in events[2][1]
    names = [name for name, _ in events]
    assert names[names.index("detach") :] == ["detach", "attach"]
    assert events[-1][1] == "penstock, safe mode, at 5.00 Mbit/s, live"


def avoided(line: dict[str, object]) -> dict[str, Any]:
    """What a line says of drops avoided; empty in lines that say nothing of them."""
    found = line.get("drops_avoided", {})
    assert isinstance(found, dict)
    return found


def test_drops_avoided_are_measured_or_not_known(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "30kB", "--queue", "install")
    with (
        connections(lab, 8) as pairs,
        streaming(*pairs),
        serving(lab) as served,
        served.stream() as stream,
    ):
        first = avoided(lines_to(stream, lambda line: avoided(line) != {})[-1])
        lines_for(stream, 7)
        lab.tool("set", lab.device, "--observe")
        lines_to(stream, lambda line: avoided(line).get("drops_per_s", 0) > 1)
    assert not first["known"]
    assert "compare" in first["reason"]


def part_of_core(served: Served, stream: Iterator[dict[str, object]], seconds: float) -> float:
    """Its CPU time, while the stream is read for so long."""
    before, begin = served.cpu_s(), time.monotonic()
    lines_for(stream, seconds)
    return (served.cpu_s() - before) / (time.monotonic() - begin)


def cpu_s_in(served: Served, seconds: float) -> float:
    """Its CPU time in so long."""
    before = served.cpu_s()
    time.sleep(seconds)
    return served.cpu_s() - before


@pytest.mark.parametrize("flows", [0, 20])
def test_an_open_page_takes_little_and_a_closed_one_nothing(lab: Lab, flows: int) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with connections(lab, flows) as pairs, streaming(*pairs), serving(lab) as served:
        with served.stream() as stream:
            lines_for(stream, 1)
            until(lambda: part_of_core(served, stream, 10) < 0.01 + 2 * TICK_S / 10)
        until(lambda: cpu_s_in(served, 3) == 0)
