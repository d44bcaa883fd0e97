"""Kernels of the simulator: compiled where numba is installed, interpreted elsewhere.

Both run the same functions on the same numbers, so both give the same answer.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = TypeVar("Kernel", bound=Callable[..., object])

#: Whether numba is installed (extra ``simulate``).
COMPILED = find_spec("numba") is not None


def kernel(function: Kernel) -> Kernel:
    """Compile a function with numba where it is installed."""
    if not COMPILED:
        return function
    from numba import njit

    try:
        return cast("Kernel", njit(cache=True, error_model="numpy")(function))
    except RuntimeError:  # no folder where the compiled code may be kept
        return cast("Kernel", njit(error_model="numpy")(function))
