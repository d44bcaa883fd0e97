"""An inventory may be named by its folder or by its fabric.yaml; both mean the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.runs import DEMO, process, run

WORDS = {
    "check": "check {}",
    "explain": "explain {} su1-rail0 Ethernet0",
    "export": "export nccl {}",
    "place": "place {} --nodes 2",
    "render": "render {} --out out --force",
    "show cable": "show cable {} gpu001 eth1",
    "show links": "show links {}",
    "show platforms": "show platforms --inventory {}",
    "whatif": "whatif {} --fail switch:spine01",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DEMO, tmp_path / "inv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("verb", WORDS)
def test_the_file_means_its_folder(folder: Path, verb: str) -> None:
    by_folder = run(*WORDS[verb].format("inv").split())
    by_file = run(*WORDS[verb].format("inv/fabric.yaml").split())
    assert by_folder.code == 0, by_folder.err
    assert (by_file.code, by_file.out) == (by_folder.code, by_folder.out)


def test_the_file_in_the_variable_and_in_its_own_folder(folder: Path) -> None:
    by_variable = process("check", cwd=folder, ROCEFAB_INVENTORY="inv/fabric.yaml")
    assert by_variable.code == 0, by_variable.err
    inside = process("check", "fabric.yaml", cwd=folder / "inv")
    assert inside.code == 0, inside.err


def test_a_judged_file_and_an_inventory_of_the_variable(folder: Path) -> None:
    """A variable is a habit, not a wish: the option wins; two wishes are refused."""
    (folder / "x.json").write_text("{}")
    words = ("check", "--sonic-config", "x.json")
    ended = process(*words, cwd=folder, ROCEFAB_INVENTORY="inv")
    assert "x.json" in ended.out
    refused = process(*words, "inv", cwd=folder)
    assert refused.code == 2
    assert "pass one of them" in refused.err


@pytest.mark.parametrize("words", ["show rules QOS024", "show rules qos024", "explain QOS024"])
def test_one_rule_tells_all_of_itself(words: str) -> None:
    ended = run(*words.split())
    assert ended.code == 0
    for text in ("QOS024", "info", "model", "mtu.port_bytes", "buffer_headroom_mellanox.lua"):
        assert text in ended.out


def test_every_rule_can_be_told() -> None:
    from fabric.report.rules import is_rule_id, rule_details
    from fabric.validate.runner import all_rules

    for rule in all_rules():
        assert is_rule_id(rule.id)
        facts = dict(rule_details(rule.id).rows)
        assert all(facts.values())
    assert not is_rule_id("gpu001")
