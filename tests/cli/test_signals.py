"""Ctrl-C, a service manager's SIGTERM, and readers that have seen enough."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from fabric.cli.exits import second_one_ends
from tests.cli.runs import BACKGROUND, DEMO, ROCEFAB, ROOT, clean_environment, run
from tests.waiting import LONGEST_S, until


def started(
    *words: object, prefix: tuple[str, ...] = (), **environment: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*prefix, *ROCEFAB, *(str(word) for word in words)],
        cwd=ROOT,
        env={**clean_environment(), **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("number", "prefix"),
    [(signal.SIGINT, ()), (signal.SIGTERM, ()), (signal.SIGTERM, BACKGROUND)],
    ids=["ctrl-c", "sigterm", "sigterm-in-the-background"],
)
def test_the_lab_ends_cleanly(
    tmp_path: Path, number: signal.Signals, prefix: tuple[str, ...]
) -> None:
    process = started("lab", "up", DEMO, "--out", tmp_path / "lab", prefix=prefix)
    until((tmp_path / "lab" / "connections.json").exists, "the lab is up")
    assert process.stderr.readline() == "10 devices are up. In another terminal:\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0, err
    assert err.endswith("stopping the lab\n")
    assert "Traceback" not in err
    assert out == ""
    assert (tmp_path / "lab" / "password").stat().st_mode & 0o077 == 0


def test_libraries_print_no_tracebacks(tmp_path: Path) -> None:
    """Something answers, hangs up before it says anything, and is reported in one line."""
    with socket.create_server(("127.0.0.1", 0)) as rude:
        file = _connections(tmp_path, rude)
        words = ("verify", DEMO, "--connections", file, "--only", "gpu001")
        process = started(*words, ROCEFAB_PASSWORD="x")
        rude.settimeout(30)
        rude.accept()[0].close()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert out.startswith("gpu001: could not be read: ")
    assert err == "0 of 1 device is as planned\n"


def _connections(folder: Path, server: socket.socket) -> Path:
    file = folder / "connections.json"
    port = server.getsockname()[1]
    file.write_text(f'{{"devices": {{"gpu001": {{"address": "127.0.0.1", "port": {port}}}}}}}')
    return file


@pytest.mark.fault(27)
@pytest.mark.parametrize(
    ("number", "code", "word", "prefix"),
    [
        (signal.SIGINT, 130, "interrupted by the user", ()),
        (signal.SIGTERM, 143, "terminated", ()),
        (signal.SIGTERM, 143, "terminated", BACKGROUND),
    ],
    ids=["ctrl-c", "sigterm", "sigterm-in-the-background"],
)
def test_ctrl_c_in_any_other_command_says_so(
    tmp_path: Path, number: signal.Signals, code: int, word: str, prefix: tuple[str, ...]
) -> None:
    """A plan that waits for a device that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        file = _connections(tmp_path, silent)
        words = ("plan", DEMO, "--connections", file, "--only", "gpu001")
        process = started(*words, prefix=prefix, ROCEFAB_PASSWORD="x")
        silent.settimeout(30)
        session, _ = silent.accept()
        process.send_signal(number)
        session.close()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    assert err.endswith(f"rocefab: {word}\n"), err
    assert "Traceback" not in err


OWN_WAY = lambda *_: None  # noqa: E731
DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


@pytest.mark.parametrize(
    ("before", "handled"),
    [
        ({}, {signal.SIGINT, signal.SIGTERM}),
        ({signal.SIGINT: signal.SIG_IGN}, {signal.SIGTERM}),
        ({signal.SIGINT: OWN_WAY}, {signal.SIGTERM}),
        ({signal.SIGTERM: signal.SIG_IGN}, {signal.SIGINT}),
        ({signal.SIGINT: OWN_WAY, signal.SIGTERM: OWN_WAY}, set()),
    ],
    ids=["a-terminal", "in-the-background", "own-ctrl-c", "no-sigterm", "own-both"],
)
def test_each_signal_is_handled_unless_somebody_else_does(before, handled) -> None:
    """Whether one of them is handled does not depend on the other one."""
    there = {**DEFAULTS, **before}
    own = {number: signal.signal(number, handler) for number, handler in there.items()}
    try:
        with second_one_ends():
            during = {number: signal.getsignal(number) for number in there}
        after = {number: signal.getsignal(number) for number in there}
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)
    assert {number for number in there if during[number] != there[number]} == handled
    assert after == there


@pytest.mark.parametrize("words", ["show links inventory/rail-512", "show links inventory/demo"])
def test_a_reader_that_has_seen_enough(words: str) -> None:
    """As in `rocefab show links | head -1`: quiet, and no failure under pipefail."""
    process = started(*words.split())
    assert process.stdout is not None
    assert process.stdout.readline().startswith("device ")
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    with process.stderr as err:
        assert err.read() == ""


def test_a_reader_that_is_gone_at_once() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*ROCEFAB, "show", "links", "inventory/rail-512"],
        cwd=ROOT,
        env=clean_environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.fault(27)
@pytest.mark.parametrize("begun", [True, False], ids=["in-the-run", "before-the-run"])
def test_ctrl_c_in_an_apply_says_how_to_go_on(tmp_path: Path, monkeypatch, begun: bool) -> None:
    """Where no run had begun, there is nothing to resume."""
    from fabric.change.journal import Journal
    from fabric.change.model import Plan
    from fabric.workflow import apply as workflow

    state = tmp_path / "the state"

    def stopped(*_arguments):
        if begun:
            Journal(state).begin("apply", "x", "{}")
        raise KeyboardInterrupt

    monkeypatch.setattr(workflow, "apply", stopped)
    monkeypatch.setattr(workflow, "read_plan", lambda _path: Plan("x", (("a",),), {"a": None}))
    ended = run("apply", tmp_path / "plan.json", "--commit", "--state", state)
    assert (ended.code, ended.out) == (130, "")
    way = f"run 1 was interrupted; resume it with `rocefab apply --resume --state '{state}'`"
    assert (way in ended.err) is begun
    assert begun is (way in run("status", "--state", state).err)


def test_status_names_the_next_command_of_a_run_that_was_interrupted(tmp_path: Path) -> None:
    from fabric.change.journal import Journal, State

    journal = Journal(tmp_path)
    steps = (
        (
            "apply",
            f"run 1 was interrupted; resume it with `rocefab apply --resume --state {tmp_path}`",
        ),
        ("rollback", f"run `rocefab rollback RUN --commit --state {tmp_path}` again"),
    )
    for kind, way in steps:
        run_id = journal.begin(kind, "x", "{}")
        assert way in run("status", "--state", tmp_path).err
        assert way in run("status", run_id, "--state", tmp_path).err
    for ended in (1, 2):
        journal.record(ended, "", State.FAILED)
    assert run("status", "--state", tmp_path).err == ""


@pytest.mark.parametrize(
    "words",
    ["check inventory/demo --format sarif", "explain TOP014", "place inventory/demo --nodes 2"],
)
def test_a_full_disk_is_no_fault_of_ours(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*ROCEFAB, *words.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=clean_environment(),
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == "rocefab: the output cannot be written: No space left on device\n"
