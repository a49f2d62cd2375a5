# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw: what it sets up, what it leaves, what it says, and its exit codes."""

import json
import re
from pathlib import Path

import pytest
from gateway_lab import Lab, sh
from loads import connections, until


def test_attach_status_detach(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "97kB")
    status = lab.status()
    assert (status["state"], status["method"], status["rate_bps"]) == (
        "live",
        "penstock",
        20_000_000,
    )
    assert status["buffer_bytes"] == 97_000
    qdiscs = lab.tc(f"qdisc show dev {lab.device}")
    assert "htb 5057:" in qdiscs
    assert "limit 97000b" in qdiscs
    lab.tool("detach", lab.device)
    assert lab.leftovers() == []
    assert lab.status(expect=3)["state"] == "off"


@pytest.mark.parametrize("hook", ["clsact", "tcx"])
def test_foreign_filters_and_qdiscs_stay(lab: Lab, hook: str) -> None:
    lab.tc(f"qdisc add dev {lab.device} clsact")
    lab.add_foreign_filter()
    before = lab.tc(f"filter show dev {lab.device} ingress")
    lab.tool("attach", lab.device, "--rate", "20mbit", "--hook", hook)
    lab.tool("detach", lab.device)
    assert lab.tc(f"filter show dev {lab.device} ingress") == before
    assert "clsact" in lab.tc(f"qdisc show dev {lab.device}")


def test_a_root_qdisc_of_others_is_left_and_can_be_used(lab: Lab) -> None:
    lab.tc(f"qdisc add dev {lab.device} root tbf rate 20mbit burst 15k limit 97000")
    message = lab.tool("attach", lab.device, "--rate", "20mbit", expect=1)
    assert "tbf" in message
    assert "--queue existing" in message
    lab.tool("attach", lab.device, "--rate", "20mbit", "--queue", "existing")
    lab.tool("detach", lab.device)
    assert "tbf" in lab.tc(f"qdisc show dev {lab.device}")


def test_an_attach_that_fails_leaves_nothing(lab: Lab) -> None:
    message = lab.tool("attach", lab.device, "--rate", "20mbit", "--queue", "existing", expect=1)
    assert "no backlog to read" in message
    assert lab.leftovers() == []


