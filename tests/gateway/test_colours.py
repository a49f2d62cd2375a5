# SPDX-License-Identifier: GPL-2.0-only
"""The live page's colours, as the colour-blind see them."""

import itertools
import re

import pytest
from gateway_lab import ROOT

PAGE = ROOT / "linux" / "gateway" / "page"
Colour = tuple[float, float, float]

# Of linear RGB, all of the sense missing: Machado, Oliveira and Fernandes, "A
# Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), table 1.
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)
APART = 20  # difference of colours (CIE 1976); from 10 on they are told apart at a glance
CONTRAST = 3  # of graphics with what is behind them (WCAG 2.2, 1.4.11)
TEXT_CONTRAST = 4.5  # 1.4.3
SERIES = ("one", "two", "mark")


def times(matrix: tuple[tuple[float, ...], ...], colour: Colour) -> Colour:
    """The product."""
    x, y, z = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)
    return x, y, z


def linear(text: str) -> Colour:
    """Of #rgb or #rrggbb, 0 .. 1."""
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * each for each in digits)
    r, g, b = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))

    def one(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return one(r), one(g), one(b)


def seen(text: str, sight: str) -> Colour:
    """The colour as it is seen."""
    r, g, b = (min(max(each, 0), 1) for each in times(SIGHTS[sight], linear(text)))
    return r, g, b


def lab(colour: Colour) -> Colour:
    """CIE L*a*b*."""

    def f(value: float) -> float:
        return float(value ** (1 / 3)) if value > 0.008856 else 7.787 * value + 16 / 116

    x, y, z = (f(each / white) for each, white in zip(times(TO_XYZ, colour), WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(a: Colour, b: Colour) -> float:
    """CIE 1976."""
    return float(sum((p - q) ** 2 for p, q in zip(lab(a), lab(b), strict=True)) ** 0.5)


def contrast(a: Colour, b: Colour) -> float:
    """WCAG's."""
    low, high = sorted(times(TO_XYZ, each)[1] for each in (a, b))
    return (high + 0.05) / (low + 0.05)


def palettes() -> dict[str, dict[str, str]]:
    """Of the live page, light, dark and printed; and of the report."""
    found = {}
    blocks = re.findall(r":root \{(.*?)\}", (PAGE / "page.css").read_text(), re.DOTALL)
    for name, block in zip(("light", "dark", "print"), blocks, strict=True):
        found[name] = dict(re.findall(r"--(\w+): (#\w+)", block))
    report = re.search(r":root \{(.*?)\}", (PAGE / "report.html").read_text(), re.DOTALL)
    assert report
    found["report"] = {"card": "#fff", **dict(re.findall(r"--(\w+): (#\w+)", report[1]))}
    return found


def test_the_matrices_keep_white() -> None:
    for sight in SIGHTS:
        assert seen("#fff", sight) == pytest.approx((1, 1, 1), abs=1e-5)


def test_a_difference_that_nobody_sees_is_found() -> None:
    """Red and green of one lightness, which the red-green blind confuse."""
    red, green = "#c44", "#848a1c"
    assert difference(seen(red, "all"), seen(green, "all")) > 3 * APART
    assert difference(seen(red, "deuteranopia"), seen(green, "deuteranopia")) < APART


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", ["light", "dark", "print", "report"])
def test_series_are_told_apart(palette: str, sight: str) -> None:
    colours = palettes()[palette]
    card = seen(colours["card"], sight)
    series = {name: seen(colours[name], sight) for name in SERIES if name in colours}
    for a, b in itertools.combinations(series, 2):
        assert difference(series[a], series[b]) > APART, (a, b)
    for name, colour in series.items():
        assert contrast(colour, card) > CONTRAST, name
    for name in {"text", "soft", "good", "warn"} & colours.keys():
        assert contrast(seen(colours[name], sight), card) > TEXT_CONTRAST, name
