"""What a terminal changes, and what the options of the command line itself change."""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from types import SimpleNamespace

import pytest

from fabric.cli import output, terminal
from tests.cli.runs import DEMO, ROCEFAB, ROOT, clean_environment, process

HEADERS = ("rule", "severity", "title")
ROWS = [
    ("QOS001", "error", "thresholds of ECN stand in the wrong order"),
    ("a-very-long-name-that-is-never-cut", "info", "short"),
]


def typed(*words: object, columns: int = 60, **environment: str) -> str:
    """Run a command on a terminal; return what it shows there."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {"TERM": "xterm", **clean_environment(), **environment}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        if name not in environment:
            variables.pop(name, None)
    command = [*ROCEFAB, *map(str, words)]
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        running.wait(timeout=60)
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[\d*[mK]|\r", "", text)


def words_of(text: str) -> list[str]:
    return sorted(text.replace("-", " ").split())


@pytest.mark.parametrize("width", [56, 60, 75])
def test_a_table_fits_and_loses_no_word(width: int) -> None:
    whole = terminal.table_lines(HEADERS, ROWS)
    fitting = terminal.table_lines(HEADERS, ROWS, width)
    most = max(map(len, fitting))
    least = len("a-very-long-name-that-is-never-cut") + len("severity") + len("thresholds") + 4
    assert most <= max(width, least)
    assert words_of(" ".join(fitting)) == words_of(" ".join(whole))
    assert any("a-very-long-name-that-is-never-cut" in line for line in fitting)


def test_a_table_whose_words_do_not_fit_becomes_records() -> None:
    assert terminal.table_lines(HEADERS, ROWS, 50) == [
        "rule      QOS001",
        "severity  error",
        "title     thresholds of ECN stand in the wrong",
        "          order",
        "",
        "rule      a-very-long-name-that-is-never-cut",
        "severity  info",
        "title     short",
        "",
    ]
    narrow = terminal.table_lines(HEADERS, ROWS, 30)
    assert narrow[2:5] == [
        "title     thresholds of ECN",
        "          stand in the wrong",
        "          order",
    ]


@pytest.mark.parametrize("words", [("show", "ecn"), ("show", "dcqcn"), ("show", "platforms")])
def test_wide_tables_fit_80_columns(words: tuple[str, ...]) -> None:
    folder = () if words[-1] == "platforms" else (DEMO,)
    table = plain(typed(*words, *folder, columns=80)).split("\noscillates:")[0]
    assert max(map(len, table.splitlines())) <= 80


def test_a_table_that_fits_is_left_alone() -> None:
    assert terminal.table_lines(HEADERS, ROWS, 500) == terminal.table_lines(HEADERS, ROWS)


@pytest.mark.parametrize("columns", [70, 100])
def test_tables_fit_the_terminal_and_are_whole_in_a_pipe(columns: int) -> None:
    shown = plain(typed("show", "rules", columns=columns))
    piped = process("show", "rules").out
    assert max(map(len, shown.splitlines())) <= columns
    assert max(map(len, piped.splitlines())) > columns
    assert words_of(shown) == words_of(piped)


def test_severities_are_coloured_on_a_terminal() -> None:
    shown = typed("check", DEMO)
    assert "\x1b[33mwarning\x1b[0m: " in shown
    assert f"{process('check', DEMO).out.splitlines()[-1]}\n" in plain(shown)


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        ((), {"NO_COLOR": "1"}),
        ((), {"TERM": "dumb"}),
        (("--color", "never"), {}),
    ],
)
def test_no_colour_where_it_is_not_wanted(words, variables) -> None:
    assert "\x1b[3" not in typed(*words, "check", DEMO, **variables)


def test_colour_in_a_pipe_only_when_asked_for() -> None:
    assert "\x1b" not in process("check", DEMO).said
    assert "\x1b[33mwarning\x1b[0m: " in process("--color", "always", "check", DEMO).out
    assert "\x1b" not in process("--color", "always", "check", DEMO, "--format", "json").out


def test_quiet_and_verbose() -> None:
    usual = process("render", DEMO, "--out", "/dev/null/x")
    assert usual.code == 2
    quiet = process("-q", "check", DEMO)
    assert (quiet.code, quiet.err) == (0, "")
    verbose = process("-v", "check", DEMO)
    assert verbose.out == quiet.out
    assert "fabric.yaml: " in verbose.err
    assert re.search(r"^read .*/fabric\.yaml: [\d]+ bytes$", verbose.err, re.MULTILINE)
    assert re.search(r"^took \d+\.\d\d s$", verbose.err, re.MULTILINE)
    assert process("-q", "-v", "check", DEMO).code == 2


@pytest.mark.parametrize(
    ("words", "stages"),
    [
        (("check",), {"load", "design", "rules", "render"}),
        (("render", "--out", "out"), {"load", "design", "rules", "render", "write"}),
        (("show", "links"), {"load", "design"}),
    ],
)
def test_verbose_says_how_long_each_stage_took(words, stages, tmp_path) -> None:
    """Together not longer than the command; none of them without -v."""
    command = ("--color", "never", *words, DEMO)
    ended = process("-v", *command, cwd=tmp_path, ROCEFAB_FRESH="1")
    found = dict(re.findall(r"^(\w+): (\d+\.\d\d) s$", ended.err, re.MULTILINE))
    assert set(found) == stages
    took_s = float(re.findall(r"^took (\d+\.\d\d) s$", ended.err, re.MULTILINE)[0])
    assert sum(map(float, found.values())) <= took_s + 0.01 * len(found)
    assert not re.search(r"\d s$", process(*command, cwd=tmp_path).err, re.MULTILINE)


def test_quiet_still_says_errors_and_results(tmp_path) -> None:
    ended = process("-q", "check", tmp_path / "nowhere")
    assert (ended.code, "cannot be read" in ended.err) == (2, True)
    assert process("-q", "draw", DEMO, "--out", tmp_path / "x.svg").said == ""


def test_version_names_commit_and_python() -> None:
    ended = process("--version")
    head = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    commit = f"{head}(-dirty)?" if head else "unknown"
    python = ".".join(map(str, sys.version_info[:3]))
    assert re.fullmatch(
        rf"rocefab \d+\.\d+\.\d+ \(commit {commit}, Python {python}.*\)\n", ended.out
    )


def test_version_of_a_wheel(tmp_path, monkeypatch) -> None:
    from fabric.cli import version

    monkeypatch.setattr(version, "_CHECKOUT", tmp_path)
    monkeypatch.setattr(version, "_BUILT", "built_of_a_commit")
    assert "(commit unknown, " in version.version()
    built = SimpleNamespace(COMMIT="0123456789abcdef" + 24 * "0" + "-dirty")
    monkeypatch.setitem(sys.modules, "built_of_a_commit", built)
    assert "(commit 0123456789ab-dirty, " in version.version()


class Screen:
    """A stderr that is a terminal, or is none."""

    def __init__(self, *, terminal_: bool) -> None:
        self.text = ""
        self._terminal = terminal_

    def isatty(self) -> bool:
        return self._terminal

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        """Nothing is kept back."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set."""
    now = [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    yield now
    output.configure()


def shown_on(monkeypatch, *, terminal_: bool, quiet: bool = False) -> Screen:
    screen = Screen(terminal_=terminal_)
    monkeypatch.setattr(output.sys, "stderr", screen)
    output.configure(quiet=quiet)
    return screen


def test_progress_counts_and_says_what_is_left(clock, monkeypatch) -> None:
    screen = shown_on(monkeypatch, terminal_=True)
    meter = output.Meter(4)
    clock[0] += 10
    meter("leaf1", "ok")
    assert screen.text == "\r\x1b[K1 of 4 devices, about 30 s left: leaf1"
    meter("leaf1", "read again")
    assert "2 of 4" not in screen.text
    meter("", "wave 2 of 8: leaf1, leaf2")
    assert screen.text.endswith("\r\x1b[Kwave 2 of 8, about 30 s left")
    output.note("wrote x")
    assert screen.text.endswith("left\r\x1b[Kwrote x\n")


@pytest.mark.parametrize(("quiet", "lines"), [(True, 0), (False, 7)])
def test_without_a_terminal_a_line_now_and_then(clock, monkeypatch, quiet, lines) -> None:
    screen = shown_on(monkeypatch, terminal_=False, quiet=quiet)
    meter = output.Meter(35)
    for number in range(35):
        clock[0] += 1
        meter(f"leaf{number}", "ok")
    assert len(screen.text.splitlines()) == lines
    first = "5 of 35 devices: leaf4\n10 of 35 devices, about 25 s left: leaf9\n"
    assert not lines or screen.text.startswith(first)


def test_quick_steps_are_not_shown(clock, monkeypatch) -> None:
    screen = shown_on(monkeypatch, terminal_=True)
    meter = output.Meter()
    clock[0] += 5
    meter.step("rules", 0, 4)
    meter.step("rules", 1, 4)
    assert screen.text == ""
    clock[0] += 2
    meter.step("rules", 2, 4)
    meter.step("rules", 3, 4)
    assert screen.text == "\r\x1b[K2 of 4 rules, about 2 s left"


def test_steps_inside_a_step_do_not_change_its_time(clock, monkeypatch) -> None:
    screen = shown_on(monkeypatch, terminal_=True)
    meter = output.Meter()
    meter.step("rules", 0, 2)
    clock[0] += 6
    meter.step("failures", 0, 4000)
    clock[0] += 2
    meter.step("failures", 1000, 4000)
    assert screen.text.endswith("\r\x1b[K1,000 of 4,000 failures, about 6 s left")
    clock[0] += 2
    meter.step("rules", 1, 2)
    assert screen.text.endswith("\r\x1b[K1 of 2 rules, about 10 s left")


def test_progress_leaves_nothing_on_the_terminal() -> None:
    shown = typed("check", "inventory/rail-512", columns=120)
    assert "rules checked" in shown
    assert " left" not in shown.rpartition("\x1b[K")[2]


def test_a_long_cell_is_a_note_below_all_rows_that_have_it() -> None:
    long, other = "why " * 50, "because " * 50
    rows = [["a", long], ["b", "short"], ["c", long], ["d", other]]
    lines = terminal.table_lines(("name", "reason"), rows)
    assert [line.split() for line in lines[2:6]] == [
        ["a", "[1]"],
        ["b", "short"],
        ["c", "[1]"],
        ["d", "[2]"],
    ]
    notes = "\n".join(lines[6:])
    assert max(map(len, lines)) <= 100
    assert notes.split() == ["[1]", *long.split(), "[2]", *other.split()]
