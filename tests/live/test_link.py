# SPDX-License-Identifier: GPL-2.0-only
"""penstock-link between namespaces."""

import json
import math
import shutil
import signal
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from live_support import call, environment, find, inside, joined, namespaces, probe, program
from patience import timed

pytestmark = pytest.mark.usefixtures("machine")


def test_the_delay_is_kept() -> None:
    with timed(), joined("--delay", "25ms") as (a, b, _):
        taken = probe(a, b, count=400, every_ms=2)
        errors_ms = sorted(ms - 25 for _, ms in taken)
        assert statistics.median(errors_ms) < 0.5
        assert errors_ms[int(len(errors_ms) * 0.9)] < 3
    assert [number for number, _ in taken] == list(range(400))
    assert errors_ms[0] >= 0, "a packet came too early"


def test_each_direction_has_its_own_delay() -> None:
    with timed(), joined("--delay", "5ms", "--delay-back", "40ms") as (a, b, _):
        taken = probe(a, b, count=50, every_ms=2)
        assert statistics.median(ms for _, ms in taken) < 8
    assert min(ms for _, ms in taken) >= 5


def tell(link: subprocess.Popen[str], line: str) -> str:
    """Has a link change; its answer."""
    assert link.stdin is not None
    assert link.stdout is not None
    link.stdin.write(f"{line}\n")
    link.stdin.flush()
    return link.stdout.readline()


def test_a_delay_changes_while_the_link_runs() -> None:
    with timed(), joined("--delay", "5ms", "--commands") as (a, b, link):
        assert min(ms for _, ms in probe(a, b, count=50, every_ms=2)) < 60
        assert tell(link, "delay 60ms") == "changed\n"
        taken = probe(a, b, count=50, every_ms=2)
        assert tell(link, "delay-back 200ms delay 5ms loss 99%") == "changed\n"
        assert tell(link, "loss 0%") == "changed\n"
        again = probe(a, b, count=50, every_ms=2)
        assert min(ms for _, ms in again) < 60
    assert [number for number, _ in taken] == list(range(50))
    assert min(ms for _, ms in taken) >= 60
    assert [number for number, _ in again] == list(range(50))


def test_a_command_that_is_wrong_is_named_and_the_link_goes_on() -> None:
    with joined("--delay", "5ms", "--commands", "-j") as (a, b, link):
        assert link.stdin is not None
        link.stdin.write("delay 5\nspeed up\n")
        assert tell(link, "delay 6ms") == "changed\n"
        assert min(ms for _, ms in probe(a, b, count=5, every_ms=1)) >= 6
        link.stdin.close()
        assert len(probe(a, b, count=5, every_ms=1)) == 5
        link.terminate()
        assert link.stderr is not None
        said = link.stderr.read().splitlines()
    assert said == [
        "penstock-link: delay: a unit is missing in '5'; write for instance '5ms'",
        "penstock-link: 'speed' cannot change; there are delay, loss and rate, "
        "and delay-back, loss-back and rate-back",
    ]


def test_loss_is_as_asked_and_nothing_changes_its_order() -> None:
    count, ratio = 3000, 0.1
    options = ["--delay", "10ms", "--jitter", "20ms", "--loss", "10%", "--loss-back", "0%"]
    with joined(*options, "--seed", "4") as (a, b, _):
        taken = probe(a, b, count=count, every_ms=0.5)
    numbers = [number for number, _ in taken]
    assert numbers == sorted(numbers)
    spread = 4 * math.sqrt(count * ratio * (1 - ratio))
    assert abs(count - len(numbers) - count * ratio) < spread
    assert max(ms for _, ms in taken) - min(ms for _, ms in taken) > 10


def test_a_burst_through_a_fresh_link_keeps_its_order() -> None:
    for _ in range(4):
        with joined("--delay", "1500us") as (a, b, _):
            taken = probe(a, b, count=300, every_ms=0.04)
        numbers = [number for number, _ in taken]
        assert len(numbers) > 200
        assert numbers == sorted(numbers)


