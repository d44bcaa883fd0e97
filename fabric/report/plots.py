"""Plots as files."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from fabric.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

_SUFFIXES = (".svg", ".png")


def require(path: Path) -> None:
    """Check that a plot can be written, before what it shows is computed.

    Raises
    ------
    InputError
        When the suffix is not of SVG or PNG, or matplotlib is not installed.
    """
    if path.suffix not in _SUFFIXES:
        raise InputError(f"{path}: unsupported plot format; use {' or '.join(_SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise InputError("plots need matplotlib; install it with: pip install 'rocefab[plots]'")


def save(path: Path, draw: Callable[[], Figure]) -> None:
    """Write a drawing as SVG or PNG, by the suffix of the file; same drawing, same bytes.

    Raises
    ------
    InputError
        As ``require``.
    """
    require(path)
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "rocefab", "svg.fonttype": "none"}):
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        draw().savefig(path, metadata=metadata)
