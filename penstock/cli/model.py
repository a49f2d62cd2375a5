# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model`: analytical models of the papers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import (
    model_aggressiveness,
    model_throughput,
    options,
    screen,
)
from penstock.cli.group import Group
from penstock.errors import UsageError, near
from penstock.results.models import zhang as model

if TYPE_CHECKING:
    pass


app = typer.Typer(
    help="Analytical models of the papers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=Group,
)


@app.callback()
def _root() -> None:
    pass


def _number(option: str, text: str, low: float, high: float) -> Fraction:
    """The decimal that was written, as it stands."""
    try:
        value = Fraction(Decimal(text))
    except (ArithmeticError, ValueError):
        value = Fraction(-1)
    if not low <= value <= high:
        raise UsageError(f"{option}{text}: must be a number from {low:g} to {high:g}")
    return value


def _settings(sets: Sequence[str]) -> model.Settings:
    settings = model.Settings().exact()
    known = [field.name for field in fields(settings)]
    for key, value in options.pairs(sets):
        if key not in known:
            raise UsageError(f"--set {key}: unknown key; {near(key, known, 7)}")
        low = 0.0 if key in ("delay_s", "start_segments") else 1.0
        settings = replace(settings, **{key: _number(f"--set {key}=", value, low, 1e12)})
    return settings


def _choices(option: str, text: str, known: Sequence[Any]) -> list[Any]:
    if text == "both":
        return list(known)
    if text not in known:
        raise UsageError(f"{option} {text}: {near(text, [*known, 'both'])}")
    return [text]


def _trace(variant: model.Variant, settings: model.Settings, count: int) -> list[model.Sample]:
    from penstock.view.report import zhang as pages

    try:
        return model.exact(variant, settings, count)
    except model.TooLongError as error:
        raise UsageError(
            f"--samples {count}: {pages.name(variant)} has no short exact values after "
            f"{error.samples} samples with these settings; at most --samples {error.samples}"
        ) from None


@app.command("zhang")
def zhang(
    samples: Annotated[
        int, typer.Option("--samples", min=2, max=model.MAX_SAMPLES, help="Round trips.")
    ] = 100,
    g: Annotated[
        str, typer.Option("--g", help="EWT-IoT's smoothing factor; with commas for several.")
    ] = "0.0007,0.01,0.1,0.5",
    average: Annotated[
        str, typer.Option("--average", help="eq3, fig6 (keeps the average when it falls) or both.")
    ] = "eq3",
    reading: Annotated[
        str,
        typer.Option(
            "--reading",
            help="What a round starts from: advertised (the receiver's window), compound (the "
            "window that the last round left), or both.",
        ),
    ] = "advertised",
    sets: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="A row of Table 1.")
    ] = [],  # noqa: B006
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.path,
            help="Write zhang.html and zhang.csv.",
        ),
    ] = None,
) -> None:
    """Zhang's discrete model: drop-tail, EWT, EWT-IoT (ewt-iot-2023 section 3.2)."""
    from penstock.runs.numbers import split
    from penstock.view.report import sheet
    from penstock.view.report import zhang as pages

    settings = _settings(sets)
    given = [_number("--g ", text, 0.0, 1.0) for text in split([g])]
    factors = list(dict.fromkeys(given))
    if not factors:
        raise UsageError(f"--g: name at least one, such as {model.PAPER_G}")
    forms = model.variants(
        factors,
        _choices("--average", average, model.AVERAGES),
        _choices("--reading", reading, model.READINGS),
    )
    traces = {form: _trace(form, settings, samples) for form in forms}
    records = [
        model.describe(form, sample) for form, samples in traces.items() for sample in samples
    ]
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        title = f"{samples} round trips; segments"
        screen.out().print(screen.table(title, pages.HEADERS, pages.rows(traces)))
        path, steady = float(settings.path_segments), float(settings.equilibrium_segments)
        screen.say(
            f"path C d / M = {path:.3f}, EWT's equilibrium W = {steady:.3f}; swing: in the last "
            "half; monotone: after the peak and one step down, W never turns back"
        )
    if output:
        written = sheet.write_with_rows(output, "zhang", records, pages.page(traces, settings))
        screen.say(f"plots and samples: {written}, zhang.csv")


app.command("aggressiveness")(model_aggressiveness.aggressiveness)
app.command("sqrt-p")(model_throughput.sqrt_p)
app.command("pftk")(model_throughput.pftk)
