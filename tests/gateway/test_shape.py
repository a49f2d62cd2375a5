# SPDX-License-Identifier: GPL-2.0-only
"""`penstock-gw shape`: many subscribers' queues on one live gateway."""

import json
import shutil
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from accounted import accounted, fill
from gateway_lab import TOOL, Lab, sh
from loads import acked_bytes, meanwhile, streaming, until
from patience import timed
from spaces import inside

PORT = 6000
BELOW = ("--rate", "1gbit", "--source", "virtual", "--queue", "existing")
PRIORITY_OF_1_10 = 0x10010
Pair = tuple[socket.socket, socket.socket]
Record = Callable[..., None]


def subscriber(number: int) -> str:
    """An address of the client."""
    return f"10.9.1.{100 + number}"


@contextmanager
def subscribers(lab: Lab, count: int) -> Iterator[list[Pair]]:
    """A connection from the server to each of them: sockets of the server and the client."""
    for number in range(count):
        sh(f"ip -n {lab.client} addr add {subscriber(number)}/24 dev c0")
    with ExitStack() as stack:
        with inside(lab.client):
            listener = stack.enter_context(socket.create_server(("", PORT), backlog=count))
        pairs = []
        for number in range(count):
            with inside(lab.server):
                near = socket.create_connection((subscriber(number), PORT), 60)
            stack.enter_context(near).settimeout(60)
            pairs.append((near, stack.enter_context(listener.accept()[0])))
        yield pairs


def attach(lab: Lab, *options: str, shapes: int = 200) -> None:
    """With room for shapes, and a queue of its own that no test fills."""
    lab.tool("attach", lab.device, *BELOW, "--shapes", str(shapes), *options)


def add(lab: Lab, *words: str, expect: int | None = 0) -> str:
    """`shape add` on the device."""
    return lab.tool("shape", "add", lab.device, *words, expect=expect)


def listed(lab: Lab) -> dict[str, dict[str, Any]]:
    """The shapes by their names."""
    found = json.loads(lab.tool("shape", "list", lab.device, "-j"))
    return {shape["name"]: shape for shape in found["shapes"]}


def goodputs_mbps(pairs: list[Pair], seconds: float) -> list[float]:
    """Of each, for so long from now."""
    before, begun = [acked_bytes(near) for near, _ in pairs], time.monotonic()
    time.sleep(seconds)
    after, passed = [acked_bytes(near) for near, _ in pairs], time.monotonic() - begun
    return [(b - a) * 8e-6 / passed for a, b in zip(before, after, strict=True)]


@contextmanager
def flooding(lab: Lab, address: str, bps: float, packet_bytes: int = 1200) -> Iterator[None]:
    """UDP from the server meanwhile, which nobody answers."""
    with inside(lab.server):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect((address, 9999))

    def send(ending: threading.Event) -> None:
        sent, begun = 0, time.monotonic()
        while not ending.wait(0.002):
            while sent < (time.monotonic() - begun) * bps / 8 / packet_bytes:
                sent += 1
                with suppress(ConnectionRefusedError):
                    sender.send(bytes(packet_bytes))

    with sender, meanwhile(send):
        yield


@timed()
def test_a_hundred_subscribers_each_have_their_rate_and_target(
    lab: Lab, tmp_path: Path, record: Record
) -> None:
    rates = [0.5 if number % 2 else 1.0 for number in range(100)]
    file = tmp_path / "shapes.csv"
    lines = [f"s{i},{rate}mbit,{subscriber(i)}" for i, rate in enumerate(rates)]
    file.write_text("name,rate,prefix\n" + "\n".join(lines) + "\n")
    attach(lab)
    add(lab, "--file", str(file))
    with lab.far_server("50ms"), subscribers(lab, len(rates)) as pairs, streaming(*pairs):
        time.sleep(10)
        begun = listed(lab)
        goodputs = goodputs_mbps(pairs, 10)
        ended = listed(lab)
    parts = [goodput / rate for goodput, rate in zip(goodputs, rates, strict=True)]
    queues = [shape["queue_bytes"] for shape in ended.values()]
    packets = sum(ended[name]["packets"] - begun[name]["packets"] for name in ended)
    drops = sum(ended[name]["drops"] - begun[name]["drops"] for name in ended)
    record(least=min(parts), most=max(parts), queue_bytes=statistics.mean(queues), drops=drops)
    assert max(parts) < 1.0
    assert min(parts) > 0.7, "each has nearly its rate"
    assert statistics.mean(parts) > 0.85
    buffer_bytes = ended["s0"]["buffer_bytes"]
    assert statistics.mean(queues) < 0.5 * buffer_bytes, "near its target, 3/10 at most"
    assert drops <= 0.02 * packets
    assert sum(shape["acks_rewritten"] for shape in ended.values()) > 1000


