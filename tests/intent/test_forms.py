"""Text of a wanted form: messages tell the form in words, never as a regular expression."""

from __future__ import annotations

import re

import pytest

from fabric.intent.host_model import HostsFile
from fabric.intent.model import DevicesFile, FabricFile
from fabric.intent.scalars import FORMS
from fabric.intent.sku_model import PlatformsFile
from tests.cli.runs import DEMO, process

SIGNS = re.compile(r"\[[a-zA-Z0-9]-|\^|\$|\\|\{\d")


def patterns(schema: object) -> set[str]:
    """Return the patterns of a JSON Schema."""
    if isinstance(schema, list):
        return set().union(*map(patterns, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
    return own | set().union(*map(patterns, schema.values()))


@pytest.mark.parametrize("model", [FabricFile, DevicesFile, HostsFile, PlatformsFile])
def test_every_pattern_has_words(model) -> None:
    used = patterns(model.model_json_schema())
    assert used
    assert used <= set(FORMS)


def test_the_words_are_no_pattern() -> None:
    assert not [words for words in FORMS.values() if SIGNS.search(words)]


def test_a_message_has_no_pattern(tmp_path) -> None:
    text = (DEMO / "fabric.yaml").read_text()
    old = "sku: ACS-MSN4700"
    assert old in text
    folder = tmp_path / "inv"
    folder.mkdir()
    new = f"{old}, breakouts: [{{cages: '1', mode: two}}]"
    (folder / "fabric.yaml").write_text(text.replace(old, new, 1))
    ended = process("check", "inv", cwd=tmp_path)
    assert ended.code == 2
    assert "use number of ports and their speed, such as 2x400G [INT016]" in ended.err
