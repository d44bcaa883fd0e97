"""Lines that must not be overlooked."""

from __future__ import annotations

import getpass
import json
import os
import time

import pytest

from fabric.cli import main, output
from fabric.report.table import Table

TEXT = "wave 1\n    NO SAFETY NET: none\n"
RED = "wave 1\n\x1b[31m    NO SAFETY NET: none\x1b[0m\n"


@pytest.mark.parametrize(
    ("terminal", "variables", "said"),
    [(True, {}, RED), (False, {}, TEXT), (True, {"NO_COLOR": "1"}, TEXT)],
)
def test_alarming_lines_are_red_on_a_terminal(monkeypatch, capsys, terminal, variables, said):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: terminal, raising=False)
    output.alarming(TEXT, "NO SAFETY NET")
    assert capsys.readouterr().out == said


def test_password_is_asked_for(monkeypatch, capsys):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "old")
    monkeypatch.setattr(getpass, "getpass", lambda prompt: f"typed after {prompt}")
    assert main(["verify", "/nonexistent", "--ask-password"]) == 2
    assert os.environ["ROCEFAB_PASSWORD"] == "typed after Device password: "
    printed = capsys.readouterr()
    assert "typed" not in printed.out + printed.err


def test_nobody_is_asked_without_the_option(monkeypatch):
    monkeypatch.delenv("ROCEFAB_PASSWORD", raising=False)
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: 1 / 0)
    assert main(["verify", "/nonexistent"]) == 2
    assert "ROCEFAB_PASSWORD" not in os.environ


def _wave(meter: output.Meter) -> None:
    meter("", "wave 1 of 2: leaf[1-4]")
    for text in ("commit, reload", "verified"):
        for name in ("leaf1", "leaf2", "leaf3", "leaf4"):
            meter(name, text)


STEPS = """\
wave 1 of 2: leaf[1-4]
leaf1: commit, reload
leaf[2-4]: commit, reload
leaf1: verified
leaf[2-4]: verified
"""


def test_a_step_of_many_devices_is_the_first_of_them_and_a_range(capsys):
    output.configure()
    meter = output.Meter(lines=True)
    _wave(meter)
    assert capsys.readouterr().err == STEPS.removesuffix("leaf[2-4]: verified\n")
    meter("", "wave 2 of 2: spine1")
    assert capsys.readouterr().err == "leaf[2-4]: verified\nwave 2 of 2: spine1\n"
    meter("spine1", "verified")
    meter("spine2", "verified")
    output.result("run 1: done")
    assert capsys.readouterr().err == "spine1: verified\nspine2: verified\nrun 1: done\n"
    output.result("once")
    assert capsys.readouterr().err == "once\n"


def test_the_time_left_is_shown_once_some_devices_ended(capsys, monkeypatch):
    monkeypatch.setattr(output, "_PAUSE_S", 0.0)
    output.configure()
    meter = output.Meter(total=8)
    for number in range(1, 4):
        meter(f"leaf{number}", "read")
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == "1 of 8 devices: leaf1"
    for line in (second, third):
        assert " left: leaf" in line


def test_a_failure_comes_after_the_steps_before_it(capsys):
    output.configure()
    meter = output.Meter(lines=True)
    for name in ("leaf1", "leaf2"):
        meter(name, "verified")
    meter("leaf3", "failed: not healthy")
    meter("leaf4", "verified")
    output.result("end")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "leaf1: verified",
        "leaf2: verified",
        "leaf3: failed: not healthy",
        "leaf4: verified",
        "end",
    ]


def test_a_step_is_shown_once_also_after_a_pause(capsys, monkeypatch):
    output.configure()
    now_s = [time.monotonic()]
    monkeypatch.setattr(output.time, "monotonic", lambda: now_s[0])
    meter = output.Meter(lines=True)
    for name in ("leaf1", "leaf2", "leaf3"):
        now_s[0] += 10
        meter(name, "verified")
    assert capsys.readouterr().err == "leaf1: verified\nleaf2: verified\nleaf3: verified\n"


@pytest.mark.parametrize("asked", ["full", "verbose"])
def test_each_step_is_a_line_where_that_is_asked_for(capsys, asked):
    output.configure(verbose=asked == "verbose")
    try:
        _wave(output.Meter(lines=True, full=asked == "full"))
    finally:
        output.configure()
    assert capsys.readouterr().err.count(": verified\n") == 4


@pytest.mark.parametrize(
    ("terminal", "asked", "lines", "is_paged"),
    [
        (True, {}, 40, True),
        (True, {}, 10, False),
        (True, {"pager": False}, 40, False),
        (False, {}, 40, False),
    ],
    ids=["long", "short", "no pager", "no terminal"],
)
def test_long_output_on_a_terminal_is_paged(monkeypatch, capsys, terminal, asked, lines, is_paged):
    shown = []
    monkeypatch.setattr("fabric.programs.pager.page", lambda text: shown.append(text) or True)
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    output.configure(**asked)
    try:
        output.paged("a line\n" * lines)
    finally:
        output.configure()
    assert (shown, capsys.readouterr().out) == (
        (["a line\n" * lines], "") if is_paged else ([], "a line\n" * lines)
    )


def test_what_no_pager_shows_is_printed(monkeypatch, capsys):
    monkeypatch.setattr("fabric.programs.pager.page", lambda _: False)
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "2")
    output.paged("a\nb\nc\n")
    assert capsys.readouterr().out == "a\nb\nc\n"


def test_a_dash_of_a_table_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Table(("host", "rail"), (("gpu1", "-"), ("gpu-2", 0)))
    output.records(shown, "json")
    assert json.loads(capsys.readouterr().out) == [
        {"host": "gpu1", "rail": None},
        {"host": "gpu-2", "rail": 0},
    ]
