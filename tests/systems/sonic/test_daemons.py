"""What orchagent and the buffer manager make of changes, as seen with the daemons themselves."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from fabric.systems.sonic.daemons import Daemons
from fabric.systems.sonic.gcu import RELEASES
from tests.change.sonic_bench import Bench

PORT, NAME = "Ethernet0", "pg_lossless_400000_5m_profile"


def config() -> dict[str, Any]:
    """Return a switch with one lossless port."""
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": "leaf",
                "hwsku": "ACS-MSN4700",
                "platform": "x86_64-mlnx_msn4700-r0",
                "mac": "52:54:00:00:00:01",
            }
        },
        "PORT": {
            PORT: {"lanes": "0,1", "speed": "400000", "admin_status": "up", "alias": "etp1"},
        },
        "CABLE_LENGTH": {"AZURE": {PORT: "5m"}},
        "DSCP_TO_TC_MAP": {"AZURE": {"26": "3"}},
        "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3"}},
        "PORT_QOS_MAP": {
            PORT: {
                "dscp_to_tc_map": "AZURE",
                "tc_to_queue_map": "AZURE",
                "tc_to_pg_map": "AZURE",
                "pfc_enable": "3",
                "pfcwd_sw_enable": "3",
            }
        },
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "40000000"},
        },
        "BUFFER_PROFILE": {
            NAME: {"pool": "ingress_lossless_pool", "xoff": "38912", "size": "86016",
                   "xon": "37888", "dynamic_th": "0"},
            "egress": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"},
        },
        "BUFFER_PG": {f"{PORT}|3": {"profile": NAME}},
        "BUFFER_QUEUE": {f"{PORT}|3": {"profile": "egress"}},
        "PFC_WD": {PORT: {"action": "drop", "detection_time": "400", "restoration_time": "400"}},
    }  # fmt: skip


def switch(asic: str = "mellanox") -> Daemons:
    return Daemons(config(), asic)


def test_all_guards_at_boot() -> None:
    assert switch().lossless() == {(PORT, 26): {"headroom", "watchdog"}}


def test_a_watchdog_keeps_its_action_until_it_is_set_again() -> None:
    device = switch()
    device.config["PFC_WD"][PORT]["action"] = "forward"
    device.see()
    assert device.watched == {PORT: {3: "drop"}}
    row = device.config["PFC_WD"].pop(PORT)
    device.see()
    assert device.watched == {}
    device.config["PFC_WD"][PORT] = row
    device.see()
    assert device.watched == {PORT: {3: "forward"}}


def test_a_watchdog_stays_on_its_queue_when_the_priority_moves() -> None:
    device = switch()
    device.config["PORT_QOS_MAP"][PORT] |= {"pfc_enable": "4", "pfcwd_sw_enable": "4"}
    device.see()
    assert device.watched == {PORT: {3: "drop"}}


def test_a_watchdog_waits_for_its_mask() -> None:
    device = switch()
    del device.config["PFC_WD"][PORT]
    del device.config["PORT_QOS_MAP"][PORT]["pfcwd_sw_enable"]
    device.see()
    device.config["PFC_WD"][PORT] = {"action": "drop", "detection_time": "400"}
    device.see()
    assert device.watched == {}
    device.config["PORT_QOS_MAP"][PORT]["pfcwd_sw_enable"] = "3"
    device.see()
    assert device.watched == {PORT: {3: "drop"}}


@pytest.mark.parametrize(("asic", "reclaims"), [("mellanox", True), ("broadcom", False)])
def test_groups_of_a_port_that_is_down(asic: str, *, reclaims: bool) -> None:
    device = switch(asic)
    device.config["PORT"][PORT]["admin_status"] = "down"
    device.see()
    assert ("BUFFER_PG" not in device.config) == reclaims
    device.config["PORT"][PORT]["admin_status"] = "up"
    device.see()
    assert device.config["BUFFER_PG"] == {f"{PORT}|3": {"profile": NAME}}


def test_a_group_with_another_profile_is_not_reclaimed() -> None:
    device = switch()
    device.config["BUFFER_PROFILE"]["own"] = device.config["BUFFER_PROFILE"][NAME]
    device.config["BUFFER_PG"][f"{PORT}|3"]["profile"] = "own"
    device.config["PORT"][PORT]["admin_status"] = "down"
    device.see()
    assert device.config["BUFFER_PG"] == {f"{PORT}|3": {"profile": "own"}}
    device.config["PORT"][PORT]["admin_status"] = "up"
    device.see()
    assert device.config["BUFFER_PG"] == {f"{PORT}|3": {"profile": NAME}}, "and is replaced"


def test_priorities_are_taken_as_groups() -> None:
    device = switch()
    device.config["PORT_QOS_MAP"][PORT]["pfc_enable"] = "3,4"
    device.see()
    assert device.config["BUFFER_PG"] == {
        f"{PORT}|3": {"profile": NAME},
        f"{PORT}|3-4": {"profile": NAME},
    }


def test_a_map_that_was_empty_stays_as_it_was() -> None:
    device = switch()
    device.config["DSCP_TO_TC_MAP"]["AZURE"] = {}
    device.see()
    device.config["DSCP_TO_TC_MAP"]["AZURE"] = {"24": "3"}
    device.see()
    assert device.rows["DSCP_TO_TC_MAP"] == {"AZURE": {"26": "3"}}


def test_a_map_that_goes_while_ports_refer_to_it_never_comes_back() -> None:
    device = switch()
    row = device.config["DSCP_TO_TC_MAP"].pop("AZURE")
    device.see()
    device.config["DSCP_TO_TC_MAP"]["AZURE"] = {**row, "24": "3"}
    device.see()
    assert device.rows["DSCP_TO_TC_MAP"] == {"AZURE": {"26": "3"}}


def test_a_map_is_extended_and_then_cut() -> None:
    device = switch()
    for row in ({"26": "3", "24": "3"}, {"24": "3"}):
        device.config["DSCP_TO_TC_MAP"]["AZURE"] = row
        device.see()
    assert device.rows["DSCP_TO_TC_MAP"] == {"AZURE": {"24": "3"}}


def test_a_range_that_goes_clears_queues_of_another() -> None:
    device = switch()
    device.config["BUFFER_QUEUE"][f"{PORT}|3-4"] = {"profile": "egress"}
    device.see()
    del device.config["BUFFER_QUEUE"][f"{PORT}|3"]
    device.see()
    assert set(device.rows["BUFFER_QUEUE"]) == {f"{PORT}|4"}


@pytest.mark.parametrize("release", RELEASES)
def test_a_patch_of_groups_ends_with_ports_down(release: str) -> None:
    """On NVIDIA with the static model, up to the release that reads CONFIG_DB once."""
    running = config()
    running["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"] = running["BUFFER_PROFILE"][NAME]
    bench = Bench(running, release)
    path = f"/BUFFER_PG/{PORT}|3/profile"
    value = "pg_lossless_400000_40m_profile"
    bench.switch.fs.put(
        "/tmp/p.json", json.dumps([{"op": "replace", "path": path, "value": value}])
    )
    code, text = bench.switch.run_detached("sudo -n config apply-patch /tmp/p.json 2>&1")
    assert code != 0
    assert bench.switch.orchestration.up(PORT) == (release == "master")
    assert ("non-existent object" in text) == (release != "master")


def test_no_interface_works_without_a_mac() -> None:
    running = copy.deepcopy(config())
    running["INTERFACE"] = {PORT: {}, f"{PORT}|10.0.0.1/31": {}}
    bench = Bench(running)
    assert bench.switch.addresses() == {"10.0.0.1": PORT}
    bench.switch.hand_edit("DEVICE_METADATA", "localhost", "mac", None)
    assert bench.switch.addresses() == {}
