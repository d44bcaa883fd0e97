"""Each object that a command prints as JSON says what it is: docs/reference/formats.md."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.runs import DEMO, ROOT, run

FORMATS = (ROOT / "docs/reference/formats.md").read_text()
COMMANDS = {
    "findings": ("check", DEMO),
    "findings of a proof": ("prove", DEMO),
    "whatif": ("whatif", DEMO, "--drain", "spine01"),
    "single-failures": ("whatif", DEMO, "--all-switches"),
    "storm": ("whatif", DEMO, "--storm", "gpu001:eth1", "--buffer-mib", "100"),
    "expectation": ("expect", DEMO),
    "probe-plan": ("probe", DEMO),
    "placement": ("place", DEMO, "--nodes", "1"),
    "error": ("place", DEMO, "--nodes", "9"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_object_names_its_form(name: str) -> None:
    ended = run(*COMMANDS[name], "--format", "json")
    told = json.loads(ended.out)
    form = f"rocefab-{name.partition(' ')[0]}/1"
    assert (next(iter(told)), told["format"]) == ("format", form)
    assert f"`{form}`" in FORMATS


def test_each_form_has_a_name_and_a_number() -> None:
    """The three that are older have a number alone, or another sign, which is promised."""
    row = next(line for line in FORMATS.splitlines() if line.startswith("| `--format json`"))
    assert all(
        re.fullmatch(r"rocefab-[a-z-]+/1", form) for form in re.findall(r"`(rocefab-.*?)`", row)
    )
