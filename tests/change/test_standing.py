"""A run whose process is gone does not look like one that runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from fabric.change.actor import Actor
from fabric.change.journal import Journal, State
from fabric.workflow.apply import status
from tests.cli.runs import ROOT
from tests.waiting import until

_RUN = """
import sys, time
from pathlib import Path
from fabric.change.journal import Journal, State
journal = Journal(Path(sys.argv[1]))
with journal.exclusive():
    journal.record(journal.begin("apply", "demo", "{}"), "leaf1", State.STAGING)
    time.sleep(600)
"""


def state(folder) -> str:
    rows = status(folder)
    return rows[-1]["state"] if rows else ""


@pytest.mark.fault(8)
def test_a_run_is_in_progress_until_its_process_is_killed(tmp_path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _RUN, str(tmp_path)], cwd=ROOT)
    try:
        until(lambda: state(tmp_path) == "in progress", "the run begins")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert state(tmp_path) == "interrupted"


def test_of_a_run_of_another_host_it_is_not_known(tmp_path) -> None:
    """A journal in PostgreSQL has them; their locks are on that host."""
    journal = Journal(tmp_path, Actor(host="another"))
    run = journal.begin("apply", "demo", "{}")
    assert state(tmp_path) == "interrupted or in progress"
    Journal(tmp_path).record(run, "leaf1", State.STAGING)
    assert state(tmp_path) == "interrupted"
    journal.record(run, "", State.DONE)
    assert state(tmp_path) == "done"
