"""The version, with the commit that the code is of and the Python that runs it."""

from __future__ import annotations

import platform
import subprocess
from importlib import import_module
from pathlib import Path

from fabric import __version__

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
        return _commit_of_checkout() or "unknown"
    try:
        whole, dash, more = str(import_module(_BUILT).COMMIT).partition("-")
    except ImportError:
        return "unknown"
    return f"{whole[:_DIGITS]}{dash}{more}"


def _commit_of_checkout() -> str:
    git = [
        "git",
        "-C",
        str(_CHECKOUT),
        "describe",
        "--always",
        f"--abbrev={_DIGITS}",
        "--exclude=*",
    ]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed list of words
            [*git, "--exclude=*", "--dirty"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
