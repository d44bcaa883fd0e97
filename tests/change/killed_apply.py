"""Applies the plan of a folder and kills its own process at the n-th write of the journal.

Called as ``python -m tests.change.killed_apply FOLDER N before|after``.
"""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal
from fabric.change.model import read_plan
from tests.change import memory_fabric


def main(folder: Path, number: int, when: str) -> None:
    memory_fabric.use_memory_drivers(pytest.MonkeyPatch())
    journal = Journal(folder / "state")
    count = 0

    def counted(write):
        def wrapper(*arguments):
            nonlocal count
            count += 1
            mine = count
            if mine == number and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = write(*arguments)
            if mine == number and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    for name in ("begin", "record", "keep"):
        setattr(journal, name, counted(getattr(journal, name)))
    with ThreadPoolExecutor(1) as pool:
        Applier(
            journal, memory_fabric.connections(folder), pool, lambda *_: None, Options(poll_s=0.01)
        ).apply(read_plan(folder / "plan.json"))
    print(count)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
