"""What the EOS stand-in shows, compared with real answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabric.systems.eos.lab.view import ArpEntry
from tests.lab.eos_running import FULL, Served, serving, spec_of
from tests.reference import reference

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def module_served() -> Iterator[Served]:
    with serving(spec_of(FULL)) as one:
        yield one


@pytest.fixture
def served(module_served: Served) -> Iterator[Served]:
    yield module_served
    module_served.device.view.counters.clear()
    module_served.device.view.arp.clear()
    module_served.device.watch_bgp(lambda _ip: True)
    module_served.device.watch_light(lambda _port: True)
    with module_served.opened() as driver:
        driver.load_replace_candidate(config=FULL)
        driver.commit_config()


@pytest.fixture
def driver(module_served: Served) -> Iterator[Any]:
    with module_served.opened() as one:
        yield one


def ask(driver: Any, command: str) -> Any:
    """Return the JSON answer of one command."""
    return driver.device.run_commands([command])[0]


CAPTURES = {
    "show priority-flow-control counters": "show_priority-flow-control_counters",
    "show qos interfaces ecn counters queue": "show_qos_interfaces_ecn_counters_queue",
    "show interfaces counters queue detail": "show_interfaces_counters_queue_detail_trident",
    "show interfaces counters queue drops": "show_interfaces_counters_queue_drops_sand",
    "show interfaces counters errors": "show_interfaces_counters_errors",
    "show interfaces counters discards": "show_interfaces_counters_discards",
    "show interfaces status": "show_interfaces_status",
    "show lldp neighbors": "show_lldp_neighbors",
    "show lldp neighbors detail": "show_lldp_neighbors_detail_anta",
    "show ip bgp summary vrf all": "show_ip_bgp_summary_vrf_all",
    "show arp vrf all": "show_arp_vrf_all",
    "show mac address-table": "show_mac_address_table",
}


def shape(value: Any) -> Any:
    """Return keys and types, with names of ports, addresses and the like folded into ``*``."""
    if isinstance(value, dict):
        named = {key if key.isalpha() and key[0].islower() else "*" for key in value}
        folded: dict[str, Any] = {}
        for key, item in value.items():
            word = key if key in named else "*"
            folded[word] = shape(item)
        return folded
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def missing(real: Any, ours: Any, where: str = "") -> list[str]:
    """Return what the real answer has and ours has not."""
    if isinstance(real, dict) and isinstance(ours, dict):
        found = []
        for key, item in real.items():
            if key in ours:
                found += missing(item, ours[key], f"{where}.{key}")
            else:
                found.append(f"{where}.{key}")
        return found
    if isinstance(real, list) and isinstance(ours, list):
        return missing(real[0], ours[0], where + "[]") if real and ours else []
    return [] if real == ours else [f"{where}: {real} is not {ours}"]


@pytest.mark.parametrize("command", sorted(CAPTURES))
def test_shape_is_that_of_real_answers(command: str, driver: Any) -> None:
    path = reference("fixtures", "eos", f"{CAPTURES[command]}.json")
    real = json.loads(path.read_text(encoding="utf-8"))
    assert missing(shape(real), shape(ask(driver, command))) == []


def test_interfaces_have_the_fields_of_a_real_answer(driver: Any) -> None:
    path = reference("fixtures", "eos", "show_interfaces.json")
    real = json.loads(path.read_text(encoding="utf-8"))["interfaces"]["Management1"]
    ours = ask(driver, "show interfaces")["interfaces"]["Management1"]
    left_out = {"interfaceStatistics", "autoNegotiate", "loopbackMode"}
    assert set(real) - set(ours) <= left_out


def test_napalm_getters(driver: Any) -> None:
    peers = driver.get_bgp_neighbors()["global"]
    assert peers["router_id"] == "10.255.0.11"
    assert {ip: peer["is_up"] for ip, peer in peers["peers"].items()} == {
        "10.0.0.0": True, "10.0.0.2": True,
    }  # fmt: skip
    assert driver.get_lldp_neighbors()["Ethernet49/1"] == [
        {"hostname": "spine1", "port": "Ethernet1/1"}
    ]
    detail = driver.get_lldp_neighbors_detail()["Ethernet1/1"][0]
    assert (detail["remote_port"], detail["remote_chassis_id"]) == ("ens1np0", "02:00:00:00:00:01")
    assert driver.get_interfaces_ip()["Ethernet49/1"]["ipv4"] == {"10.0.0.1": {"prefix_length": 31}}
    assert driver.get_interfaces()["Ethernet1/1"]["mtu"] == 9214
    assert driver.get_mac_address_table()[0]["vlan"] == 101
    assert {row["ip"] for row in driver.get_arp_table()} == {"10.0.0.0", "10.0.0.2"}
    assert driver.get_interfaces_counters()["Ethernet1/1"]["rx_discards"] == 0


def test_texts(driver: Any) -> None:
    texts = driver.cli(["show version", "show lldp neighbors", "show interfaces status",
                        "show ip bgp summary vrf all", "show hostname"])  # fmt: skip
    assert "JPE00000001" in texts["show version"]
    assert "Et49/1     spine1" in texts["show lldp neighbors"]
    assert "Et1/1      GPU-NODE1-NIC1" in texts["show interfaces status"]
    assert "Estab" in texts["show ip bgp summary vrf all"]


def test_a_port_that_is_shut_down(served: Served, driver: Any) -> None:
    served.device.hand_edit("interface Ethernet49/1\n shutdown")
    status = ask(driver, "show interfaces status")["interfaceStatuses"]
    assert status["Ethernet49/1"]["linkStatus"] == "disabled"
    assert "Ethernet49/1" not in driver.get_lldp_neighbors()
    peers = ask(driver, "show bgp summary vrf all")["vrfs"]["default"]["peers"]
    assert peers["10.0.0.0"]["peerState"] == "Active"
    assert peers["10.0.0.2"]["peerState"] == "Established"


def test_what_the_rest_of_the_lab_says(served: Served, driver: Any) -> None:
    served.device.watch_bgp(lambda ip: ip != "10.0.0.2")
    assert driver.get_bgp_neighbors()["global"]["peers"]["10.0.0.2"]["is_up"] is False
    served.device.watch_light(lambda port: port != "Ethernet1/1")
    status = ask(driver, "show interfaces status")["interfaceStatuses"]
    assert status["Ethernet1/1"]["linkStatus"] == "notconnect"
    assert ask(driver, "show interfaces")["interfaces"]["Vlan101"]["lineProtocolStatus"] == "down"
    assert driver.get_mac_address_table() == []


def test_a_neighbour_that_is_shut_down(served: Served, driver: Any) -> None:
    served.device.hand_edit("router bgp 65101\n neighbor 10.0.0.0 shutdown")
    peer = driver.get_bgp_neighbors()["global"]["peers"]["10.0.0.0"]
    assert (peer["is_up"], peer["is_enabled"]) == (False, False)


def test_unnumbered_neighbours(served: Served, driver: Any) -> None:
    served.device.hand_edit(
        "router bgp 65101\n neighbor interface Ethernet49/1 peer-group FABRIC remote-as 65001"
    )
    peers = ask(driver, "show bgp summary vrf all")["vrfs"]["default"]["peers"]
    assert peers["fe80::1%Et49/1"]["peerState"] == "Established"
    assert "10.0.0.0" in driver.get_bgp_neighbors()["global"]["peers"]


def test_lldp_can_be_off(served: Served, driver: Any) -> None:
    served.device.hand_edit("interface Ethernet1/1\n no lldp receive")
    assert "Ethernet1/1" not in driver.get_lldp_neighbors()
    served.device.hand_edit("no lldp run")
    assert driver.get_lldp_neighbors() == {}


def test_counters_of_the_lossless_class(served: Served, driver: Any) -> None:
    assert ask(driver, "show priority-flow-control counters watchdog") == {"interfaces": {}}
    counted = served.device.count("Ethernet1/1")
    counted.pfc_rx_frames, counted.in_discards = 7, 2
    counted.ecn_marked[3], counted.queue_drops[3] = 9, 4
    counted.watchdog_stuck[3] = 1
    pfc = ask(driver, "show priority-flow-control counters")["interfaceCounters"]
    assert pfc["Ethernet1/1"] == {"rxFrames": 7, "txFrames": 0}
    assert ask(driver, "show priority-flow-control counters watchdog")["interfaces"] == {
        "Ethernet1/1": {"txQueues": {"3": {"stuckCount": 1, "recoveryCount": 0}}}
    }
    ecn = ask(driver, "show qos interfaces ecn counters queue")["intfQueueCounters"]
    assert ecn["Ethernet1/1"]["queueCounters"]["3"] == "9"
    assert ecn["Ethernet1/1"]["queueCounters"]["1"] == "-"
    assert ask(driver, "show interfaces counters discards")["inDiscardsTotal"] == 2
    queues = ask(driver, "show interfaces counters queue detail")["egressQueueCounters"]
    classes = queues["interfaces"]["Ethernet1/1"]["ucastQueues"]["trafficClasses"]
    assert classes["TC3"]["dropPrecedences"]["DP0"]["droppedPackets"] == 4


def test_arp_entries_of_hosts(served: Served, driver: Any) -> None:
    served.device.view.arp.append(ArpEntry("10.1.1.10", "02:00:00:00:00:01", "Vlan101", 5))
    assert ("10.1.1.10", "02:00:00:00:00:01") in {
        (row["ip"], row["mac"]) for row in driver.get_arp_table()
    }


def test_inventory_and_one_interface(driver: Any) -> None:
    assert ask(driver, "show inventory")["systemInformation"]["serialNum"] == "JPE00000001"
    assert list(ask(driver, "show interfaces Ethernet1/1")["interfaces"]) == ["Ethernet1/1"]
