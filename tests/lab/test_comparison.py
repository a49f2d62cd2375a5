# SPDX-License-Identifier: GPL-2.0-only
"""The t test against scipy's."""

import numpy as np
import pytest
from scipy import stats

from penstock.results.comparison import sign, unpaired


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_unpaired_is_scipys(seed: int, confidence: float) -> None:
    random = np.random.default_rng(seed)
    first = random.normal(10, 1 + seed, size=12).tolist()
    second = random.normal(10 + seed / 4, 2, size=20 - seed).tolist()
    ours = unpaired(first, second, confidence)
    theirs = stats.ttest_ind(first, second, equal_var=False)
    interval = theirs.confidence_interval(confidence)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), rel=1e-10)
    assert (ours.sign() == "=") == (theirs.pvalue > 1 - confidence)


def test_signs_are_those_of_the_tables() -> None:
    slow, fast = [1.0, 1.1, 0.9, 1.05], [2.0, 2.1, 1.9, 2.05]
    assert unpaired(slow, fast).sign("high") == "+"  # the second has more throughput
    assert unpaired(fast, slow).sign("high") == "-"
    assert unpaired(slow, fast).sign("low") == "-"  # of losses, less is better
    assert unpaired(slow, [1.0, 1.2, 0.8, 1.1]).sign() == "="
    assert unpaired([1.0, 1.0], [1.0, 1.0]).sign() == "="
    assert unpaired([2.0, 2.0], [1.0, 1.0]).sign() == "-"


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two"):
        unpaired([1.0], [1.0, 2.0])
    assert sign([1.0], [1.0, 2.0]) == "?"
