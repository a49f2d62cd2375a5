# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model zhang` as a user meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli import app
from penstock.errors import UsageError

RUNNER = CliRunner()


def test_table_has_a_line_for_each_gateway() -> None:
    done = RUNNER.invoke(app, ["model", "zhang", "--g", "0.0007,0.5"], catch_exceptions=False)
    assert done.exit_code == 0
    for name in ("drop-tail", "EWT ", "EWT-IoT, g = 0.0007", "EWT-IoT, g = 0.5"):
        assert name in done.stdout


def test_json_has_every_sample() -> None:
    arguments = ["model", "zhang", "--samples", "7", "--g", "0.1", "--reading", "both", "-j"]
    done = RUNNER.invoke(app, arguments, catch_exceptions=False)
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(records) == 7 * 5
    assert {record["reading"] for record in records} == {None, "advertised", "compound"}
    assert records[4]["window_segments"] == 16


def test_output_is_a_page_and_a_table(tmp_path: Path) -> None:
    arguments = ["model", "zhang", "-o", str(tmp_path / "new")]
    RUNNER.invoke(app, arguments, catch_exceptions=False)
    page = (tmp_path / "new" / "zhang.html").read_text()
    assert all(title in page for title in ("Fig. 8", "Fig. 9", "Fig. 10"))
    library = next((tmp_path / "new").glob("plotly-*.js"))
    assert page.count("src=") == page.count(f'src="{library.name}"') == 1
    assert (tmp_path / "new" / "zhang.csv").read_text().startswith("method,g,average,reading,k,")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--g", "2"], "from 0 to 1"),
        (["--g", "nan"], "from 0 to 1"),
        (["--g", ","], "at least one"),
        (["--average", "fig7"], "fig6"),
        (["--reading", "adv"], "advertised"),
        (["--set", "queue=3"], "queue_segments"),
        (["--set", "queue_segments=0"], "from 1"),
        (["--set", "start_segments=0", "--reading", "compound"], "at most 20"),
    ],
)
def test_mistakes_are_one_sentence(arguments: list[str], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        RUNNER.invoke(app, ["model", "zhang", *arguments], catch_exceptions=False)
