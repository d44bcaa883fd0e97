"""Releases under test: clones of the repository, and the tools that build and judge them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
#: What tools say when the package index is out of reach.
AWAY = re.compile(r"dns error|network|connect|offline|timed out|no solution found", re.IGNORECASE)


def run(*words: object, env: dict[str, str] | None = None, **options):
    """Run a program; an environment that it makes is not compiled: few of its modules are used."""
    variables = env or {**os.environ, "UV_COMPILE_BYTECODE": "0"}
    return subprocess.run(
        [str(word) for word in words],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def uv() -> str:
    """Return uv: what make installed, or what the system has."""
    path = shutil.which(str(ROOT / ".bootstrap" / "bin" / "uv")) or shutil.which("uv")
    if not path:
        pytest.skip("uv is missing: `make test` installs it into .bootstrap")
    return path


def clone(folder: Path) -> Path:
    """Return a clone of the last commit, with its history."""
    if not (ROOT / ".git").exists():
        pytest.skip("a release is built from a git checkout; this is a copy without .git")
    done = run("git", "clone", "--quiet", ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def commit(checkout: Path) -> str:
    return run("git", "rev-parse", "HEAD", cwd=checkout).stdout.strip()


def environment(**more: str) -> dict[str, str]:
    """Return the variables of whoever runs the tests, without what leads to the repository."""
    dropped = ("ROCEFAB_", "PYTHONPATH", "VIRTUAL_ENV", "MAKE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "ROCEFAB_FRESH": "1", "UV_COMPILE_BYTECODE": "0", **more}
