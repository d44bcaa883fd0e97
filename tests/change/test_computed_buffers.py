"""From the vendor's table to buffers that the switch computes, and back, on running switches."""

from __future__ import annotations

from fabric.systems.sonic.platforms import COMPUTED_PROFILE
from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from fabric.workflow.verify import drift
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
ALL = Selection()
TABLE, COMPUTED = "leaf: {sku: ACS-MSN4700}", "leaf: {sku: ACS-MSN4700, buffer_model: dynamic}"
SHARED = COMPUTED.replace("dynamic", "dynamic, headroom_over_subscription: 1")
#: One after the other: what stands in the inventory, and what comes in its place.
STEPS = (
    (TABLE, TABLE),
    (TABLE, COMPUTED),
    (COMPUTED, SHARED),
    (SHARED, COMPUTED),
    (COMPUTED, TABLE),
)


def profiles(leaf):
    return {row["profile"] for row in leaf.table("BUFFER_PG").values()}


def test_there_and_back(tmp_path, monkeypatch):
    """The second plan is empty each time, although the traditional model makes rows by itself."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(tmp_path / "inventory", labs.INVENTORY))
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        leaf = lab[labs.LEAF]
        for old, new in STEPS:
            project = labs.changed(tmp_path / "inventory", old, new)
            made = plan(project, connections, ALL, "rail", labs.silent)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert plan(project, connections, ALL, "rail", labs.silent).empty
            assert not [
                item for item in drift(project, connections, ALL, labs.silent) if item.drift
            ]
            computed = new != TABLE
            parameters = leaf.table("DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("AZURE", {})
            assert ("over_subscribe_ratio" in parameters) is (new == SHARED)
            assert (COMPUTED_PROFILE in profiles(leaf)) is computed
            assert bool(leaf.computed_groups) is computed
            assert any(name.startswith("pg_lossless_") for name in profiles(leaf)) is not computed
            made_rows = [n for n in leaf.table("BUFFER_PROFILE") if n.startswith("pg_lossless_")]
            assert bool(made_rows) is not computed


def test_drift_sees_another_alpha(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    text = labs.INVENTORY.replace(TABLE, COMPUTED)
    project = Project(labs.write_inventory(tmp_path / "inventory", text))
    with laboratory(project, tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        made = plan(project, connections, ALL, "rail", labs.silent)
        assert apply(made, tmp_path / "state", connections, OPTIONS, labs.silent).ok
        table = "DEFAULT_LOSSLESS_BUFFER_PARAMETER"
        lab[labs.LEAF].hand_edit(table, "AZURE", "default_dynamic_th", "-1")
        found = {item.device: item.drift for item in drift(project, connections, ALL, labs.silent)}
        [change] = found[labs.LEAF]
        assert change.path == f"{table}|AZURE|default_dynamic_th"
        assert (change.before, change.after) == ("-1", "0")
