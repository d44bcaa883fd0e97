"""Kernels of the simulator: compiled where numba is installed, interpreted elsewhere.

Both run the same functions on the same numbers, so both give the same answer.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = TypeVar("Kernel", bound=Callable[..., object])

#: Whether numba is installed (extra ``simulate``).
COMPILED = find_spec("numba") is not None
_KERNELS: list[Callable[..., object]] = []


def kernel(function: Kernel) -> Kernel:
    """Make a function known to the compiler; it stays as it is for the interpreter."""
    _KERNELS.append(function)
    return function


@cache
def compiled(entry: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel as machine code, with all that it calls.

    The code is kept on disk where that can be written to, by the digest of the kernels' sources.
    """
    from numba import njit
    from numba.extending import register_jitable

    for function in _KERNELS:
        register_jitable(function)
    version = _digest()

    def run(*arguments: Any) -> None:
        if version:  # a variable of the closure is part of the key of numba's cache
            entry(*arguments)

    try:
        return njit(run, cache=True, error_model="numpy")  # type: ignore[no-any-return]
    except RuntimeError:  # no folder where the machine code may be kept
        return njit(run, error_model="numpy")  # type: ignore[no-any-return]


def _digest() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
