"""simulate: a figure of several runs, and how it is written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Run = TypeVar("Run")
_QUANTILES = {"p50": 0.5, "p95": 0.95, "worst": 1.0}


class Figure(NamedTuple, Generic[Run]):
    """A figure of runs.

    Parameters
    ----------
    name, words : str
        For programs, and for people.
    of : callable
        Its values in one run: one, or one for each stream; infinite for what never came.
    least_is_worst : bool
        Whether less is worse.
    """

    name: str
    words: str
    of: Callable[[Run], float | Floats]
    digits: int = 0
    least_is_worst: bool = False


def distribution(figure: Figure[Run], runs: Sequence[Run]) -> dict[str, float | None] | None:
    """Return ``p50``, ``p95`` and ``worst`` of a figure over all runs; None without values."""
    values = np.concatenate([np.atleast_1d(np.asarray(figure.of(run), float)) for run in runs])
    if not len(values):
        return None
    sign = -1 if figure.least_is_worst else 1
    found = sign * np.quantile(sign * values, [*_QUANTILES.values()], method="inverted_cdf")
    return {
        name: round(value, figure.digits or None) if math.isfinite(value) else None
        for name, value in zip(_QUANTILES, found.tolist(), strict=True)
    }


def cell(quantiles: dict[str, float | None] | None) -> object:
    """Return what :func:`distribution` gives as text."""
    if quantiles is None:
        return "-"
    words = ["never" if value is None else f"{value:.10g}" for value in quantiles.values()]
    return words[0] if len({*words}) == 1 else " / ".join(words)
