"""The version, with the commit that the code is of and the Python that runs it."""

from __future__ import annotations

import platform
from importlib import import_module
from pathlib import Path

from fabric import __version__
from fabric.programs.source import commit_of

#: Written by the build (hatch_build.py); a checkout has none.
_BUILT = "fabric._build"
#: Digits of a commit that are shown: what git itself shows of a large repository.
_DIGITS = 12
_CHECKOUT = Path(__file__).parents[2]


def version() -> str:
    """Return name, version, commit and Python, in one line."""
    return f"rocefab {__version__} (commit {_commit()}, Python {platform.python_version()})"


def _commit() -> str:
    """Return the commit of a checkout by git, of an installed wheel by its build."""
    if (_CHECKOUT / ".git").exists():
        text = commit_of(_CHECKOUT)
    else:
        try:
            text = str(import_module(_BUILT).COMMIT)
        except ImportError:
            text = ""
    whole, dash, more = text.partition("-")
    return f"{whole[:_DIGITS]}{dash}{more}" or "unknown"
