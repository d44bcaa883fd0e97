"""Lines that must not be overlooked."""

from __future__ import annotations

import pytest

from fabric.cli import output

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
