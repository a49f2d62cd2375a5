# SPDX-License-Identifier: GPL-2.0-only
"""Distributions against scipy's, and their random numbers against numpy's Philox."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from penstock import _native

TRAFFIC = 4  # engine::Purpose::kTraffic
COUNT = 20_000
Distribution = _native.Distribution


def units(seed: int, user: int, count: int) -> np.ndarray[Any, Any]:
    """The first uniform number of each turn, from numpy's generator."""
    key = np.array([seed, TRAFFIC], dtype=np.uint64)
    words = []
    for turn in range(count):
        before = (user << 64 | turn << 128) - 1  # numpy counts up before it draws
        counter = [(before >> 64 * i) % 2**64 for i in range(4)]
        generator = np.random.Philox(key=key, counter=np.array(counter, dtype=np.uint64))
        words.append(int(generator.random_raw()))
    return np.array([((word >> 12) + 0.5) * 2.0**-52 for word in words])


def lognormal(mean: float, deviation: float) -> Any:
    variance = math.log1p((deviation / mean) ** 2)
    return stats.lognorm(math.sqrt(variance), scale=mean * math.exp(-variance / 2))


# Ours, scipy's, and the share that ours inverts for the uniform number u: u or 1 - u.
INVERTED: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {
    "uniform": (Distribution.uniform(2, 7), stats.uniform(2, 5).ppf, lambda u: u),
    "exponential": (Distribution.exponential(5e9), stats.expon(scale=5e9).isf, lambda u: u),
    "lognormal": (
        Distribution.lognormal(25.807, 78.752),
        lognormal(25.807, 78.752).ppf,
        lambda u: u,
    ),
    "pareto": (
        Distribution.pareto(1.7584, 30458),
        stats.pareto(1.7584, scale=30458).isf,
        lambda u: u,
    ),
    "weibull": (Distribution.weibull(0.6, 3), stats.weibull_min(0.6, scale=3).isf, lambda u: u),
}


@pytest.mark.parametrize("name", INVERTED)
def test_draws_are_scipys_quantiles_of_numpys_numbers(name: str) -> None:
    ours, quantile, share = INVERTED[name]
    shares = share(units(11, 3, 300))
    np.testing.assert_allclose(ours.draw(11, 3, 300), quantile(shares), rtol=2e-13)


GAMMA = {"reading time": (35.286, 147.390), "shape above 1": (12.0, 3.0), "shape 1": (2.0, 2.0)}


@pytest.mark.parametrize("name", GAMMA)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gamma_passes_kolmogorov_and_smirnov(name: str, seed: int) -> None:
    mean, deviation = GAMMA[name]
    shape = (mean / deviation) ** 2
    theirs = stats.gamma(shape, scale=mean / shape)
    drawn = Distribution.gamma(mean, deviation).draw(seed, 0, COUNT)
    assert stats.kstest(drawn, theirs.cdf).pvalue > 0.01
    # Three standard errors of an order statistic around the 90th percentile.
    error = 3 * math.sqrt(0.9 * 0.1 / COUNT)
    low, high = theirs.ppf([0.9 - error, 0.9 + error])
    assert low < np.quantile(drawn, 0.9) < high


def test_the_limit_of_a_pareto_takes_what_lies_above() -> None:
    free = np.array(Distribution.pareto(1.7584, 30458).draw(1, 0, COUNT))
    cut = np.array(Distribution.pareto(1.7584, 30458, 1e6).draw(1, 0, COUNT))
    assert cut.max() == 1e6
    np.testing.assert_array_equal(cut, np.minimum(free, 1e6))
    share = float(np.mean(cut == 1e6))
    assert share == pytest.approx((30458 / 1e6) ** 1.7584, abs=0.001)


def test_another_user_seed_or_turn_draws_other_numbers() -> None:
    law = Distribution.exponential(1)
    assert law.draw(1, 0, 100) == law.draw(1, 0, 200)[:100]
    drawn = [*law.draw(1, 0, 100), *law.draw(1, 1, 100), *law.draw(2, 0, 100)]
    assert len(set(drawn)) == 300


def test_functions_agree_with_exact_ones() -> None:
    random = np.random.default_rng(1)
    for x in [*random.uniform(1e-300, 1e300, 500), *np.exp2(random.uniform(-60, 60, 2000)), 1.0]:
        error = abs(_native.natural_log(x) - math.log(x))
        assert error <= 2 * math.ulp(math.log(x) or 1e-16), x
    for x in random.uniform(-690, 690, 2000):
        assert _native.exponential(x) == pytest.approx(math.exp(x), rel=1e-15), x
    for share in [*random.uniform(0, 1, 2000), 1e-300, 2**-53, 1e-10, 0.075, 0.925, 0.5, 1 - 1e-10]:
        assert _native.normal_quantile(share) == pytest.approx(
            special.ndtri(share), rel=1e-14, abs=1e-16
        ), share


@pytest.mark.parametrize(
    ("make", "values", "message"),
    [
        (Distribution.exponential, (0,), "mean must be above 0"),
        (Distribution.gamma, (1, 11), "shape must be at least 0.01"),
        (Distribution.pareto, (1.5, 10, 9), "must not lie below its scale"),
        (Distribution.uniform, (3, 2), "0 <= low <= high"),
        (Distribution.constant, (-1,), "0 or more"),
        (Distribution.weibull, (float("nan"), 1), "shape"),
    ],
)
def test_wrong_parameters_are_refused(make: Any, values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(*values)
