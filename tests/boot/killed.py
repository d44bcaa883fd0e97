"""Runs a command and kills its own process at the n-th thing that it writes.

Called as ``python -m tests.boot.killed N before|after WORDS``. It counts files that take a place
(`fabric.core.files`), records of the boot log and transactions of the journal; ``0`` kills nothing
and prints the count at the end.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabric.boot.log import BootLog
from fabric.change.journal import Journal
from fabric.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


def run_killed(number: int, when: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that kills itself."""
    argv = [sys.executable, "-m", "tests.boot.killed", str(number), when, *map(str, words)]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def _counting(number: int, when: str) -> itertools.count[int]:
    numbers = itertools.count(1)

    def counted(write: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any) -> Any:
            mine = next(numbers)
            if (mine, when) == (number, "before"):
                os.kill(os.getpid(), signal.SIGKILL)
            result = write(*arguments)
            if (mine, when) == (number, "after"):
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    Path.replace = counted(Path.replace)  # type: ignore[method-assign]
    BootLog._append = staticmethod(counted(BootLog._append))  # type: ignore[method-assign]
    Journal._insert = counted(Journal._insert)  # type: ignore[method-assign]
    return numbers


if __name__ == "__main__":
    written = _counting(int(sys.argv[1]), sys.argv[2])
    code = main(sys.argv[3:])
    print(f"writes: {next(written) - 1}", file=sys.stderr)
    sys.exit(code)
