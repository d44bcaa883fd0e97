"""Kernels of the simulator: compiled where numba is installed, interpreted elsewhere.

Both run the same functions on the same numbers, so both give the same answer.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = TypeVar("Kernel", bound=Callable[..., object])

#: Whether numba is installed (extra ``simulate``).
COMPILED = find_spec("numba") is not None


def kernel(function: Kernel) -> Kernel:
    """Compile a function with numba where it is installed."""
    if not COMPILED:
        return function
    from numba import njit  # noqa: PLC0415  (0.4 s, only for those who simulate)

    compiled: Kernel = njit(cache=True, error_model="numpy")(function)
    return compiled
