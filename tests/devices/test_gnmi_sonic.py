"""SONiC by gNMI: tables of its databases, against the target of the lab and damaged answers.

The forms are those of sonic-net/sonic-gnmi: doc/grpc_telemetry.md, and testdata for ports by alias.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fabric.core.errors import ConnectionLostError
from fabric.devices import gnmi
from fabric.devices.driver import Connection
from fabric.devices.gnmi import GnmiDriver
from fabric.observe.collect import snapshot_of
from fabric.observe.state import EcnState, LldpNeighbour, QueueCounters, WatchdogState
from fabric.systems.sonic.parsers.telemetry import READINGS
from tests.devices.certificates import Authority
from tests.devices.gnmi_target import GnmiTarget
from tests.reference import reference

PASSWORD = "a-password-of-the-test"
#: Of Ethernet0: a unicast queue with a watchdog, and a multicast queue.
TABLES = {
    "APPL_DB:/PORT_TABLE": {
        "PortInitDone": {"lanes": "0"},
        "Ethernet0": {
            "admin_status": "up",
            "alias": "Ethernet1/1",
            "description": "gpu001:eth1",
            "fec": "rs",
            "lanes": "1,2,3,4",
            "mtu": "9100",
            "oper_status": "up",
            "speed": "400000",
        },
        "Ethernet8": {"admin_status": "down", "lanes": "9,10", "mtu": "9100", "speed": "400000"},
    },
    "APPL_DB:/LLDP_ENTRY_TABLE": {
        "eth0": {"lldp_rem_sys_name": "management", "lldp_rem_port_id": "1"},
        "Ethernet0": {
            "lldp_rem_sys_name": "gpu001",
            "lldp_rem_port_id": "b8:59:9f:00:00:01",
            "lldp_rem_port_desc": "eth1",
        },
    },
    "COUNTERS_DB:/COUNTERS/Ethernet*": {
        "Ethernet1/1": {
            "SAI_PORT_STAT_IF_IN_OCTETS": str(2**63 + 1),
            "SAI_PORT_STAT_IF_IN_UCAST_PKTS": "8",
            "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS": "4",
            "SAI_PORT_STAT_IF_OUT_UCAST_PKTS": "10",
            "SAI_PORT_STAT_IF_OUT_DISCARDS": "7",
            "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES": "3",
            "SAI_PORT_STAT_PFC_3_RX_PKTS": "203",
            "SAI_PORT_STAT_PFC_3_TX_PKTS": "213",
        },
        "Ethernet8": {"SAI_PORT_STAT_IF_OUT_DISCARDS": "0"},
    },
    "COUNTERS_DB:/COUNTERS/Ethernet*/Queues": {
        "Ethernet1/1:3": {
            "SAI_QUEUE_STAT_PACKETS": "60",
            "SAI_QUEUE_STAT_DROPPED_PACKETS": "39",
            "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": "12",
            "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "88",
            "PFC_WD_STATUS": "stormed",
            "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": "2",
            "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED": "1",
            "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS": "5",
            "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS": "6",
        },
        "Ethernet1/1:3:periodic": {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "99"},
        "Ethernet1/1:11": {"SAI_QUEUE_STAT_PACKETS": "1000"},
    },
    "COUNTERS_DB:/COUNTERS_QUEUE_NAME_MAP": {
        "Ethernet0:3": "oid:0x15000000000358",
        "Ethernet0:11": "oid:0x15000000000360",
    },
    "COUNTERS_DB:/COUNTERS_QUEUE_TYPE_MAP": {
        "oid:0x15000000000358": "SAI_QUEUE_TYPE_UNICAST",
        "oid:0x15000000000360": "SAI_QUEUE_TYPE_MULTICAST",
    },
}


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def target(authority: Authority, tables=TABLES) -> GnmiTarget:
    return GnmiTarget(*authority.issued(), "admin", PASSWORD, {}, tables=tables)


def read(there: GnmiTarget, authority: Authority):
    words = {"password": PASSWORD, "gnmi_trust": authority.pem, "gnmi_port": there.port}
    driver = GnmiDriver(Connection("leaf1", "sonic", "127.0.0.1", 22, "admin", **words))
    driver.open()
    try:
        return snapshot_of("leaf1", READINGS, driver.read_state(list(READINGS)))
    finally:
        driver.close()


def test_tables_of_the_databases(authority) -> None:
    with target(authority) as there:
        seen = read(there, authority)
    assert sorted(there.asked) == sorted(TABLES), "each path once"
    assert seen.unknown == ()
    port = seen.interfaces["Ethernet0"]
    assert (port.up, port.enabled, port.speed_gbps, port.mtu_bytes) == (True, True, 400, 9100)
    assert (port.fec, port.description) == ("rs", "gpu001:eth1")
    assert port.counters == {
        "rx_bytes": 2**63 + 1,
        "rx_packets": 12,
        "tx_drops": 7,
        "fec_uncorrected": 3,
    }, "the sum of sent packets has a part that is unknown"
    other = seen.interfaces["Ethernet8"]
    assert (other.up, other.enabled, other.counters) == (None, False, {"tx_drops": 0})
    assert seen.pfc_counters["Ethernet0"].received == (None, None, None, 203, *[None] * 4)
    assert seen.pfc_counters["Ethernet0"].sent[3] == 213
    assert seen.queues == {("Ethernet0", 3): QueueCounters(60, 39)}
    assert seen.ecn == {("Ethernet0", 3): EcnState(marked_packets=12)}
    assert seen.watchdog == {("Ethernet0", 3): WatchdogState(False, 2, 1, 11)}
    assert seen.lldp == {"Ethernet0": (LldpNeighbour("gpu001", "b8:59:9f:00:00:01", "eth1"),)}


def test_the_subscription_stays_open_until_the_answer(authority, monkeypatch) -> None:
    monkeypatch.setattr(gnmi, "_open_until", lambda _, request: iter([request]))
    with target(authority) as there:
        seen = read(there, authority)
    assert seen.unknown == tuple(READINGS), "a client that ends its side gets no answer"


def test_a_table_without_rows_is_unknown(authority) -> None:
    ports = {"APPL_DB:/PORT_TABLE": TABLES["APPL_DB:/PORT_TABLE"]}
    with target(authority, ports) as there:
        seen = read(there, authority)
    assert set(seen.interfaces) == {"Ethernet0", "Ethernet8"}
    assert len(seen.unknown) == len(READINGS) - 1
    assert (seen.pfc_counters, seen.queues, seen.lldp) == (None, None, None)


def test_openconfig_without_a_target_is_not_answered(authority) -> None:
    with target(authority) as there:
        words = {"password": PASSWORD, "gnmi_trust": authority.pem, "gnmi_port": there.port}
        driver = GnmiDriver(Connection("leaf1", "sonic", "127.0.0.1", 22, "admin", **words))
        with pytest.raises(ConnectionLostError, match="there is no session"):
            driver.read_state(["/system/state"])
        driver.open()
        assert driver.read_state(["/system/state"]) == {}
        driver.close()


def texts(trees, **changes: object) -> dict[str, str]:
    """Return what the driver says of each subject, with other values of some leaves."""
    by_path = {
        path: list(gnmi._flat(path, tree, is_modelled=False)) for path, tree in trees.items()
    }
    return {
        subject: json.dumps([
            [path, changes.get(path.rpartition("/")[2], value)]
            for word in subject.split()
            for path, value in by_path.get(word, [])
        ])
        for subject in READINGS
    }


@pytest.mark.parametrize(
    ("leaf", "value", "unknown"),
    [
        ("SAI_PORT_STAT_PFC_3_RX_PKTS", "-1", {"pauses"}),
        ("SAI_PORT_STAT_PFC_3_RX_PKTS", "9" * 5000, {"pauses"}),
        ("SAI_PORT_STAT_IF_OUT_DISCARDS", True, {"counters"}),
        ("SAI_QUEUE_STAT_PACKETS", "many", {"queues"}),
        ("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", str(2**64), {"marks"}),
        ("PFC_WD_STATUS", "asleep", {"watchdogs"}),
        ("Ethernet0:3", 7, {"queues", "marks", "watchdogs"}),
        ("mtu", "9100 ", {"APPL_DB:/PORT_TABLE"}),
        ("lldp_rem_sys_name", "\x1b[2J", {"APPL_DB:/LLDP_ENTRY_TABLE"}),
        ("alias", "another", {"counters", "pauses", "queues", "marks", "watchdogs"}),
    ],
)
def test_values_that_cannot_be_make_their_reading_unknown(leaf, value, unknown) -> None:
    seen = snapshot_of("leaf1", READINGS, texts(TABLES, **{leaf: value}))
    assert {subject.split()[0] for subject in seen.unknown} == unknown


def test_rows_that_the_project_did_not_write() -> None:
    database = json.loads(reference("fixtures", "sonic", "counters_db_slice.json").read_text())
    ports, names = database["COUNTERS_PORT_NAME_MAP"], database["COUNTERS_QUEUE_NAME_MAP"]
    trees = {
        "APPL_DB:/PORT_TABLE": {"Ethernet0": {"alias": "etp1"}},
        "COUNTERS_DB:/COUNTERS/Ethernet*": {"etp1": database[f"COUNTERS:{ports['Ethernet0']}"]},
        "COUNTERS_DB:/COUNTERS/Ethernet*/Queues": {
            name.replace("Ethernet0", "etp1"): database.get(f"COUNTERS:{oid}", {})
            for name, oid in names.items()
        },
        "COUNTERS_DB:/COUNTERS_QUEUE_NAME_MAP": names,
        "COUNTERS_DB:/COUNTERS_QUEUE_TYPE_MAP": dict.fromkeys(
            names.values(), "SAI_QUEUE_TYPE_UNICAST"
        ),
    }
    seen = snapshot_of("leaf1", READINGS, texts(trees))
    assert seen.unknown == ("APPL_DB:/LLDP_ENTRY_TABLE",)
    assert seen.pfc_counters["Ethernet0"].received == (1200, *range(201, 208))
    assert seen.interfaces["Ethernet0"].counters["fec_corrected"] == 130402
    assert seen.queues["Ethernet0", 1] == QueueCounters(60, 39)
    assert seen.watchdog["Ethernet0", 3].storms_detected is not None


def test_a_fresh_process_knows_the_readings() -> None:
    code = "from fabric.observe.parsers import gnmi_readings as r; print(len(r['sonic']))"
    words = [sys.executable, "-c", code]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert int(ended.stdout) == len(READINGS)
