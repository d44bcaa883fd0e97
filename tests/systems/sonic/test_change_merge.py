"""The merge with what runs: other ports stay, and what cannot stay beside the plan is named."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.core.errors import RefusedError
from fabric.platforms.catalogue import sku, sku_names
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.adapters.config import differences
from fabric.systems.sonic.adapters.foreign import conflicts
from fabric.systems.sonic.lab import SonicStandIn
from fabric.systems.sonic.lab.check import ConfigRefusedError, check_config
from tests.cases import each
from tests.change import labs
from tests.change.sonic_bench import Bench, config_of
from tests.render.designs import variant

LEAF = "su1-rail0"
TOKEN = "rocefab-run-1-1-abc"
MODELS = [name for name in sku_names() if sku(name).nos == "sonic" and sku(name).service_ports]
#: Models of which nothing is rendered: their image has no lossless buffers.
BARE = {name for name in MODELS if sku(name).lacks}


def leaf_of(folder, model):
    one = sku(model)
    speed = max(gbps for gbps in one.speeds_gbps if one.cable_lengths_m(gbps * 1000))
    changes = {
        "ACS-MSN4700": model,
        "host_gbps: 400": f"host_gbps: {speed}",
        "uplink_gbps: 400": f"uplink_gbps: {speed}",
    }
    return variant(folder / model, "demo", changes)[LEAF]


def everflow(config):
    """Return the ACL that minigraph makes: on every port."""
    return {
        "EVERFLOW": {
            "policy_desc": "EVERFLOW",
            "type": "MIRROR",
            "stage": "ingress",
            "ports": sorted(config["PORT"]),
        }
    }


def from_the_box(design):
    """Return what runs on a switch with the QoS of its image on all ports, and an ACL."""
    config = SonicStandIn.factory(design, "52:54:00:00:00:01")
    config["ACL_TABLE"] = everflow(config)
    config["SFLOW_SESSION"] = {port: {"admin_state": "up"} for port in config["PORT"]}
    config["BREAKOUT_CFG"] = {port: {"brkout_mode": "1x100G"} for port in config["PORT"]}
    config["SCHEDULER"] = {"scheduler.image": {"type": "DWRR", "weight": "14"}}
    config["DSCP_TO_TC_MAP"] = {"IMAGE": {str(dscp): "1" for dscp in range(64)}}
    config["QUEUE"] = {f"{port}|0": {"scheduler": "scheduler.image"} for port in config["PORT"]}
    config["PORT_QOS_MAP"] = {port: {"dscp_to_tc_map": "IMAGE"} for port in config["PORT"]}
    config["CABLE_LENGTH"] = {"AZURE": dict.fromkeys(config["PORT"], "300m")}
    return config


@each("model", [name for name in MODELS if name not in BARE])
def test_service_ports_stay_with_all_that_they_refer_to(tmp_path, model):
    design = leaf_of(tmp_path, model)
    running = from_the_box(design)
    target = sonic.compose(running, config_of(design))
    for port in sku(model).service_ports:
        assert target["PORT"][port.name] == running["PORT"][port.name]
        assert target["QUEUE"][f"{port.name}|0"] == {"scheduler": "scheduler.image"}
        assert target["CABLE_LENGTH"]["AZURE"][port.name] == "300m"
    assert "scheduler.image" in target["SCHEDULER"]
    assert "IMAGE" in target["DSCP_TO_TC_MAP"]
    assert target["QUEUE"]["Ethernet0|0"] == config_of(design)["QUEUE"]["Ethernet0|0"]
    assert conflicts(running, target) == []
    assert sonic.compose(target, config_of(design)) == target
    check_config(target)


def test_ports_that_no_model_tells_stay_too(tmp_path):
    """Lanes that no port of the fabric has: a part of a cage has those of its cage."""
    design = leaf_of(tmp_path, "ACS-MSN4700")
    running = SonicStandIn.factory(design, "52:54:00:00:00:01")
    running["PORT"]["Ethernet900"] = {"alias": "x", "lanes": "900", "speed": "10000"}
    running["PORT"]["Ethernet4"] = {"alias": "etp1c", "lanes": "4,5", "speed": "100000"}
    target = sonic.compose(running, config_of(design))
    assert "Ethernet900" in target["PORT"]
    assert "Ethernet4" not in target["PORT"]


CONFLICTS = {
    "a port channel": (
        {
            "PORTCHANNEL": {"PortChannel1": {"admin_status": "up"}},
            "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}},
        },
        "config portchannel member del PortChannel1 Ethernet0",
    ),
    "a mirror session": (
        {"MIRROR_SESSION": {"probe": {"type": "SPAN", "dst_port": "Ethernet0"}}},
        "config mirror_session remove probe",
    ),
    "a port that goes away": (
        {
            "PORT": {"Ethernet4": {"alias": "etp1c", "lanes": "4,5", "speed": "100000"}},
            "SFLOW_SESSION": {"Ethernet4": {"admin_state": "up"}},
        },
        "SFLOW_SESSION|Ethernet4 refers to Ethernet4",
    ),
    "a loopback that goes away": (
        {
            "LOOPBACK_INTERFACE": {"Loopback9": {}, "Loopback9|192.0.2.9/32": {}},
            "NTP": {"global": {"src_intf": ["Loopback9"]}},
        },
        "NTP|global refers to Loopback9",
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_conflicts_are_named_with_what_to_do(tmp_path, name):
    """What the models of SONiC would refuse once the plan is merged."""
    rows, said = CONFLICTS[name]
    design = leaf_of(tmp_path, "ACS-MSN4700")
    running = SonicStandIn.factory(design, "52:54:00:00:00:01")
    for table, more in rows.items():
        running[table] = {**running.get(table, {}), **more}
    check_config(running)
    target = sonic.compose(running, config_of(design))
    assert any(said in message for message in conflicts(running, target))
    with pytest.raises(ConfigRefusedError):
        check_config(target)


def test_the_way_back_is_taken_though_the_release_refuses_it(tmp_path):
    """A running configuration that breaks the models of its release, and a change by reload."""
    design = leaf_of(tmp_path, "ACS-MSN4700")
    dirty = SonicStandIn.factory(design, "52:54:00:00:00:01")
    dirty["ACL_TABLE"] = {"OLD": {"type": "L3", "stage": "ingress", "ports": ["Ethernet999"]}}
    with pytest.raises(ConfigRefusedError):
        check_config(dirty, "202505")
    bench = Bench(copy.deepcopy(dirty), "202505")
    before = bench.running()
    clean = {table: rows for table, rows in dirty.items() if table != "ACL_TABLE"}
    target = sonic.compose(clean, config_of(design))
    updater = sonic.updater(before)
    candidate = sonic.way(before.config, target, updater).candidate()
    assert candidate.method == "reload"
    bench.driver.stage(candidate, TOKEN)
    bench.driver.commit(candidate, TOKEN, 60)
    changed = bench.running()
    assert not differences(changed.config, target)
    bench.driver.rollback(TOKEN)  # by the timer's own script
    assert not differences(bench.running().config, before.config)
    bench.driver.stage(candidate, f"{TOKEN}-2")
    bench.driver.commit(candidate, f"{TOKEN}-2", 60)
    bench.driver.confirm(f"{TOKEN}-2")
    adapter_way = sonic.SonicAdapter().restore(before, bench.running())
    bench.driver.stage(adapter_way, f"{TOKEN}-3")  # by `rocefab rollback`, of the whole run
    bench.driver.commit(adapter_way, f"{TOKEN}-3", 60)
    assert not differences(bench.running().config, before.config)


def test_a_target_that_the_release_refuses_changes_nothing(tmp_path):
    """The check comes before the services stop."""
    design = leaf_of(tmp_path, "ACS-MSN4700")
    dirty = SonicStandIn.factory(design, "52:54:00:00:00:01")
    dirty["ACL_TABLE"] = {"OLD": {"type": "L3", "stage": "ingress", "ports": ["Ethernet999"]}}
    bench = Bench(dirty, "202505")
    before = bench.running()
    target = sonic.compose(before.config, config_of(design))
    candidate = sonic.way(before.config, target, sonic.updater(before)).candidate()
    bench.driver.stage(candidate, TOKEN)
    with pytest.raises(RefusedError, match="Ethernet999"):
        bench.driver.commit(candidate, TOKEN, 60)
    assert bench.switch.restarts == 0
    assert not differences(bench.running().config, before.config)


def test_plan_names_a_conflict_and_writes_nothing(tmp_path, monkeypatch):
    """In a process of its own, as a person at the terminal meets it."""
    with labs.running_lab(tmp_path, monkeypatch) as (lab, _, connections):
        leaf = lab[labs.LEAF]
        leaf.hand_edit("PORTCHANNEL", "PortChannel1", None, {"admin_status": "up"})
        leaf.hand_edit("PORTCHANNEL_MEMBER", "PortChannel1|Ethernet0", None, {})
        before = copy.deepcopy(leaf.running)
        command = [sys.executable, "-m", "fabric", "plan", str(tmp_path / "inventory")]
        done = subprocess.run(
            [*command, "--connections", str(connections), "--only", labs.LEAF],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[3],
        )
        assert done.returncode == 3, done.stderr
        assert "config portchannel member del PortChannel1 Ethernet0" in done.stderr
        assert leaf.running == before
