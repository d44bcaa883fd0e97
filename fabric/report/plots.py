"""Plots as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

_SUFFIXES = (".svg", ".png")


def save(path: Path, draw: Callable[[], Figure]) -> None:
    """Write a drawing as SVG or PNG, by the suffix of the file; same drawing, same bytes.

    Raises
    ------
    InputError
        When the suffix is another one, or matplotlib is not installed.
    """
    if path.suffix not in _SUFFIXES:
        raise InputError(f"{path}: unsupported plot format; use {' or '.join(_SUFFIXES)}")
    try:
        from matplotlib import rc_context
    except ImportError as error:
        message = "plots need matplotlib; install it with: pip install 'rocefab[plots]'"
        raise InputError(message) from error
    with rc_context({"svg.hashsalt": "rocefab", "svg.fonttype": "none"}):
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        draw().savefig(path, metadata=metadata)
