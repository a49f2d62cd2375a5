# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of a gateway: `penstock open` and `penstock from-recording`."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import options
from penstock.errors import UsageError
from penstock.text import shell_word

Recording = Annotated[
    Path,
    typer.Argument(metavar="FILE", parser=options.path, help="Of `penstock-gw record`."),
]


def open_recording(
    recording: Recording,
    output: Annotated[
        Path | None,
        options.output("The page; default FILE.html.", "FILE"),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show/--no-show", help="Whether to open it in a browser.")
    ] = True,
) -> None:
    """Play a recording of `penstock-gw record` in a page."""
    from penstock.api.files import saved
    from penstock.scenario.recording import read
    from penstock.view.report import player

    path = output or recording.with_name(f"{recording.name}.html")
    saved(path, player.page(read(recording)))
    print(path)
    if show:
        webbrowser.open(path.resolve().as_uri())


def from_recording(
    recording: Recording,
    file: Annotated[
        Path, typer.Argument(metavar="SCENARIO", parser=options.path, help="The file to write.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite SCENARIO.")] = False,
) -> None:
    """Write the scenario of a recorded gateway: its link, flows, method and target."""
    from penstock.api.files import saved
    from penstock.scenario import recorded_link
    from penstock.scenario.read import validate
    from penstock.scenario.recording import read

    if file.exists() and not force:
        raise UsageError(f"{file} exists; --force overwrites it")
    part = recorded_link.steady(str(recording), read(recording))
    made = recorded_link.draft(part)
    validate(made.source)
    saved(file, recorded_link.note(recording.name, part) + made.text)
    low, high = (value / 1000 for value in part.interval_bytes)
    mean = part.queue_bytes / 1000
    print(f"recorded queue: {mean:.4g} kB, 95 % of the samples {low:.4g} .. {high:.4g} kB")
    print(f"{file} written; next: penstock run {shell_word(file)}")