@timed()
def test_a_flood_to_one_is_held_to_its_rate_and_touches_no_other(lab: Lab) -> None:
    attach(lab)
    for number in range(2):
        add(lab, f"s{number}", "--rate", "2mbit", "--prefix", subscriber(number))
    with lab.far_server("20ms"), subscribers(lab, 2) as pairs, streaming(pairs[1]):
        time.sleep(4)
        before = listed(lab)
        with flooding(lab, subscriber(0), 10e6):
            time.sleep(1)
            middle = listed(lab)
            [goodput] = goodputs_mbps(pairs[1:], 5)
            after = listed(lab)
    passed = after["s0"]["packets"] - middle["s0"]["packets"]
    passed -= after["s0"]["drops"] - middle["s0"]["drops"]
    assert passed * 1242 * 8 / 5 < 1.25 * 2e6
    assert goodput > 1.6, "windows of its own queue; a late machine leaves 5 ms of it empty"
    assert after["s1"]["drops"] - before["s1"]["drops"] < 10


def test_a_mark_or_a_class_names_the_shape_too(lab: Lab) -> None:
    attach(lab)
    add(lab, "marked", "--rate", "2mbit", "--mark", "0x7")
    add(lab, "classed", "--rate", "2mbit", "--class", "1:10")
    add(lab, "rest", "--rate", "2mbit", "--prefix", "10.9.0.0/16", "--prefix", "fd09::/16")
    with inside(lab.gateway):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    target = (lab.address(lab.client), 9999)
    with sender:
        sender.sendto(b"plain", target)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, PRIORITY_OF_1_10)
        for _ in range(2):
            sender.sendto(b"classed", target)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 7)
        for _ in range(4):
            sender.sendto(b"marked", target)
    shapes = listed(lab)
    assert (shapes["marked"]["packets"], shapes["classed"]["packets"]) == (4, 2)
    assert shapes["rest"]["packets"] >= 1
    assert shapes["classed"]["selectors"] == ["class 1:10"]


