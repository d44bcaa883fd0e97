"""Runs the command line: in this process where speed matters, as a process where that matters."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fabric.cli import main

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "inventory" / "demo"
ROCEFAB = (sys.executable, "-m", "fabric")
#: What begins a command as a shell without job control does for `rocefab ... &`.
BACKGROUND = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


def run(*words: object) -> Ended:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    ended = Ended(int(code), out.getvalue(), err.getvalue())
    assert "Traceback" not in ended.said
    assert "\x1b[" not in ended.said
    return ended


def process(*words: object, cwd: Path | None = None, **environment: str) -> Ended:
    """Run a command as a user does."""
    done = subprocess.run(
        [*ROCEFAB, *(str(word) for word in words)],
        cwd=cwd or ROOT,
        env={**clean_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    ended = Ended(done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in ended.said
    return ended


def clean_environment() -> dict[str, str]:
    """Return the environment without our variables, with the package to be found anywhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ROCEFAB_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def everything_below(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder with their content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
