"""A worker process that the kernel kills, as it does when memory is short."""

from __future__ import annotations

import os
import signal

import pytest

from fabric.core.errors import FabricError
from fabric.workflow.stages import Stage
from fabric.workflow.work import Work


def killed(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.fault(27)
def test_a_killed_worker_is_told_with_what_to_do() -> None:
    stage = Stage("numbers", "numbers", killed)
    with pytest.raises(FabricError, match="a worker process was killed.*--workers 1"):
        Work(workers=2).each(stage, {str(n): n for n in range(8)})
