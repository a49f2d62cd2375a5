# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model`: analytical models of the papers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import (
    model_aggressiveness,
    model_output,
    model_throughput,
    options,
    screen,
)
from penstock.cli.group import Group
from penstock.errors import UsageError, near
from penstock.results.models import zhang as model

if TYPE_CHECKING:
    from penstock.view.report import sheet

_MOST_BITS: Final = 1 << 18

app = typer.Typer(
    help="Analytical models of the papers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=Group,
)

Traces = Mapping[model.Variant, Sequence[model.Sample]]


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


def variants(
    g_values: Sequence[Fraction], averages: Sequence[Any], readings: Sequence[Any]
) -> list[model.Variant]:
    """Drop-tail, then EWT and EWT-IoT in every form that is asked for."""
    made = [model.Variant("droptail")]
    for reading in readings:
        made.append(model.Variant("ewt", reading=reading))
        made += [model.Variant("ewt_iot", g, form, reading) for form in averages for g in g_values]
    return made


def _trace(variant: model.Variant, settings: model.Settings, count: int) -> list[model.Sample]:
    """Exact samples; a usage error if the fractions grow too large."""
    from penstock.view.report import zhang as pictures

    found = []
    for sample in model.trace(variant, settings, count):
        found.append(sample)
        if Fraction(sample.receive_window).denominator.bit_length() > _MOST_BITS:
            raise UsageError(
                f"--samples {count}: {pictures.name(variant)} has no short exact values after "
                f"{len(found)} samples with these settings; at most --samples {len(found)}"
            )
    return found


def _describe(variant: model.Variant) -> dict[str, Any]:
    rewrites = variant.method != "droptail"
    averages = variant.method == "ewt_iot"
    return {
        "method": variant.method,
        "g": float(variant.g) if averages else None,
        "average": variant.average if averages else None,
        "reading": variant.reading if rewrites else None,
    }


def records(traces: Traces) -> list[dict[str, Any]]:
    """All samples as flat rows."""
    return [
        {
            **_describe(variant),
            "k": sample.k,
            "window_segments": float(sample.window),
            "receive_window_segments": float(sample.receive_window),
            "queue_segments": float(sample.queue),
            "lost": sample.lost,
        }
        for variant, samples in traces.items()
        for sample in samples
    ]


HEADERS = (
    "gateway",
    "losses",
    "largest W",
    "last W",
    "largest queue",
    "last queue",
    "W swings by",
    "monotone",
)


def rows(traces: Traces) -> list[list[str]]:
    """One line per variant: the paper's statements about the traces, as numbers."""
    from penstock.view.report import zhang as pictures

    table = []
    for variant, samples in traces.items():
        found = model.summarise(samples)
        numbers = (
            found.window_max,
            found.window_last,
            found.queue_max,
            found.queue_last,
            found.swing,
        )
        texts = [f"{number:.3f}" for number in numbers]
        steady = "yes" if found.monotone else "no"
        table.append([pictures.name(variant), str(found.losses), *texts, steady])
    return table


def page(traces: Traces, settings: model.Settings) -> sheet.Sheet:
    """The report of the model."""
    from penstock.view.report import sheet
    from penstock.view.report import zhang as pictures

    count = len(next(iter(traces.values())))
    return sheet.Sheet(
        title="Zhang's model: one TCP flow and a queue",
        notes=[
            "ewt-iot-2023 section 3.2, eqs. (3) to (5), Figs. 5 to 10, Table 1. One sample a "
            f"round trip, {count} samples; all quantities are segments. Path: C d / M = "
            f"{float(settings.path_segments):.3f}; EWT's equilibrium: W = "
            f"{float(settings.equilibrium_segments):.3f}.",
            "W swings by: largest less smallest window in the last half of the samples. "
            "Monotone: after its peak and one step down, the window never turns back.",
        ],
        tables=[sheet.Grid("The traces in numbers", HEADERS, rows(traces))],
        plots=pictures.figures(traces, settings),
    )


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

    settings = _settings(sets)
    given = [_number("--g ", text, 0.0, 1.0) for text in split([g])]
    factors = list(dict.fromkeys(given))
    if not factors:
        raise UsageError(f"--g: name at least one, such as {model.PAPER_G}")
    forms = variants(
        factors,
        _choices("--average", average, model.AVERAGES),
        _choices("--reading", reading, model.READINGS),
    )
    traces = {form: _trace(form, settings, samples) for form in forms}
    if as_json:
        for record in records(traces):
            print(json.dumps(record))
    else:
        title = f"{samples} round trips; segments"
        screen.out().print(screen.table(title, HEADERS, rows(traces)))
        path, steady = float(settings.path_segments), float(settings.equilibrium_segments)
        screen.say(
            f"path C d / M = {path:.3f}, EWT's equilibrium W = {steady:.3f}; swing: in the last "
            "half; monotone: after the peak and one step down, W never turns back"
        )
    if output:
        written = model_output.write(output, "zhang", records(traces), page(traces, settings))
        screen.say(f"plots and samples: {written}, zhang.csv")


app.command("aggressiveness")(model_aggressiveness.aggressiveness)
app.command("sqrt-p")(model_throughput.sqrt_p)
app.command("pftk")(model_throughput.pftk)