def test_the_rate_is_kept() -> None:
    with timed(), joined("--rate", "4mbit", "--queue", "1MB") as (a, b, _):
        taken = probe(a, b, count=200, every_ms=0.1)
        # 1028 bytes of IP take 2.056 ms; the last packet waits for those before it.
        assert taken[-1][1] == pytest.approx(199 * 2.056 - 199 * 0.1, rel=0.1)
    assert len(taken) == 200


def test_statistics_come_on_a_signal_and_at_the_end() -> None:
    with joined("--delay", "1ms", "-j") as (a, b, link):
        probe(a, b, count=10, every_ms=1)
        link.send_signal(signal.SIGUSR1)
        assert link.stdout is not None
        first = json.loads(link.stdout.readline())
        link.send_signal(signal.SIGINT)
        last = json.loads(link.communicate(timeout=60)[0])
    assert link.returncode == 0
    assert first["forward"]["frames_in"] >= 10
    assert last["forward"]["frames_out"] >= first["forward"]["frames_out"]
    assert last["forward"]["lost_write"] == 0


@contextmanager
def veth_pairs() -> Iterator[tuple[str, str, list[str]]]:
    """Two hosts, and the ends of their pairs that a link is to join."""
    with namespaces("a", "b", "mid") as (a, b, mid):
        for number, space in ((1, a), (2, b)):
            pair = ["type", "veth", "peer", "name", f"m{number}", "netns", mid]
            call("ip", "link", "add", "e0", "netns", space, *pair)
            call("ip", "-n", space, "link", "set", "e0", "gso_max_segs", "1", "up")
            call("ip", "-n", space, "addr", "add", f"10.1.0.{number}/24", "dev", "e0")
        yield a, b, [f"{mid}:m1", f"{mid}:m2"]


def test_a_frame_that_finds_the_ring_full_is_lost_there() -> None:
    link = str(find("penstock-link"))
    with (
        veth_pairs() as (a, b, ends),
        program(link, *ends, "--delay", "500ms", "--ring", "4", "-j") as link_of_four,
    ):
        assert len(probe(a, b, count=20, every_ms=1)) < 20
        link_of_four.send_signal(signal.SIGTERM)
        report = json.loads(link_of_four.communicate(timeout=60)[0])["forward"]
    assert report["offloaded"] == 0
    assert report["lost_ring"] >= 10


def test_it_joins_veth_pairs() -> None:
    with veth_pairs() as (a, b, ends):
        load = str(find("penstock-load"))
        with (
            program(str(find("penstock-link")), *ends, "--delay", "5ms", "-j") as link,
            program(*inside(b, load, "receive", "10.1.0.2", "--size", "1MB")) as receiver,
        ):
            call(*inside(a, load, "send", "10.1.0.2", "--size", "1MB"))
            assert receiver.wait(60) == 0
            link.send_signal(signal.SIGTERM)
            report = json.loads(link.communicate(timeout=60)[0])
    assert report["forward"]["offloaded"] == 0
    assert report["forward"]["bytes_in"] > 1_000_000


def test_it_ends_by_itself_and_its_devices_are_gone() -> None:
    with namespaces("a", "b") as (a, b):
        call(str(find("penstock-link")), f"{a}:e0", f"{b}:e0", "--duration", "200ms")
        assert "e0" not in call("ip", "-n", a, "link")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["a:e0"], 2, "B is required"),
        (["a:e0", "b:e0", "--delay", "5"], 2, "--delay"),
        (["nowhere:e0", "b:e0"], 1, "nowhere"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], code: int, says: str) -> None:
    done = subprocess.run(
        [str(find("penstock-link")), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_root_it_says_so() -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    command = ["setpriv", "--reuid=65534", "--clear-groups", "--bounding-set=-all", "--"]
    done = subprocess.run(
        [*command, str(find("penstock-link")), "e0", "e1"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    if "setpriv" in done.stderr:
        pytest.skip("another user cannot run the programs of this installation")
    assert done.returncode == 77, done.stderr
