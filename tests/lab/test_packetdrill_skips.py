# SPDX-License-Identifier: GPL-2.0-only
"""What `penstock packetdrill` cannot read is no failure of TCP, and no success either."""

from pathlib import Path

import pytest
from lab_support import Run
from packetdrill_support import SERVER, WITH_SACK, WITHOUT, fails, passes, played, skips


@pytest.mark.parametrize(
    "event",
    [
        "+0 < (ttl 3) S 0:0(0) win 65535 <mss 1460>",
        "+0 < S 0:0(0) win 65535 <mss 1460,mpcapable v1 flags 0x1 nokey>",
        "+0 < S 0:0(0) win 65535 <mss 1460,TCPCT 5>",
        "+0 < [flags DF] S 0:0(0) win 65535",
        "+0 < sctp: INIT[flgs=0, tag=1]",
        "+0 < S 0:0(0) win 65535 <mss 146000>",
        "+0 inject nothing",
        "--speed=fast",
    ],
)
def test_a_dialect_is_skipped_with_its_line(tmp_path: Path, event: str) -> None:
    verdict = played(tmp_path, f"// a script\n{event}\n")
    assert (verdict.outcome, verdict.line) == ("skipped", 2), verdict
    assert verdict.reason


@pytest.mark.parametrize(
    "text", ["", "\n", "// nothing\n", "`sysctl -q net.ipv4.tcp_ecn=0`\n", "+0 %{ print(1) }%\n"]
)
def test_a_script_that_asserts_nothing_does_not_pass(
    tmp_path: Path, penstock: Run, text: str
) -> None:
    (tmp_path / "s.pkt").write_text(text)
    done = penstock("packetdrill", "s.pkt")
    assert done.returncode == 77, done.stdout
    assert "0 passed, 0 failed, 1 skipped" in done.stdout
    assert "a script that asserts nothing" in done.stdout


def test_code_that_only_sets_names_asserts_nothing(tmp_path: Path) -> None:
    quiet = WITHOUT.replace(") = 3", ") = 3").replace("= 0\n", "= ...\n")
    assert "> S." in quiet  # which is an assertion
    passes(tmp_path, quiet)


@pytest.mark.parametrize(
    "code", ["tcpi_rtt < 'x'", "tcpi_rtt // 0 == 1", "(" * 300 + "1" + ")" * 300]
)
def test_code_that_cannot_be_evaluated_is_skipped(tmp_path: Path, code: str) -> None:
    assert played(tmp_path, f"{WITH_SACK}+0 %{{ assert {code} }}%").outcome == "skipped"


def test_a_mark_of_the_byte_order_is_read_over(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "defaults.sh").write_text("sysctl -q net.ipv4.tcp_sack=0\n", encoding=encoding)
        text = "`./defaults.sh`\n" + SERVER.format(options="").replace(
            "<...>", "<mss 1460,nop,wscale 7>"
        )
        (tmp_path / "s.pkt").write_bytes(text.encode(encoding))
        from penstock.runs.packetdrill import run

        verdict = run.verdict(tmp_path / "s.pkt", "s")
        assert verdict.outcome == "passed", verdict
    (tmp_path / "s.pkt").write_bytes(b"\xff// no text\n")
    assert run.verdict(tmp_path / "s.pkt", "s").outcome == "skipped"


def test_settings_are_looked_up_as_by_packetdrill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its shell starts in the working directory; suites' runners start it beside the script."""
    (tmp_path / "tcp").mkdir()
    (tmp_path / "scripts").mkdir()
    text = SERVER.format(options="sackOK,").replace("<...>", "<mss 1460,nop,wscale 7>")
    for call in ("scripts/defaults.sh", ". scripts/defaults.sh", "sh scripts/defaults.sh"):
        script = f"`{call}`\n{text}"
        monkeypatch.chdir(tmp_path / "tcp")
        skips(tmp_path / "tcp", script, "not here (scripts/defaults.sh)")
        (tmp_path / "scripts" / "defaults.sh").write_text("sysctl -q net.ipv4.tcp_sack=0\n")
        monkeypatch.chdir(tmp_path)
        passes(tmp_path / "tcp", script)
        (tmp_path / "scripts" / "defaults.sh").write_text("sysctl -q net.ipv4.tcp_sack=1\n")
        fails(tmp_path / "tcp", script, "sackOK")
        (tmp_path / "scripts" / "defaults.sh").unlink()


def test_settings_that_call_themselves_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("./a.sh\n")
    skips(tmp_path, "`./a.sh`\n" + WITHOUT, "calls itself")
