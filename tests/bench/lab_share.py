"""Processor time of a process that runs."""

from __future__ import annotations

import os
from pathlib import Path


def cpu_s(process: int) -> float:
    """Return the processor time of a process and of its children that ended, in seconds.

    Fields 14 to 17 of proc_pid_stat(5); the name in field 2 may hold spaces.
    """
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
