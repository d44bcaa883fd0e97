"""The password is asked for when that is wanted, and stays out of everything that is printed."""

from __future__ import annotations

import getpass
import os

from fabric.cli import main


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