def test_a_second_attach_is_refused(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    assert "attached already" in lab.tool("attach", lab.device, "--rate", "20mbit", expect=1)


def test_set_changes_only_what_it_is_told(lab: Lab) -> None:
    words = ["-m", "ewt", "--fair", "off", "-p", "start_bytes=20000"]
    lab.tool("attach", lab.device, "--rate", "20mbit", *words)
    lab.tool("set", lab.device, "--rate", "10mbit", "--observe")
    status = lab.status()
    assert status["params"] == {"start_bytes": 20000, "reserve_bytes": 0}
    assert (status["rate_bps"], status["state"]) == (10_000_000, "observe")
    assert "rate 10Mbit" in lab.tc(f"class show dev {lab.device}")
    lab.tool("set", lab.device, "-m", "share", "--live")
    assert (lab.status()["method"], lab.status()["state"]) == ("share", "live")


def test_what_was_not_set_follows_the_buffer_and_the_rate(lab: Lab) -> None:
    words = ["-m", "ewt", "--fair", "off", "-p", "reserve_bytes=1000"]
    lab.tool("attach", lab.device, "--rate", "20mbit", *words)
    assert lab.status()["buffer_bytes"] == 125_000
    lab.tool("set", lab.device, "--rate", "40mbit")
    assert lab.status()["buffer_bytes"] == 250_000
    start = dict(lab.status()["params"])["start_bytes"]
    lab.tool("set", lab.device, "--buffer", "100kB")
    assert dict(lab.status()["params"]) == {
        "start_bytes": start * 100_000 // 250_000,
        "reserve_bytes": 1000,
    }
    lab.tool("set", lab.device, "--rate", "20mbit", "-p", "start_bytes=7000")
    lab.tool("set", lab.device, "--buffer", "200kB")
    assert dict(lab.status()["params"]) == {"start_bytes": 7000, "reserve_bytes": 1000}
    shown = lab.tool("show", lab.device)
    assert '"200kB"' in shown
    assert "7kB" in shown


def test_the_overhead_of_the_line_lowers_the_shapers_rate(lab: Lab) -> None:
    """R19: 1,500 bytes of IP in 33 cells of ATM; the shaper counts 1,514."""
    lab.tool("attach", lab.device, "--rate", "16mbit", "--overhead", "pppoe-llcsnap")
    rate = 16e6 * 1514 / (33 * 53)
    shaper = re.search(r"rate (\d+)Kbit", lab.tc(f"class show dev {lab.device}"))
    assert shaper, "HTB has a class"
    assert float(shaper[1]) == pytest.approx(rate / 1000, abs=1)
    assert lab.status()["rate_bps"] == 16_000_000
    assert lab.status()["overhead"] == "40 atm"
    lab.tool("set", lab.device, "--rate", "8mbit")
    assert 'overhead = "40 atm"' in lab.tool("show", lab.device)
    assert f"{rate / 2000:.0f}Kbit" in lab.tc(f"class show dev {lab.device}")


def test_the_table_has_the_size_that_is_asked_for(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--flows", "4096", "--idle", "10min")
    found = sh(f"bpftool map show pinned {lab.pins()}/flows")
    assert "max_entries 4096" in found
    lab.tool("set", lab.device, "--method", "share")
    assert 'flows = "4096"\nidle = "600s"' in lab.tool("show", lab.device)
    shown = json.loads(lab.tool("show", "-j", lab.device))
    assert (shown["flows"], shown["idle"]) == ("4096", "600s")
    assert not shown.keys() & {"discipline", "overhead", "police", "share_by", "shapes", "signal"}
    assert "flows cannot change" in lab.tool("set", lab.device, "--flows", "8192", expect=2)


def test_observing_lasts_until_live_is_asked_for(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(f'[{lab.device}]\nrate = "20mbit"\nobserve = true\n')
    lab.tool("attach", lab.device, "-c", str(file))
    assert lab.status()["state"] == "observe"
    lab.tool("set", lab.device, "--rate", "10mbit")
    assert lab.status()["state"] == "observe"


def test_observing_alone_installs_no_queue(lab: Lab) -> None:
    before = lab.tc(f"qdisc show dev {lab.device} root")
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
    status = lab.status()
    assert (status["state"], status["queue_source"]) == ("observe", "virtual")
    lab.tool("set", lab.device, "--buffer", "80kB")
    assert lab.tc(f"qdisc show dev {lab.device} root") == before
    lab.tool("set", lab.device, "--live")
    status = lab.status()
    assert (status["state"], status["queue_source"]) == ("live", "kernel")
    assert "htb 5057:" in lab.tc(f"qdisc show dev {lab.device} root")
    assert "limit 80000b" in lab.tc(f"qdisc show dev {lab.device}")
    lab.tool("set", lab.device, "--observe")
    assert "htb 5057:" in lab.tc(f"qdisc show dev {lab.device} root")
    lab.tool("detach", lab.device)
    assert lab.leftovers() == []


def test_observing_beside_a_queue_of_others_reads_it(lab: Lab) -> None:
    lab.tc(f"qdisc add dev {lab.device} root tbf rate 20mbit burst 15k limit 97000")
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
    assert lab.status()["queue_source"] == "kernel"
    message = lab.tool("set", lab.device, "--live", expect=1)
    assert "has a root qdisc already (tbf)" in message
    assert lab.status()["state"] == "observe"
    assert "tbf" in lab.tc(f"qdisc show dev {lab.device} root")


def test_a_queue_can_be_installed_while_observing(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe", "--queue", "install")
    assert "htb 5057:" in lab.tc(f"qdisc show dev {lab.device} root")
    lab.tool("detach", lab.device)
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
    lab.tool("set", lab.device, "--queue", "install")
    assert (lab.status()["state"], lab.status()["queue_source"]) == ("observe", "kernel")
    assert "htb 5057:" in lab.tc(f"qdisc show dev {lab.device} root")


@pytest.mark.parametrize("name", ["eth0.100", "vlan@7", "a'b"])
def test_a_device_may_have_an_odd_name(lab: Lab, tmp_path: Path, name: str) -> None:
    sh(f"ip -n {lab.gateway} link add {name} type veth peer name peer")
    lab.tool("attach", name, "--rate", "20mbit", "-m", "ewt", "-p", "start_bytes=20000")
    assert lab.tool("status").startswith(f"{name}: live")
    shown = lab.tool("show", name)
    path = tmp_path / "shown.toml"
    path.write_text(shown)
    lab.tool("check", "--config", str(path))
    lab.tool("reload", name, "--config", str(path))
    assert lab.tool("show", name) == shown
    lab.tool("detach", name)
    assert lab.tool("status", expect=3) == "not attached to any device\n"


def test_somebody_takes_the_filters_away(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    lab.tc(f"qdisc del dev {lab.device} clsact")
    status = lab.status(expect=4)
    assert status["state"] == "degraded"
    assert "removed" in str(status["reason"])
    lab.tool("detach", lab.device)
    assert lab.leftovers() == []


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["attach", "nosuch", "--rate", "1mbit"], 2, "no device 'nosuch'"),
        (["attach", "DEV"], 2, "rate: is missing"),
        (["attach", "DEV", "--rate", "20mbits"], 2, "'mbits' is not a unit of rate"),
        (["attach", "DEV", "--rate", "1mbit", "-m", "codel"], 2, "queue disciplines"),
        (["attach", "DEV", "--rate", "1mbit", "-m", "x"], 2, "there are droptail, "),
        (["attach", "DEV", "--rate", "1mbit", "-p", "gain=7"], 2, "is not in 0.0 .. 1.0"),
        (["attach", "DEV", "--rate", "1mbit", "-p", "x=7"], 2, "has only target_bytes, target_ns"),
        (["status", "DEV"], 3, "not attached"),
        (["detach", "DEV"], 3, "not attached"),
        (["set", "DEV", "--rate", "1mbit"], 3, "not attached"),
        (["frobnicate"], 2, "there is no command 'frobnicate'; penstock-gw --help lists them"),
        (["cc", "frobnicate"], 2, "there is no command 'frobnicate'"),
        ([], 2, "A subcommand is required"),
        (["attach", "--rate", "1mbit"], 2, "device is required"),
        (["attach", "br/lan", "--rate", "1mbit"], 2, "systemd-escape(1)"),
        (["attach", "DEV", "--rate", "1kbit"], 2, "rate: 1kbit is not in 8kbit .. 100gbit"),
        (["attach", "DEV", "--rate", "1mbit", "--buffer", "9B"], 2, "is not in 1514B .. 4GB"),
        (["attach", "DEV", "--rate", "1mbit", "--queue", "x"], 2, "not one of install, existing"),
        (["attach", "DEV", "--rate", "1mbit", "--hook", "x"], 2, "not one of clsact, tcx"),
        (["top", "DEV", "-i", "0s"], 2, "--interval: 0s is less than 10ms"),
        (["explain", "DEV", "bogus"], 2, "'bogus' is not ADDRESS:PORT"),
        (["explain", "DEV", "10.0.0.1:0"], 2, "is not ADDRESS:PORT"),
        (["explain", "DEV", "::1:22"], 2, "is not ADDRESS:PORT"),
    ],
)
def test_mistakes_are_named(lab: Lab, arguments: list[str], code: int, says: str) -> None:
    words = [lab.device if word == "DEV" else word for word in arguments]
    said = lab.tool(*words, expect=code)
    assert says in said
    assert len(said.splitlines()) == 1


def test_an_explanation_has_the_flow_or_one_line(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with connections(lab, 1):
        (flow,) = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        said = lab.tool("explain", "--all", lab.device, flow["receiver"])
        assert f"{flow['sender']} -> {flow['receiver']}\n" in said
        assert "_q16" not in said
        assert "_q32" not in said
        assert re.search(r"^  factor -> [0-9.]+  \(", said, re.MULTILINE)
        assert re.search(
            r"^  end_ns -> (none|in [0-9.]+ m?s|[0-9.]+ \w+ ago)  ", said, re.MULTILINE
        )
        kept = json.loads(lab.tool("explain", "-j", lab.device, flow["receiver"]))
        assert kept["formula"].startswith("min(")
        assert kept["params"] == lab.status()["params"]
        assert kept["method_state"]["factor_q32"] > 0
        assert [one["sender"] for one in kept["flows"]] == [flow["sender"]]
        assert kept["flows"][0]["because"]
        said = lab.tool("explain", lab.device, "[2001:0db8::0001]:22", expect=1)
        assert "no flow with the end [2001:db8::1]:22 is known" in said
        assert len(said.splitlines()) == 1


def test_a_file_that_is_none_is_named(lab: Lab, tmp_path: Path) -> None:
    missing = tmp_path / "nosuch.toml"
    said = lab.tool("check", "-c", str(missing), expect=78)
    assert f"{missing}: cannot be read: No such file or directory\n" in said
    assert f"{tmp_path}: is a directory" in lab.tool("check", "-c", str(tmp_path), expect=78)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[wan0]\nrate = "20mbit"\nbufer = "9k"\n', 3, "bufer: no such key"),
        ("[wan0]\nrate = 20\n", 2, "wants text in quotes"),
        ('[wan0]\nrate = "fast"\n', 2, "'fast' is not a rate"),
        ('rate = "20mbit"\n', 1, "outside of a device's table"),
        ('[wan0]\nrate = "20mbit\n', 2, ""),
        ('[wan0]\nrate = "1mbit"\nobserve = 1\n', 3, "wants true or false"),
    ],
)
def test_a_bad_file_is_refused_by_line(
    lab: Lab, tmp_path: Path, text: str, line: int, says: str
) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(text)
    message = lab.tool("check", "-c", str(file), expect=78)
    assert f"{file}:{line}: " in message
    assert says in message


def test_a_bad_reload_changes_nothing(lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text(f'[{lab.device}]\nrate = "20mbit"\nmethod = "ewt"\n')
    lab.tool("attach", lab.device, "-c", str(file))
    file.write_text(f'[{lab.device}]\nrate = "20mbit"\nmethod = "wet"\n')
    lab.tool("reload", lab.device, "-c", str(file), expect=78)
    assert lab.status()["method"] == "ewt"
    file.write_text(f'[{lab.device}]\nrate = "30mbit"\nmethod = "share"\n')
    lab.tool("reload", lab.device, "-c", str(file))
    assert (lab.status()["method"], lab.status()["rate_bps"]) == ("share", 30_000_000)


def test_a_device_that_is_gone_is_reported_and_cleaned_up(lab: Lab) -> None:
    sh(f"ip -n {lab.gateway} link add gone0 type veth peer name peer")
    lab.tool("attach", lab.device, "--rate", "20mbit")
    lab.tool("attach", "gone0", "--rate", "20mbit")
    for end in ("gone0", "peer"):  # so each sends its neighbours a packet
        sh(f"ip -n {lab.gateway} link set {end} up")
    until(lambda: json.loads(lab.tool("status", "-j", "gone0"))["forward_packets"] > 0)
    sh(f"ip -n {lab.gateway} link del gone0")
    shown = lab.tool("status", expect=4)
    assert f"{lab.device}: live" in shown
    assert "gone0: degraded" in shown
    assert "the device is gone" in shown
    metrics = lab.tool("metrics", "gone0", expect=4)
    assert 'penstock_up{iface="gone0"} 0' in metrics
    assert re.search(r"^penstock_forward_packets_total.* [1-9]", metrics, re.MULTILINE)
    lab.tool("detach", "gone0")
    assert "gone0" not in lab.tool("status")
    assert "name one DEVICE, or --all" in lab.tool("detach", expect=2)
    lab.tool("detach", "--all")
    assert lab.leftovers() == []
    assert "no device" in lab.tool("status", "gone0", expect=2)


@pytest.mark.parametrize("hook", ["clsact", "tcx"])
def test_a_device_that_was_made_again_is_reported_and_can_be_attached(lab: Lab, hook: str) -> None:
    make = f"ip -n {lab.gateway} link add back0 type veth peer name peer"
    sh(make)
    lab.tool("attach", "back0", "--rate", "20mbit", "--hook", hook)
    sh(f"ip -n {lab.gateway} link del back0")
    sh(make)
    assert "removed and made again" in lab.tool("status", "back0", expect=4)
    assert "is not attached" in lab.tool("set", "back0", "--rate", "10mbit", expect=3)
    lab.tool("attach", "back0", "--rate", "20mbit", "--hook", hook)
    assert "back0: live" in lab.tool("status", "back0")
    lab.tool("detach", "back0")


def test_an_ingress_qdisc_is_refused_with_the_reason(lab: Lab) -> None:
    lab.tc(f"qdisc add dev {lab.device} ingress")
    before = lab.tc(f"qdisc show dev {lab.device}")
    message = lab.tool("attach", lab.device, "--rate", "20mbit", expect=1)
    assert "has an ingress qdisc" in message
    assert "--hook tcx" in message
    assert lab.tc(f"qdisc show dev {lab.device}") == before
    lab.tool("attach", lab.device, "--rate", "20mbit", "--hook", "tcx")
    assert lab.status()["state"] == "live"
    lab.tool("detach", lab.device)
    assert lab.tc(f"qdisc show dev {lab.device}") == before


def test_doctor_finds_no_problem_here(lab: Lab) -> None:
    assert "loads, and its clock starts" in lab.tool("doctor", lab.device)


def test_a_link_can_be_divided_among_hosts(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--share-by", "prefix:56")
    assert lab.status()["share_by"] == "prefix:56"
    assert 'share_by = "prefix:56"' in lab.tool("show", lab.device)
    for share_by in ("mark", "host"):
        lab.tool("set", lab.device, "--share-by", share_by)
        assert lab.status()["share_by"] == share_by
    lab.tool("set", lab.device, "--share-by", "flow")
    assert "share_by" not in lab.status()
    message = lab.tool("set", lab.device, "-m", "ewt", "--share-by", "host", expect=2)
    assert message.count("\n") == 1
    assert "share-by: ewt does not divide" in message


def test_every_method_that_is_offered_loads(lab: Lab) -> None:
    lines = lab.tool("methods").splitlines()
    methods = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert len(methods) > 10
    lab.tool("attach", lab.device, "--rate", "20mbit", "-m", methods[0])
    for method in methods[1:]:
        lab.tool("set", lab.device, "-m", method)
        assert lab.status()["method"] == method