@timed()
def test_shapes_change_and_go_during_traffic(lab: Lab) -> None:
    attach(lab)
    words = ["s0", "--rate", "2mbit", "--prefix", subscriber(0)]
    add(lab, *words)
    with lab.far_server("20ms"), subscribers(lab, 1) as pairs, streaming(*pairs):
        until(lambda: acked_bytes(pairs[0][0]) > 500_000)
        [slow] = goodputs_mbps(pairs, 4)
        sent = listed(lab)["s0"]["bytes"]
        add(lab, *["8mbit" if word == "2mbit" else word for word in words], "--replace")
        time.sleep(3)
        [fast] = goodputs_mbps(pairs, 4)
        assert listed(lab)["s0"]["bytes"] > sent, "what it has counted stays"
        lab.tool("shape", "remove", lab.device, "s0")
        time.sleep(3)
        [free] = goodputs_mbps(pairs, 4)
    assert 1.5 < slow < 2.0
    assert 5.5 < fast < 8.0
    assert free > 10, "it has the device's own queue"
    assert lab.tool("shape", "list", lab.device) == f"{lab.device}: no shapes\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new"], "rate: is missing: such as 50mbit"),
        (["new", "--rate", "0mbit"], "rate: 0mbit is not in 8kbit .. 100gbit"),
        (["new", "--rate", "1mbit"], "prefix: is missing: whose packets these are"),
        (["new", "--rate", "1mbit", "--prefix", "10.0.0.1/33"], "has '33' where 0 .. 32 is right"),
        (["new", "--rate", "1mbit", "--prefix", "x"], "'x' is not ADDRESS[/BITS], such as"),
        (["new", "--rate", "1mbit", "--prefix", "10.0.0.1/8"], "has an address with bits behind"),
        (["new", "--rate", "1mbit", "--mark", "0"], "mark: '0' is not a packet's mark"),
        (["new", "--rate", "1mbit", "--class", "ten"], "class: 'ten' is not a class"),
        (["new", "--rate", "1mbit", "--mark", "7"], "mark 7 belongs to 'old' already"),
        (["old", "--rate", "1mbit", "--mark", "9"], "there is a shape 'old' already; --replace"),
        (["new", "--rate", "1mbit", "--mark", "9", "--target", "1s"], "target: 1s is 125 kB, more"),
        ([], "give a NAME with --rate and --prefix, --mark, --class or --cgroup, or a --file"),
        (["n" * 32, "--rate", "1mbit", "--mark", "9"], "has 32 bytes, and at most 31 are kept"),
        (["caf\udce9", "--rate", "1mbit", "--mark", "9"], "name: is not in UTF-8"),
    ],
)
def test_a_mistake_is_named_and_adds_nothing(lab: Lab, words: list[str], message: str) -> None:
    attach(lab, shapes=2)
    add(lab, "old", "--rate", "1mbit", "--mark", "7")
    assert message in add(lab, *words, expect=2)
    assert list(listed(lab)) == ["old"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": is empty: its first line names the columns"),
        ("name,rate,prefix\n", ": has no shape"),
        ("name,speed\n", ":1: 'speed' is no column; there are name, rate, buffer"),
        ("name,prefix\n", ":1: the column 'rate' is missing"),
        ("Circuit ID,IPv4\n", ":1: the column 'Download Max Mbps' is missing"),
        (
            "name,rate,mark\na,1mbit,1\n\n# b\nb,1mbit\n",
            ":5: 2 fields, where the first line names 3",
        ),
        ("name,rate,mark\na,1mbit,1\nb,1,2\n", ":3: rate: a unit is missing in '1'"),
        ("name,rate,mark\na,1mbit,1\na,1mbit,2\n", ":3: 'a' stands in line 2 already"),
        ("name,rate,mark\na,1mbit,1\nb,1mbit,1\n", ":3: 'b': mark 1 belongs to 'a' already"),
        ('name,rate,mark\n"a,1mbit,1\n', ":2: a quotation mark is not closed"),
    ],
)
def test_a_bad_file_is_named_with_its_line_and_adds_nothing(
    lab: Lab, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "shapes.csv"
    file.write_text(text)
    attach(lab)
    assert f"{file}{message}" in add(lab, "--file", str(file), expect=78)
    assert "not both" in add(lab, "--file", str(file), "--mark", "7", expect=2)
    assert listed(lab) == {}


def test_the_file_of_libreqos_is_read_as_it_is(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "ShapedDevices.csv"
    file.write_text(
        "Circuit ID,Circuit Name,Device ID,Device Name,Parent Node,MAC,IPv4,IPv6,"
        "Download Min Mbps,Upload Min Mbps,Download Max Mbps,Upload Max Mbps,Comment\n"
        '1,"968 Circle St., Gurnee",1,Device 1,AP_A,,"100.64.0.1, 100.64.0.14",fdd7:b724:0:100::/56'
        ",1,1,155,20,\n"
        "1,,2,Device 2,AP_A,,100.64.0.2,,1,1,155,20,\n"
        "2,31 Marconi Street,3,Device 3,AP_A,,100.64.0.3,,1,1,10.5,5,\n"
    )
    attach(lab)
    add(lab, "--file", str(file))
    shapes = listed(lab)
    assert [shapes[name]["rate_bps"] for name in "12"] == [155_000_000, 10_500_000]
    assert set(shapes["1"]["selectors"]) == {
        *("100.64.0.1/32", "100.64.0.14/32", "100.64.0.2/32"),
        "fdd7:b724:0:100::/56",
    }
    add(lab, "--file", str(file), "--direction", "up", "--replace")
    assert [listed(lab)[name]["rate_bps"] for name in "12"] == [20_000_000, 5_000_000]


def test_a_prefix_may_move_to_another_shape(lab: Lab, tmp_path: Path) -> None:
    first, second = "100.64.0.1/32", "100.64.0.2/32"
    attach(lab)
    add(lab, "bob", "--rate", "1mbit", "--prefix", first, "--mark", "7")
    file = tmp_path / "shapes.csv"
    file.write_text(f"name,rate,prefix,mark\nalice,1mbit,{first},7\nbob,1mbit,{second},8\n")
    add(lab, "--file", str(file), "--replace")
    found = {name: set(shape["selectors"]) for name, shape in listed(lab).items()}
    assert found == {"alice": {first, "mark 7"}, "bob": {second, "mark 8"}}


def bpftool() -> str:
    """The program."""
    found = shutil.which("bpftool", path="/usr/sbin:/usr/bin:/sbin")
    if not found:
        pytest.skip("bpftool is not installed")
    return found


def test_ten_thousand_with_a_million_flows_fit_a_gigabyte(
    lab: Lab, tmp_path: Path, record: Record
) -> None:
    file = tmp_path / "shapes.csv"
    with file.open("w") as out:
        out.write("name,rate,prefix\n")
        for i in range(10_000):
            out.write(f"s{i},50mbit,100.64.{i >> 8}.{i & 255} 2001:db8:{i:x}::/48\n")
    attach(lab, "--flows", "1000000", shapes=10_000)
    begun = time.monotonic()
    add(lab, "--file", str(file))
    seconds = time.monotonic() - begun
    used = {}
    for pin in lab.pins().iterdir():
        shown = sh(f"{bpftool()} -j map show pinned {pin}", check=False)
        if shown.startswith("{"):
            used[pin.name] = int(json.loads(shown).get("bytes_memlock", 0))
    record(seconds=seconds, **used)
    assert len(listed(lab)) == 10_000
    assert used["shapes"] > 10_000_000
    assert sum(used.values()) < 1e9
    assert seconds < 20
    assert "room for 10000 shapes, not for 10001" in add(
        lab, "one", "--rate", "1mbit", "--mark", "1", expect=1
    )
    lab.tool("shape", "remove", lab.device, "--all")
    assert listed(lab) == {}


def test_the_kernel_accounts_less_than_a_gigabyte_for_them(
    lab: Lab, tmp_path: Path, record: Record
) -> None:
    """Ten thousand shapes and a million flows, in the maps of a gateway."""
    file = tmp_path / "shapes.csv"
    lines = [f"s{i},50mbit,100.64.{i >> 8}.{i & 255}/32\n" for i in range(10_000)]
    file.write_text("name,rate,prefix\n" + "".join(lines))
    words = [*BELOW, "--shapes", "10000", "--flows", "1000000"]
    with accounted("penstock-shape-test") as group:
        tool = [str(TOOL), "--netns", lab.gateway]
        group.run([*tool, "attach", lab.device, *words])
        group.run([*tool, "shape", "add", lab.device, "--file", str(file)])
        pin = lab.pins() / "flows"
        shown = json.loads(sh(f"{bpftool()} -j map show pinned {pin}"))
        before = group.kernel_bytes()
        fill(pin, 1_000_000, shown["bytes_key"], shown["bytes_value"])
        used = group.kernel_bytes()
        record(used=used, before=before)
        lab.tool("detach", lab.device)
    assert 6e8 < used < 1e9
    assert used < before + 1e6, "room for flows is there from the start"


def test_the_list_fits_eighty_columns(lab: Lab) -> None:
    attach(lab)
    words = [word for i in range(20) for word in ("--prefix", f"2001:db8:ffff:{i:x}::/64")]
    add(lab, "a subscriber with a long name", "--rate", "999mbit", *words)
    lines = lab.tool("shape", "list", lab.device).splitlines()
    assert lines[0].split() == ["name", "rate", "queue", "flows", "sent", "drops", "of"]
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].startswith("a subscriber wit..")
    assert lines[1].endswith("+19")


def test_without_room_it_says_how_to_have_some(lab: Lab) -> None:
    assert f"{lab.device} is not attached" in add(lab, "a", "--rate", "1mbit", expect=3)
    lab.tool("attach", lab.device, *BELOW)
    assert "attach it with --shapes" in add(lab, "a", "--rate", "1mbit", "--mark", "1", expect=1)
    assert "shapes cannot change" in lab.tool("set", lab.device, "--shapes", "4", expect=2)
    lab.tool("detach", lab.device)
    refused = lab.tool("attach", lab.device, *BELOW, "--shapes", "4", "-m", "ewt", expect=2)
    assert "shapes: ewt has parameters in bytes of one queue" in refused
