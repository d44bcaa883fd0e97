"""EOS's state and counters: recorded answers, small answers, damage."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.collect import merged
from fabric.observe.parsers import UnreadableError
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    MacEntry,
    NeighbourEntry,
    Optic,
    QueueCounters,
    Sensor,
    SystemFacts,
)
from fabric.systems.eos.parsers import EosParser
from fabric.systems.eos.parsers import optics as eos_optics
from fabric.systems.eos.parsers import state as eos_state
from tests.cases import each
from tests.observe.test_fixtures import recorded

PORT = {
    "lineProtocolStatus": "up",
    "interfaceStatus": "connected",
    "bandwidth": 400_000_000_000,
    "mtu": 9214,
    "description": "su1-rail0",
    "interfaceCounters": {"inOctets": 7, "outOctets": 8, "inDiscards": 1, "outDiscards": 2},
}
QUEUES = {"TC3": {"dropPrecedences": {"DP0": {"droppedPackets": 4}, "DP1": {"droppedPackets": 1}}}}
#: Reading -> parser, a small answer, and what it tells.
CASES: dict[str, tuple[Callable[[str], Any], Any, Any]] = {
    "facts": (
        eos_state.facts,
        {
            "modelName": "DCS-7060X6-64PE",
            "version": "4.32.1F",
            "serialNumber": "ABC",
            "systemMacAddress": "00:1C:73:00:00:01",
            "uptime": 12.5,
        },
        SystemFacts("", "DCS-7060X6-64PE", "4.32.1F", "ABC", "00:1c:73:00:00:01", 12.5),
    ),
    "host name": (
        eos_state.host_name,
        {"hostname": "leaf1", "fqdn": "leaf1.example.net"},
        SystemFacts("leaf1"),
    ),
    "interfaces": (
        eos_state.interfaces,
        {"interfaces": {"Ethernet1/1": PORT, "Loopback0": {"name": "Loopback0"}}},
        {
            "Ethernet1/1": InterfaceState(
                True,
                True,
                400.0,
                9214,
                None,
                "su1-rail0",
                {"rx_bytes": 7, "tx_bytes": 8, "rx_drops": 1, "tx_drops": 2},
            )
        },
    ),
    "pfc": (
        eos_state.pfc_frames,
        {"interfaceCounters": {"Ethernet1/1": {"rxFrames": 2, "txFrames": 3}}},
        {"Ethernet1/1": InterfaceState(counters={"rx_pfc_frames": 2, "tx_pfc_frames": 3})},
    ),
    "ecn": (
        eos_state.ecn_marks,
        {"intfQueueCounters": {"Ethernet1/1": {"queueCounters": {"0": "-", "3": "17"}}}},
        {("Ethernet1/1", 0): EcnState(), ("Ethernet1/1", 3): EcnState(marked_packets=17)},
    ),
    "queues": (
        eos_state.queue_drops,
        {
            "egressQueueCounters": {
                "interfaces": {"Ethernet1/1": {"ucastQueues": {"trafficClasses": QUEUES}}}
            }
        },
        {("Ethernet1/1", 3): QueueCounters(dropped_packets=5)},
    ),
    "optics": (
        eos_optics.optics,
        {
            "interfaces": {
                "Ethernet1/1": {"rxPower": -1.5, "txPower": 0.25, "txBias": 60.0},
                "Ethernet1/2": {"rxPower": None, "txPower": 0.5},
                "Ethernet2/1": {},
            }
        },
        {
            "Ethernet1/1": Optic(received_dbm=(-1.5,), sent_dbm=(0.25,)),
            "Ethernet1/2": Optic(received_dbm=(None,), sent_dbm=(0.5,)),
        },
    ),
    "signal": (
        eos_optics.bit_errors,
        {
            "interfacePhyStatuses": {
                "Ethernet1/1": {
                    "phyStatuses": [
                        {"description": {"location": "line"}, "preFecBer": {"value": 1e-3}},
                        {"description": {"location": "system"}, "preFecBer": {"value": 1e-4}},
                        {"description": {"location": "line"}, "preFecBer": {"value": 1e-9}},
                        {"description": {}},
                    ]
                },
                "Ethernet2/1": {"phyStatuses": []},
            }
        },
        {"Ethernet1/1": Optic(pre_fec_bit_error_ratio=1e-9)},
    ),
    "temperatures": (
        eos_optics.temperatures,
        {
            "tempSensors": [
                {"name": "TempSensor1", "currentTemperature": 41.5, "overheatThreshold": 95.0},
                {"name": "TempSensor2"},
            ],
            "cardSlots": [{"tempSensors": [{"name": "Card1", "currentTemperature": 50}]}],
            "powerSupplySlots": [],
        },
        {"TempSensor1": Sensor(41.5, 95.0), "Card1": Sensor(50.0)},
    ),
    "arp": (
        eos_state.neighbours,
        {
            "vrfs": {
                "default": {
                    "ipV4Neighbors": [
                        {
                            "hwAddress": "0c42.a100.0002",
                            "address": "10.64.0.2",
                            "interface": "Vlan101",
                            "age": 30,
                        }
                    ]
                },
                "Vrf17": {
                    "ipV4Neighbors": [
                        {
                            "hwAddress": "0c42.a100.0003",
                            "address": address,
                            "interface": "Ethernet1/1",
                        }
                        for address in ("10.64.0.2", "10.64.0.3")
                    ]
                },
            }
        },
        {
            "10.64.0.2%Vlan101": NeighbourEntry("0c:42:a1:00:00:02", "Vlan101", 30.0),
            "10.64.0.2%Ethernet1/1": NeighbourEntry("0c:42:a1:00:00:03", "Ethernet1/1"),
            "10.64.0.3": NeighbourEntry("0c:42:a1:00:00:03", "Ethernet1/1"),
        },
    ),
    "macs": (
        eos_state.macs,
        {
            "unicastTable": {
                "tableEntries": [
                    {"vlanId": 101, "macAddress": "0C:42:A1:00:00:02", "interface": "Ethernet1/1"}
                ]
            }
        },
        (MacEntry(101, "0c:42:a1:00:00:02", "Ethernet1/1"),),
    ),
}
#: Recorded answer -> parser.
RECORDED = {
    "show_interfaces.json": eos_state.interfaces,
    "show_priority-flow-control_counters.json": eos_state.pfc_frames,
    "show_priority-flow-control_counters_nonzero.json": eos_state.pfc_frames,
    "show_qos_interfaces_ecn_counters_queue.json": eos_state.ecn_marks,
    "show_interfaces_counters_queue_detail_trident.json": eos_state.queue_drops,
    "show_interfaces_phy_detail.json": eos_optics.bit_errors,
    "show_arp_vrf_all.json": eos_state.neighbours,
    "show_mac_address_table.json": eos_state.macs,
}


@pytest.mark.parametrize("name", CASES)
def test_small_answer(name: str) -> None:
    parse, answer, expected = CASES[name]
    assert parse(json.dumps(answer)) == expected


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    assert len(RECORDED[name](recorded(f"eos/{name}"))) > 0


def test_frames_and_state_of_a_port_are_one_reading() -> None:
    status, frames = CASES["interfaces"][2], CASES["pfc"][2]
    found = merged(status, frames)["Ethernet1/1"]
    assert found.counters["rx_bytes"] == 7
    assert found.counters["rx_pfc_frames"] == 2
    assert found.up is True


def test_model_and_host_name_are_one_reading() -> None:
    assert EosParser.readings["hostname"][0] == EosParser.readings["version"][0] == "facts"
    found = merged(CASES["facts"][2], CASES["host name"][2])
    assert (found.hostname, found.model, found.uptime_s) == ("leaf1", "DCS-7060X6-64PE", 12.5)


@pytest.mark.parametrize("name", CASES)
def test_every_cut_is_noticed(name: str) -> None:
    parse, answer, _ = CASES[name]
    text = json.dumps(answer)
    for length in range(len(text)):
        with pytest.raises(UnreadableError):
            parse(text[:length])


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_another_shape_is_unreadable_or_says_less(name: str, data: st.DataObject) -> None:
    """A value that is replaced anywhere never gives another kind of answer."""
    parse, answer, expected = CASES[name]
    text = json.dumps(answer)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 20)))
    middle = data.draw(st.sampled_from(["", "0", "null", "[]", "{}", '"x"', "-1", "1.5", "true"]))
    try:
        found = parse(text[:start] + middle + text[stop:])
    except UnreadableError:
        return
    assert isinstance(found, type(expected))


@each("name", CASES)
@each("text", ["", "null", "[]", "{}", '{"errors": ["Invalid input"]}'])
def test_no_answer_is_unreadable(name: str, text: str) -> None:
    with pytest.raises(UnreadableError):
        CASES[name][0](text)
