# SPDX-License-Identifier: GPL-2.0-only
"""A wrong scenario: one message with file, line, key and what would be right."""

import subprocess
import sys
from pathlib import Path

import pytest
from lab_support import SMALL, Run

from penstock.errors import Exit, UsageError, UserError
from penstock.scenario.read import read, shipped


def line_of(text: str, part: str) -> int:
    """The number of the line that holds `part`."""
    return text[: text.index(part)].count("\n") + 1


def complaint(path: Path, data: str | bytes) -> str:
    """What is said about a file with this content."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(UserError) as caught:
        read(str(path))
    assert caught.value.code == Exit.CONFIG
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message.removeprefix(f"{path}:")


CASES = [
    ('queue = "30kB"', 'quue = "30kB"', "link.bottleneck.quue", "did you mean 'queue'?"),
    ('rate = "10mbit"', "rate = 4", "link.bottleneck.rate", "write for instance '4mbit'"),
    ('rate = "10mbit"', 'rate = "-4mbit"', "link.bottleneck.rate", "is negative"),
    ('rate = "10mbit"', "rate = inf", "link.bottleneck.rate", "write it as '4mbit'"),
    ('delay = "20ms"', "delay = nan", "link.bottleneck.delay", "write it as '5ms'"),
    ('size = "300kB"', 'size = "300kB"\nsegment = "1458B"', "tcp.bulk.segment", "1510 bytes"),
    ('"ewt"]', '"ewd"]', "sweep.methods.1", "'ewt'"),
    ("flows = [3]", 'flows = ["3"]', "sweep.flows.0", "a whole number from 1"),
    ("flows = [3]", "flows = [true]", "sweep.flows.0", "a whole number from 1"),
    ("flows = [3]", "flows = 3", "sweep.flows", "expected a list; write [3]"),
    ('["droptail", "ewt"]', '"ewt"', "sweep.methods", 'write ["ewt"]'),
    ('queue = "30kB"', 'queue = "1tb"', "link.bottleneck.queue", "write '1TB' for bytes"),
    ('queue = "30kB"', 'queue = "9kib"', "link.bottleneck.queue", "write '9KiB' for bytes"),
    ('queue = "30kB"', 'queue = "9kb"', "link.bottleneck.queue", "write '9kB' for bytes"),
    ('queue = "30kB"', 'queue = "-3"', "link.bottleneck.queue", "is negative"),
    ("flows = [3]", "flows = []", "sweep.flows", "at least one"),
    ("seeds = 2", "seeds = 0", "sweep.seeds", "out of range"),
    ('"auto"]', '"automatic"]', "sweep.receivers.1", "is not a size"),
    ('link = "bottleneck"', 'link = "botleneck"', "gateway.left.link", "'bottleneck'"),
    ('to = "receivers"', 'to = "recievers"', "tcp.bulk.to", "did you mean 'receivers'"),
    ('start = "0s..1s"', 'start = "1s..0s"', "tcp.bulk.start", "ends before it begins"),
    ('size = "300kB"', 'size = "0B"', "tcp.bulk.size", "above 0"),
    ('size = "300kB"', 'size = "3kB"\nsack = 1', "tcp.bulk.sack", "true or false"),
    ('size = "300kB"', 'size = "3kB"\nsack = false\nprr = true', "tcp.bulk.prr", "needs SACK"),
    (
        'size = "300kB"',
        'size = "3kB"\nhystart = true\ninitial_ssthresh = 44',
        "tcp.bulk.hystart",
        "initial_ssthresh ends",
    ),
    ('size = "300kB"', 'size = "3kB"\nsack = false\nrack = true', "tcp.bulk.rack", "sack = true"),
    ('size = "300kB"', 'size = "3kB"\ncongestion = "cubik"', "tcp.bulk.congestion", "'cubic'"),
    *(
        ('size = "300kB"', f'size = "3kB"\nquic = true\n{key} = "{value}"', f"tcp.bulk.{key}", why)
        for key, value, why in (
            ("congestion", "xcp_sender", "QUIC's senders have none like 'xcp_sender'"),
            ("segment", "1000B", "1200 bytes or more"),
            ("segment", "1473B", "1501 bytes"),
            ("sharing", "efcm", "QUIC has none"),
        )
    ),
    ('queue = "30kB"', 'queue = "1kB"', "link.bottleneck.queue", "do not hold one packet"),
    ('queue = "30kB"', 'loss = 1.5\nqueue = "30kB"', "link.bottleneck.loss", "(1 % is 0.01)"),
    ('queue = "30kB"', "", "link.bottleneck", "needs a queue limit"),
    ('interval = "100ms"', 'interval = "0s"', "sample.interval", "above 0"),
    ('shape = "dumbbell"', 'shape = "star"', "topology.shape", "'dumbbell'"),
    ("[sample]", '[method.ewt]\nstart = "x"\n[sample]', "method.ewt.start", "is not a size"),
    ("[sample]", "[method.ewt]\nstar_bytes = 1\n[sample]", "method.ewt.star_bytes", "start_bytes"),
    ("[sample]", "[sampel]", "sampel", "did you mean 'sample'"),
    ("[link.egress]", "[link.egres]", "link.egres", "did you mean 'egress'"),
]


@pytest.mark.parametrize(("right", "wrong", "key", "hint"), CASES)
def test_message(tmp_path: Path, right: str, wrong: str, key: str, hint: str) -> None:
    assert right in SMALL
    text = SMALL.replace(right, wrong, 1)
    message = complaint(tmp_path / "bad.toml", text)
    line, _, rest = message.partition(":")
    assert rest.strip().startswith(f"{key}:")
    assert hint in rest
    last = key.rpartition(".")[2]
    assert last.isdigit() or last in text.splitlines()[int(line) - 1]


def test_missing_key_names_its_table(tmp_path: Path) -> None:
    message = complaint(tmp_path / "bad.toml", SMALL.replace('size = "300kB"\n', ""))
    assert message == f"{line_of(SMALL, '[tcp.bulk]')}: tcp.bulk.size: this key is missing"


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"", "1: the file is empty"),
        (b" \n\n", "1: the file is empty"),
        (b"[a]\nb = \n", "2: not TOML"),
        (b"[a]\n\xff\xfe", "2: byte 4 is not UTF-8"),
        (b"[a]\nb = 1\nb = 2\n", "not TOML"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"[" + b".".join([b"a"] * 400) + b"]\n", "nested too deeply"),
        (b"[a]\nb = " + b"1" * 5000, "2: not TOML: a number has too many digits"),
    ],
)
def test_no_toml(tmp_path: Path, data: bytes, hint: str) -> None:
    assert hint in complaint(tmp_path / "bad.toml", data)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "mark.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert read(str(path)).scenario.scenario.title == "Small"
    assert "18: link.bottleneck.rate" in complaint(path, "\ufeff" + SMALL.replace('"10mbit"', "4"))


def test_scenario_from_stdin_and_from_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "bad.toml").write_text(SMALL.replace('"10mbit"', '"10"'))
    penstock = f"{sys.executable} -m penstock"

    def shell(line: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    assert shell(f"{penstock} validate - < small.toml") == (
        0,
        "stdin: valid; 8 runs: droptail, ewt\n",
    )
    code, said = shell(f"{penstock} validate - < bad.toml")
    assert code == Exit.CONFIG
    assert said.startswith("penstock: stdin:18: link.bottleneck.rate: a unit is missing")
    code, said = shell(f"{penstock} validate <(cat small.toml)")
    assert code == 0
    assert "valid; 8 runs" in said
    run = "-m ewt -n 1 --receivers auto --seeds 1 -j"
    assert shell(f"{penstock} run - {run} < small.toml")[1].startswith('{"method": "ewt"')
    assert shell(f"{penstock} run <(cat small.toml) {run}")[1].startswith('{"method": "ewt"')
    assert "the file is empty" in shell(f"{penstock} validate - < /dev/null")[1]
    assert "too large to be a scenario" in shell(f"{penstock} validate /dev/zero")[1]


def test_extends(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(SMALL)
    child = tmp_path / "child.toml"
    child.write_text('extends = "base.toml"\n[link.bottleneck]\nrate = "5mbit"\n')
    scenario = read(str(child)).scenario
    assert scenario.link["bottleneck"].rate == 5_000_000
    assert scenario.link["bottleneck"].queue == 30_000
    assert "2: link.bottleneck.rat: unknown key" in complaint(
        child, 'extends = "base.toml"\nlink.bottleneck.rat = "5mbit"\n'
    )
    assert "extends this file in turn" in complaint(child, 'extends = "child.toml"\n')
    child.write_text('extends = "gone.toml"\n')
    with pytest.raises(UserError, match=r"child\.toml:1: extends: .*gone\.toml: cannot be read"):
        read(str(child))


def test_an_error_in_what_is_extended_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(SMALL.replace('"10mbit"', '"10"'))
    child = tmp_path / "child.toml"
    child.write_text('extends = "base.toml"\n')
    with pytest.raises(UserError, match=r"base\.toml:\d+: link\.bottleneck\.rate: a unit is"):
        read(str(child))


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("link.bottleneck.queue", "60", "a unit is missing"),
        ("link.botleneck.queue", "60kB", "did you mean 'link.bottleneck'?"),
        ("tcp.bulk.sise", "1MB", "did you mean 'size'?"),
        ("tcp.bulk.sack", "maybe", "true or false"),
    ],
)
def test_set_is_the_command_lines_mistake(small: Path, key: str, value: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(str(small), [(key, value)])
    assert str(caught.value).startswith(f"--set {key}:")
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("set_", "hint"),
    [
        ("link=1", "it is a table; name a key in it, such as link.bottleneck.KEY"),
        ("rtt=60ms", "in the scenario it is link.bottleneck.rtt or"),
        ("queue=60kB", "in the scenario it is link.bottleneck.queue"),
        ("seeds=3", "in the scenario it is sweep.seeds"),
        ("start_byte=3", "did you mean 'start_bytes'"),
        ("rtt=60ms", "no method of this run has it; share"),
    ],
)
def test_set_of_an_unknown_key_says_which_is_meant(
    penstock: Run, small: Path, set_: str, hint: str
) -> None:
    done = penstock("validate", small, "--set", set_)
    assert done.returncode == Exit.USAGE
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_explain_counts_is_no_size(penstock: Run) -> None:
    for option, hint in ((("--set", "flows=-3"), "from 1 to"), (("--flight", "-3"), "is negative")):
        done = penstock("explain", "ewt", "--queue", "5", "--window", "5000", *option)
        assert done.returncode == Exit.USAGE
        assert hint in done.stderr
        assert "3B" not in done.stderr


def test_set_changes_the_scenario(small: Path) -> None:
    sets = [("link.bottleneck.queue", "60kB"), ("tcp.bulk.sack", "false"), ("sample.flows", "2")]
    scenario = read(str(small), sets).scenario
    assert scenario.link["bottleneck"].queue == 60_000
    assert scenario.tcp["bulk"].sack is False
    assert scenario.sample is not None
    assert scenario.sample.flows == 2


def test_command_exits_with_78(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(SMALL.replace('"10mbit"', '"10"'))
    for verb in ("run", "validate", "capacity"):
        done = penstock(verb, "bad.toml")
        assert done.returncode == Exit.CONFIG
        assert done.stdout == ""
        assert done.stderr.startswith("penstock: bad.toml:18: link.bottleneck.rate: a unit is")
        assert done.stderr.count("\n") == 1


def test_shipped_scenarios_are_valid() -> None:
    names = list(shipped())
    assert {"link", "ewt-2019/scenario-1", "ewt-2019/scenario-2"} <= set(names)
    assert {"ewt-2019/motivation", "ewt-2019/gateway-memory"} <= set(names)
    for name in names:
        about = read(name).scenario.scenario
        assert about.title
        assert about.reproduces
