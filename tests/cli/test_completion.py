"""Completion, in the shells themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import ROOT, clean_environment, process

#: line, word before the cursor, some of the answers
CASES = [
    ("rocefab whatif inventory/demo --all-", {"--all-links", "--all-switches"}),
    ("rocefab che", {"check"}),
    ("rocefab check --fail-on ", {"error", "warning", "info"}),
    ("rocefab check inventory/dem", {"inventory/demo"}),
    ("rocefab explain inventory/demo spi", {"spine01", "spine02"}),
    ("rocefab plan inventory/demo --only spine01,su1-rail", {"spine01,su1-rail0"}),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with our examples, and the command in its `bin`."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "rocefab"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m fabric "$@"\n')
    command.chmod(0o755)
    (tmp_path / "inventory").symlink_to(ROOT / "inventory")
    return tmp_path


def answers(home: Path, *command: str) -> set[str]:
    path = f"{home / 'bin'}:{clean_environment()['PATH']}"
    done = subprocess.run(
        command,
        cwd=home,
        env={**clean_environment(), "PATH": path, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    return {line.split("\t")[0].strip() for line in done.stdout.splitlines()}


def needs(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed; make judges (root) installs it")
    return path


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_bash(home: Path, line: str, expected: set[str]) -> None:
    script = f"""
        eval "$(rocefab completion bash)"
        complete -p rocefab | grep -q -- '-F _rocefab_completion' || exit 1
        COMP_WORDS=({line}{" ''" if line.endswith(" ") else ""})
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _rocefab_completion rocefab
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    assert expected <= answers(home, needs("bash"), "--norc", "-c", script)


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish(home: Path, line: str, expected: set[str]) -> None:
    script = f"rocefab completion fish | source; complete --do-complete '{line}'"
    assert expected <= answers(home, needs("fish"), "--no-config", "-c", script)


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_zsh(home: Path, line: str, expected: set[str]) -> None:
    """The function of the script, with the words that the line editor would give it."""
    script = f"""
        compdef() {{ :; }}
        _files() {{ :; }}
        _arguments() {{ for one in ${{(f)1}}; do print -r -- $one; done; }}
        eval "$(rocefab completion zsh)"
        words=({line}{" ''" if line.endswith(" ") else ""})
        CURRENT=$#words
        _rocefab_completion
    """
    said = answers(home, needs("zsh"), "-f", "-c", script)
    words = {word for line in said for word in re.findall(r'(?:\(\(| )"([^"]+)"', line)}
    assert expected <= words


def test_a_wrong_inventory_completes_nothing(home: Path) -> None:
    (home / "fabric.yaml").write_text("fabric: [")
    words = {"COMP_WORDS": "rocefab plan --only s", "COMP_CWORD": "3"}
    ended = process(cwd=home, _ROCEFAB_COMPLETE="complete_bash", **words)
    assert (ended.code, ended.said.strip()) == (0, "")


def test_an_old_name_is_silent_while_a_line_is_completed(home: Path) -> None:
    words = {"COMP_WORDS": "rocefab draw --output x inventory/dem", "COMP_CWORD": "4"}
    ended = process(cwd=home, _ROCEFAB_COMPLETE="complete_bash", **words)
    assert (ended.out.split(), ended.err) == (["inventory/demo"], "")


def test_unknown_shells_are_refused() -> None:
    ended = process("completion", "tcsh")
    assert (ended.code, "'tcsh'" in ended.err) == (2, True)
