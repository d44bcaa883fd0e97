"""A plan says what it was made of, and is rejected when that is another one, or long ago."""

from __future__ import annotations

import dataclasses
import json
import shutil
import time
from pathlib import Path

import pytest

from fabric.change.apply import Options
from fabric.change.journal import Journal
from fabric.change.model import parse_plan
from fabric.core.errors import StalePlanError
from fabric.intent.contents import copy_inventory, inventory_hash
from fabric.intent.documents import DEFECTS_FOLDER, KINDS
from fabric.workflow import apply as workflow
from fabric.workflow.plan import origin_of
from fabric.workflow.plan_text import describe
from tests.change import memory_fabric
from tests.cli.runs import process
from tests.repository import commit_all, git

EXAMPLES = Path(__file__).parents[2] / "inventory"
H = 3600


@pytest.fixture
def inventory(tmp_path):
    return shutil.copytree(EXAMPLES / "mixed", tmp_path / "inventory")


@pytest.fixture
def devices(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch)
    memory_fabric.create(tmp_path)
    monkeypatch.setattr(workflow, "reachable_by", lambda *_: memory_fabric.connections(tmp_path))
    return tmp_path


@pytest.fixture
def plan(devices, inventory):
    return dataclasses.replace(memory_fabric.make_plan(devices), origin=origin_of(inventory))


def apply(folder, plan, said=None, **freshness):
    said = [] if said is None else said
    return workflow.apply(
        plan,
        folder / "state",
        None,
        Options(poll_s=0.01),
        lambda *words: said.append(words),
        freshness=workflow.Freshness(**freshness),
    )


def aged(plan, seconds):
    origin = dataclasses.replace(plan.origin, made=time.time() - seconds)
    return dataclasses.replace(plan, origin=origin)


def test_a_fresh_plan_is_applied(devices, plan):
    assert apply(devices, parse_plan(plan.to_json(), "plan.json")).ok


def test_the_report_and_the_file_name_the_origin(plan, inventory):
    assert f"from {inventory}" in describe(plan)
    data = json.loads(plan.to_json())["origin"]
    assert data["sha256"] == inventory_hash(inventory)
    assert parse_plan(plan.to_json(), "plan").origin == plan.origin


@pytest.mark.parametrize("file", ["fabric.yaml", "devices/systems.yaml", "hosts/new.yaml"])
def test_a_changed_inventory_is_rejected_before_anything_begins(devices, plan, inventory, file):
    (inventory / file).parent.mkdir(exist_ok=True)
    with (inventory / file).open("a") as stream:
        stream.write("# another line\n")
    with pytest.raises(StalePlanError, match="changed after the plan.*--despite-inventory"):
        apply(devices, plan)
    assert not (devices / "state").exists()
    said = []
    assert apply(devices, plan, said, despite_inventory=True).ok
    assert any("applied although the inventory" in text for _, text in said)
    first = Journal(devices / "state").events(1)[0]
    assert "applied although the inventory" in first.detail


def test_a_removed_file_counts_and_files_of_others_do_not(inventory):
    before = inventory_hash(inventory)
    (inventory / "plan.json").write_text("{}")
    (inventory / "devices" / ".hidden").write_text("x")
    assert inventory_hash(inventory) == before
    (inventory / "devices" / "systems.yaml").unlink()
    assert inventory_hash(inventory) != before


def test_every_folder_of_an_inventory_counts_and_is_copied(inventory, tmp_path):
    hashes = {inventory_hash(inventory)}
    for kind in (*KINDS, DEFECTS_FOLDER):
        (inventory / kind).mkdir(exist_ok=True)
        (inventory / kind / "own.txt").write_text(kind)
        hashes.add(inventory_hash(inventory))
    assert len(hashes) == 1 + len(KINDS) + 1
    copied = tmp_path / "copy" / inventory.name
    copy_inventory(inventory, copied)
    assert inventory_hash(inventory) == inventory_hash(copied)


def test_the_other_fabric_of_a_site_counts(tmp_path):
    site = shutil.copytree(EXAMPLES / "site", tmp_path / "site")
    before = inventory_hash(site / "fabrics" / "compute")
    with (site / "fabrics" / "storage" / "fabric.yaml").open("a") as stream:
        stream.write("# another line\n")
    assert inventory_hash(site / "fabrics" / "compute") != before


def test_an_old_plan_is_rejected(devices, plan):
    with pytest.raises(
        StalePlanError, match=r"25\.0 h old, at most 24\.0 h is allowed.*despite-age"
    ):
        apply(devices, aged(plan, 25 * H))
    assert not (devices / "state").exists()
    with pytest.raises(StalePlanError, match=r"30\.0 min old, at most 10\.0 min"):
        apply(devices, aged(plan, 1800), max_age_s=600)
    assert apply(devices, aged(plan, 25 * H), despite_age=True).ok


def test_a_plan_of_the_future_is_rejected(devices, plan):
    with pytest.raises(StalePlanError, match="dated 60 min in the future"):
        apply(devices, aged(plan, -H))


def test_an_inventory_that_is_elsewhere_is_named(devices, plan, inventory):
    (devices / "elsewhere").mkdir()
    moved = inventory.rename(devices / "elsewhere" / inventory.name)
    with pytest.raises(StalePlanError, match=r"is not on this machine.*; add --inventory"):
        apply(devices, plan)
    assert not (devices / "state").exists()
    assert apply(devices, plan, inventory=moved).ok


def test_an_inventory_that_is_nowhere_is_in_the_journal(devices, plan, inventory):
    shutil.rmtree(inventory)
    said = []
    assert apply(devices, plan, said, despite_inventory=True).ok
    assert "is not on this machine" in said[0][1]
    assert "is not on this machine" in Journal(devices / "state").events(1)[0].detail


def test_a_plan_of_the_earlier_format_is_read(devices, plan):
    import hashlib

    body = json.loads(plan.to_json())
    del body["digest"], body["origin"]
    body["format"] = 2
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    old = parse_plan(json.dumps({"digest": digest, **body}), "plan.json")
    assert old.origin is None
    with pytest.raises(StalePlanError, match=r"does not name its inventory.*; add --inventory"):
        apply(devices, old)
    assert apply(devices, old, despite_inventory=True).ok


def test_the_revision_says_whether_files_were_committed(inventory):
    assert origin_of(inventory).revision == ""
    git(inventory, "init", "-q")
    commit_all(inventory, "first")
    assert origin_of(inventory).revision == git(inventory, "rev-parse", "HEAD")
    (inventory / "fabric.yaml").write_text("name: x\n")
    assert origin_of(inventory).revision == git(inventory, "rev-parse", "HEAD") + "+changes"


def test_a_dry_run_says_what_would_be_rejected(devices, plan):
    (devices / "plan.json").write_text(aged(plan, 25 * H).to_json())
    ended = process("apply", devices / "plan.json", cwd=devices)
    assert ended.code == 0
    assert "would be rejected: the plan is 25.0 h old" in ended.err
    words = ("apply", devices / "plan.json", "--commit", "--state", devices / "state")
    ended = process(*words, cwd=devices)
    assert ended.code == 2
    assert process(*words, "--max-age", "soon", cwd=devices).code == 2
    assert not (devices / "state").exists()
