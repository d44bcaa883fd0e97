"""Names with a domain: from the inventory to devices and back."""

from __future__ import annotations

import pytest

from fabric.topology.cabling import CableVerdict
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.cabling import cabling
from fabric.workflow.rollback import rollback
from tests.change import labs
from tests.change.labs import planned
from tests.cli.runs import run
from tests.exchange.plants import FABRIC_FORMS, read

LEAVES = 'leaf_names: "leaf1.dc1"\n'
DOTTED = labs.INVENTORY.replace("hosts: gpu1", "hosts: gpu1.dc1.example").replace(
    "units:", f"{LEAVES}units:"
)
OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


@pytest.mark.parametrize(
    ("sku", "name", "said"),
    [
        ("7060X6-64PE", "spine1.dc1", "the name 'spine1.dc1' contains a dot"),
        ("N9K-C9364D-GX2A", "spine1.dc1", "contains a dot"),
        ("QFX5230-64CD", "spine_1", "contains an underscore"),
        ("SN5600", "spine_1", "contains an underscore"),
        ("CE8851-32CQ8DQ-P", "spine1.dc1", "contains a dot"),
        ("S9820-64H", "spine1.dc1", "contains a dot"),
        ("Z9664F-ON", "spine1.dc1", "contains a dot"),
    ],
)
def test_a_name_that_a_system_does_not_take_is_an_error(tmp_path, sku, name, said) -> None:
    text = labs.INVENTORY.replace("7060X6-64PE", sku).replace(
        "units:", f"spine_names: {name}\nunits:"
    )
    ended = run("check", labs.write_inventory(tmp_path / "i", text))
    line = next(line for line in ended.out.splitlines() if f"the name '{name}'" in line)
    assert said in line
    assert "fabric.yaml:4:1: fabric.spine_names: " in line
    assert line.startswith("error: ")


@pytest.mark.parametrize("name", ["leaf1.", ".leaf1", "leaf1..dc1", "leaf1.-dc1", "leaf1.dc1-"])
def test_labels_are_not_empty_and_begin_and_end_as_names_do(tmp_path, name) -> None:
    text = labs.INVENTORY.replace("units:", f'leaf_names: "{name}"\nunits:')
    ended = run("check", labs.write_inventory(tmp_path / "i", text))
    assert ended.code == 2
    assert "is not a device name; use letters, digits" in ended.err


@pytest.mark.parametrize("form", [form for form in FABRIC_FORMS if form != "netlab"])
def test_every_form_keeps_a_domain(tmp_path, form) -> None:
    folder = labs.write_inventory(tmp_path / "i", DOTTED)
    assert run("export", form, folder, "--out", tmp_path / "o").code == 0
    parts = [path for path in (tmp_path / "o").iterdir() if path.name != "manifest.json"]
    plant = read(form, parts[0] if len(parts) == 1 else tmp_path / "o").plant
    assert {*plant.device} == {"leaf1.dc1", "spine01", "gpu1.dc1.example"}


def test_a_dot_is_a_level_of_netlab(tmp_path) -> None:
    folder = labs.write_inventory(tmp_path / "i", DOTTED)
    ended = run("export", "netlab", folder, "--out", tmp_path / "o")
    assert ended.code == 2
    assert "leaf1.dc1 has a dot, which starts a level of a netlab topology" in ended.err


def test_a_lab_with_domains_is_planned_changed_and_rolled_back(tmp_path, monkeypatch) -> None:
    with labs.running_lab(tmp_path, monkeypatch, DOTTED) as (_, project, connections):
        state = tmp_path / "state"
        plan = planned(project, connections)
        assert {*plan.devices} == {"leaf1.dc1", "spine01", "gpu1.dc1.example"}
        result = apply(plan, state, connections, OPTIONS, labs.silent)
        assert result.ok, result.reasons
        seen = cabling(project, connections, labs.ALL, labs.silent)
        assert {item.verdict for item in seen.judged} == {CableVerdict.OK}
        assert labs.unhealthy(project, connections) == []
        assert rollback(status(state)[-1]["run"], state, connections, labs.silent).ok
