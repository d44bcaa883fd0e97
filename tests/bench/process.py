"""One command as a process of its own, and what it took."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.topology.fabrics import REPOSITORY

_CODE = """\
import resource, runpy, sys
sys.argv = ['rocefab', *sys.argv[1:]]
try:
    runpy.run_module('fabric', run_name='__main__', alter_sys=True)
finally:
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print('\\npeak', max(own, others), file=sys.stderr)
"""


class Taken(NamedTuple):
    """Elapsed and processor seconds of a command, the peak of its largest process, its end."""

    elapsed_s: float
    cpu_s: float
    peak_mib: float
    code: int
    error: str


def run(words: list[str], source: Path = REPOSITORY, codes: tuple[int, ...] = (0, 4)) -> Taken:
    """Run a command with the source of this or another revision; it must end with a known code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start_s = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *words],
        cwd=source,
        env={**os.environ, "ROCEFAB_FRESH": "", "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    elapsed_s = time.perf_counter() - start_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in codes, done.stderr
    error, _, peak_kib = done.stderr.rpartition("\npeak ")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(elapsed_s, cpu_s, int(peak_kib) / 1024, done.returncode, error)
