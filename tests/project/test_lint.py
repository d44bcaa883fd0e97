"""What runs before a commit is what `make lint` runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
#: Steps of `make lint` that are no hook: the lock is checked by uv, shell scripts where possible.
NOT_HOOKS = {"uv", "if"}
PARTS = ("lint-types", "lint-form")


def make_lint() -> set[str]:
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    assert f"-j 2 {' '.join(PARTS)}\n" in text
    recipes = [re.search(rf"^{part}:.*\n((?:\t.*\n)+)", text, re.MULTILINE) for part in PARTS]
    assert all(recipes)
    found = set()
    for line in "".join(recipe[1] for recipe in recipes if recipe).splitlines():
        command = line.strip().lstrip("@").replace("$(BIN)/", "").replace("$(UV)", "uv")
        words = shlex.split(command.replace("$(TEMPLATES)", "")) if "if " not in command else ["if"]
        if words[0] not in NOT_HOOKS:
            found.add(shlex.join(words))
    return found


def hooks():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repo,) = config["repos"]
    assert repo["repo"] == "local"
    return repo["hooks"]


def test_the_commands_are_the_same() -> None:
    entries = {shlex.join(hook["entry"].removeprefix(".venv/bin/").split()) for hook in hooks()}
    assert entries == make_lint()


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_hooks_use_the_locked_tools(hook: dict) -> None:
    assert hook["language"] == "system"
    assert hook["entry"].startswith(".venv/bin/")
    assert (ROOT / hook["entry"].split()[0]).exists()


def test_the_templates_that_are_linted_are_all() -> None:
    (j2lint,) = [hook for hook in hooks() if hook["id"] == "j2lint"]
    templates = [str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*.j2")]
    assert templates
    assert all(re.search(j2lint["files"], path) for path in templates)


def test_no_merge_is_half_done() -> None:
    """No text has the marks that git leaves where two sides differ."""
    folders = ("docs", "fabric", "inventory", "playbooks", "templates", "tests")
    texts = [*ROOT.glob("*.*"), *(path for name in folders for path in (ROOT / name).rglob("*.*"))]
    marks = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)
    assert texts
    assert not [str(one) for one in texts if one.is_file() and marks.search(one.read_bytes())]


def test_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.split()[:3] == ["Apache", "License", "Version"]
    for number in range(1, 10):
        assert re.search(rf"^   {number}\. ", text, re.MULTILINE)
    assert "END OF TERMS AND CONDITIONS" in text
    assert len(text.splitlines()) == 202
