"""Results that are kept between runs, and how the rest is made."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from fabric.core.artefact import Artefact
from fabric.core.content import content_of
from fabric.core.findings import Finding, Position, Severity
from fabric.render.manifest import written
from fabric.validate.rule import rules
from fabric.validate.runner import Outcome
from fabric.workflow import store as module
from fabric.workflow import work as work_module
from fabric.workflow.check import check
from fabric.workflow.checked_cache import checked_from_bytes, checked_to_bytes
from fabric.workflow.project import Project
from fabric.workflow.render import render
from fabric.workflow.stages import Checked, Keep, Stage
from fabric.workflow.store import Store, code_version, user_folder
from fabric.workflow.work import Work, same, work_of
from tests.cli.runs import run
from tests.intent.test_own_skus import FILES
from tests.intent.test_own_skus import write as write_own
from tests.topology.fabrics import INVENTORY

RAIL = INVENTORY / "rail-512"
ROOT = INVENTORY.parent


def shout(word: str) -> str:
    return word.upper()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def made(folder, inputs, kind="word"):
    """Return results, and how many of them were made now."""
    work = Work(Store(folder))
    stage = Stage(kind, "words", shout, keep=Keep(str.encode, str.encode, bytes.decode))
    return work.each(stage, inputs, again=same), work.made[kind]


def test_what_was_made_before_is_not_made_again(folder):
    assert made(folder, {"a": "x", "b": "y"}) == ({"a": "X", "b": "Y"}, 2)
    assert made(folder, {"c": "y", "a": "x", "d": "z"}) == ({"c": "Y", "a": "X", "d": "Z"}, 1)
    assert made(folder, {"a": "x"}, "other")[1] == 1
    assert made(None, {"a": "x"})[1] == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def test_other_code_makes_everything_anew(folder, monkeypatch):
    made(folder, {"a": "x"})
    monkeypatch.setattr(work_module, "code_version", lambda: "other")
    assert made(folder, {"a": "x"})[1] == 1


def test_the_version_of_the_code_follows_every_file(tmp_path, monkeypatch):
    root = tmp_path / "package"
    (root / "deep").mkdir(parents=True)
    file = root / "deep" / "a.j2"
    file.write_text("one")
    before = set(module._files(root))
    file.write_text("two")
    os.utime(file, ns=(1, 1))
    assert set(module._files(root)) != before
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "a.py").write_text("")
    assert len(set(module._files(root))) == 1
    for count, name in enumerate(("chip.toml", "table.ini", "page.html"), start=2):
        (root / name).write_text("of any form")
        assert len(set(module._files(root))) == count
    assert len(code_version()) == 64
    own = b"".join(module._files(Path(module.__file__).parents[1]))
    assert b"asics/spectrum-3.toml" in own
    assert b"skus/ACS-MSN4700.toml" in own


def damage(file):
    file.write_bytes(b"no database" * 1000)


def lie(file):
    with sqlite3.connect(file) as base:
        base.execute("UPDATE results SET result = x'00'")


@pytest.mark.parametrize("harm", [damage, lie, Path.unlink])
def test_a_damaged_store_is_made_anew(folder, harm):
    made(folder, {"a": "x"})
    harm(folder / "results.sqlite")
    assert made(folder, {"a": "x"}) == ({"a": "X"}, 1)
    assert made(folder, {"a": "x"})[1] == 0


def test_a_folder_that_others_can_write_is_not_trusted(folder):
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    assert made(folder, {"a": "x"})[1] == 1
    assert made(folder, {"a": "x"})[1] == 1
    assert not list(folder.iterdir())


def test_without_a_folder_everything_works(tmp_path):
    (tmp_path / "file").write_text("")
    assert made(tmp_path / "file" / "cache", {"a": "x"}) == ({"a": "X"}, 1)


def test_the_oldest_results_go(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_RESULTS", 3)
    made(folder, {"a": "x"})
    made(folder, {"b": "y", "c": "z", "d": "w"})
    assert made(folder, {"b": "y", "c": "z", "d": "w"})[1] == 0
    assert made(folder, {"a": "x"})[1] == 1


def test_many_keys_are_asked_for_at_once(folder):
    words = {str(number): f"w{number}" for number in range(1203)}
    assert made(folder, words)[1] == 1203
    assert made(folder, words)[1] == 0


def test_results_are_made_anew_where_they_cannot_be_taken_again(folder):
    made(folder, {"a": "x", "b": "y"})
    work = Work(Store(folder))
    stage = Stage("word", "words", shout, keep=Keep(str.encode, str.encode, bytes.decode))
    assert work.each(stage, {"a": "x", "b": "y"}, again={"X": "kept"}.get) == {
        "a": "kept",
        "b": "Y",
    }
    assert work.made["word"] == 1
    assert work.each(stage, {"a": "x"}) == {"a": "X"}
    assert work.made["word"] == 2


def test_content_is_compared():
    one, two = MappingProxyType({"a": 1}), MappingProxyType({"a": 1})
    assert content_of(one) == content_of(two) != content_of({"a": 2})


FINDING = Finding("QOS001", Severity.WARNING, "it is", "do not", "lossless", None, "a", "b")


def test_what_is_kept_of_a_switch():
    placed = replace(FINDING, position=Position("fabric.yaml", 3, 4))
    others = tuple(rule for rule in rules if rule != "QOS001")
    outcome = Outcome((FINDING,), ("QOS001",), others, ())
    file = Artefact("a", "sonic", "config_db", "a/config_db.json", b"{}")
    checked = Checked([placed], {}, [file], outcome)
    kept = checked_from_bytes(checked_to_bytes(checked))
    assert kept == replace(checked, files=[], written=[written(file)])
    for worse in (
        replace(checked, files=[]),
        replace(checked, broken={"QOS001": "KeyError"}),
        replace(checked, outcome=replace(outcome, broken=(("QOS001", "KeyError"),))),
    ):
        assert checked_to_bytes(worse) is None


@pytest.fixture
def rail(tmp_path):
    """Return a function that renders a copy of the example; it tells what was made."""
    copy = tmp_path / "rail"
    shutil.copytree(RAIL, copy)

    def once(out="out", **options):
        work = Work(Store(tmp_path / "cache"), **options)
        render(Project(copy, work), tmp_path / out)
        return work.made, digest(tmp_path / out)

    return copy / "fabric.yaml", once


def digest(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_file_that_is_gone_is_made_again(rail):
    file, once = rail
    once()
    out = file.parent.parent / "out"
    gone, beside = (
        out / "switches/su1-rail0/config_db.json",
        out / "switches/su1-rail1/config_db.json",
    )
    assert gone.exists()
    before = beside.stat().st_ino
    gone.unlink()
    again, _ = once()
    assert again == Counter({"checked switch": 1, "host": 0})
    assert gone.exists()
    assert beside.stat().st_ino == before


def test_one_line_touches_what_depends_on_it(rail):
    file, once = rail
    first, _ = once()
    assert first == Counter({"checked switch": 24, "host": 64})
    again, _ = once()
    assert not +again
    (file.parent / "devices").mkdir()
    (file.parent / "devices" / "one.yaml").write_text(
        "devices:\n  - {names: su1-rail0, ports: {Ethernet0: {description: spare}}}\n"
    )
    one, _ = once()
    assert one == Counter({"checked switch": 1, "host": 0})
    (file.parent / "hosts").mkdir()
    (file.parent / "hosts" / "one.yaml").write_text(
        "hosts:\n  - {names: gpu001, traits: {network_stack: networkd}}\n"
    )
    before = digest(file.parent.parent / "out")
    host, after = once()
    assert host["host"] == 1
    changed = {path for path, _ in before.items() ^ after.items()}
    assert {path.split("/")[1] for path in changed if "/" in path} == {"gpu001"}
    file.write_text(file.read_text().replace("[192.0.2.20]", "[192.0.2.21]"))
    every, _ = once()
    assert every == Counter({"checked switch": 24, "host": 64})
    elsewhere, _ = once("elsewhere")  # what is kept holds no files
    assert elsewhere == Counter({"checked switch": 24, "host": 64})


def test_processes_and_executors_make_the_same_bytes(rail):
    _, once = rail
    work, alone = once("alone")
    assert +work
    shutil.rmtree(rail[0].parent.parent / "cache")
    work, split = once("split", workers=2)
    assert work["host"] == 64
    shutil.rmtree(rail[0].parent.parent / "cache")
    with ThreadPoolExecutor(2) as pool:
        _, source = once("given", executor=pool)
    assert alone == split == source


def test_findings_are_the_same_from_the_store(folder, monkeypatch):
    demo = Project(INVENTORY / "demo", Work(Store(folder)))
    first = check(demo)
    second = check(Project(INVENTORY / "demo", Work(Store(folder))))
    assert first == second == check(Project(INVENTORY / "demo"))
    ignored = check(Project(INVENTORY / "demo", Work(Store(folder))), ["SON001"])
    assert "SON001" in ignored.skipped
    assert "SON001" in first.checked


def test_a_model_of_the_inventory_is_known_to_the_rules(folder, tmp_path):
    """Its lookup table is in the inventory alone."""
    own = write_own(tmp_path / "own", FILES)
    for _ in range(2):
        result = check(Project(own, Work(Store(folder)))).findings
        assert "SON014" not in {item.rule for item in result}


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.delenv("ROCEFAB_FRESH")
    words = ("render", INVENTORY / "demo", "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    files = len([*json.loads(run(*words, "--format", "json").out)])
    again = f"0 files added, 0 files changed, 0 files removed, {files} files unchanged"
    assert again in run(*words).err
    assert again in run(*words, "--fresh").err
    leaf = next((tmp_path / "out").rglob("config_db.json"))
    shutil.rmtree(tmp_path / "out")
    assert f"{files} files added, 0 files changed" in run(*words).err
    assert leaf.exists()
    assert run("check", INVENTORY / "demo", "--cache", tmp_path / "cache").code == 0


def test_where_results_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_folder() == tmp_path / "rocefab"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert user_folder() == tmp_path / "home" / ".cache" / "rocefab"
    assert work_of(None, fresh=True).store._base is None
