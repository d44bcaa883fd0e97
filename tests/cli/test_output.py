"""Lines that must not be overlooked."""

from __future__ import annotations

import getpass
import os

import pytest

from fabric.cli import main, output

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
