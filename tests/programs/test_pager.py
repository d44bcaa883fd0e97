"""The pager of the user: what it gets, what it does not see, and what happens without one."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.programs.pager import page
from tests.waiting import LONGEST_S

SECRETS = ("ROCEFAB_PASSWORD", "PGPASSWORD", "SSH_AUTH_SOCK", "CI_JOB_TOKEN", "LESSOPEN")
_SEEN = """
import json, os, pathlib, sys
seen = {"variables": dict(os.environ), "text": sys.stdin.read()}
pathlib.Path(sys.argv[1]).write_text(json.dumps(seen))
"""
_INTERRUPTS = """
import os, signal, sys
os.kill(os.getppid(), signal.SIGINT)
sys.stdin.read()
"""


def _set(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str, *words: object) -> None:
    """Take a Python program as the pager."""
    script = folder / "pager.py"
    script.write_text(code)
    monkeypatch.setenv("PAGER", " ".join(map(str, (sys.executable, script, *words))))


def test_a_pager_gets_the_text_and_no_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "secret")
    _set(monkeypatch, tmp_path, _SEEN, tmp_path / "seen")
    assert page("a\nb\n")
    seen = json.loads((tmp_path / "seen").read_text())
    assert seen["text"] == "a\nb\n"
    assert not {*SECRETS} & {*seen["variables"]}
    assert seen["variables"]["LESSSECURE"] == "1"
    assert seen["variables"]["LESS"] == "FRX"


def test_options_of_less_that_the_user_set_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LESS", "-N")
    _set(monkeypatch, tmp_path, _SEEN, tmp_path / "seen")
    assert page("a\n")
    assert json.loads((tmp_path / "seen").read_text())["variables"]["LESS"] == "-N"


@pytest.mark.parametrize("words", ["", "/nonexistent/pager", "'", f"{sys.executable} -c 1/0"])
def test_without_a_pager_that_works_the_caller_prints(
    monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("PAGER", words)
    assert not page("a\n")


def test_without_less_there_is_no_pager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not page("a\n")


def test_a_pager_may_end_early(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _set(monkeypatch, tmp_path, "")
    assert page("a line\n" * 1_000_000)


def test_ctrl_c_belongs_to_the_pager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    _set(monkeypatch, tmp_path, _INTERRUPTS)
    assert page("a line\n" * 100_000)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(shutil.which("less") is None, reason="needs less (Debian: less)")
def test_less_shows_a_long_text_and_starts_no_shell() -> None:
    ours, its = pty.openpty()
    code = "from fabric.cli import output; output.paged('a line\\n' * 500); output.data('after\\n')"
    variables = {"PATH": os.environ["PATH"], "TERM": "xterm", "LINES": "24", "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
        env={**variables, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(its)
    shown = _until(ours, b":")
    os.write(ours, b"!")
    shown += _until(ours, b"not available")
    os.write(ours, b"\nq")
    shown += _until(ours, b"after")
    assert process.wait(LONGEST_S) == 0
    os.close(ours)
    assert 20 < shown.count(b"a line") < 100


def _until(terminal: int, words: bytes) -> bytes:
    """Return what a terminal shows until some words come."""
    shown, end_s = b"", time.monotonic() + LONGEST_S
    while words not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, end_s - time.monotonic()))
        assert ready, shown
        shown += os.read(terminal, 1 << 16)
    return shown
