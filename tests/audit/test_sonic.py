"""Faults planted in a CONFIG_DB, each found; the clean twin has none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.workflow.audit import audit
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.prove.fabrics import example
from tests.topology.fabrics import INVENTORY

NIC, UPLINK = "Ethernet0", "Ethernet128"
GROUP = "pg_lossless_400000_5m_profile"
WRED = "AZURE_LOSSLESS"
MAPS = (f"PORT_QOS_MAP/{NIC}", f"PORT_QOS_MAP/{UPLINK}")
EVERY_PORT = ("Ethernet0", "Ethernet8", "Ethernet128", "Ethernet136")

#: What is set (None: removed), by path in the tables, and the rule that must say so.
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no port pauses": (
        {f"PORT_QOS_MAP/{port}/pfc_enable": None for port in EVERY_PORT},
        "SON027",
    ),
    "one port does not pause": ({f"{MAPS[0]}/pfc_enable": None}, "SON020"),
    "an uplink does not pause": ({f"{MAPS[1]}/pfc_enable": None}, "SON020"),
    "a port pauses another priority": ({f"{MAPS[0]}/pfc_enable": "4"}, "SON021"),
    "a port pauses two": ({f"{MAPS[0]}/pfc_enable": "3,4"}, "SON021"),
    "three priorities are lossless": (
        {f"PORT_QOS_MAP/{port}/pfc_enable": "2,3,4" for port in EVERY_PORT},
        "AUD014",
    ),
    "no priority group": ({f"BUFFER_PG/{NIC}|3": None}, "SON001"),
    "no queue buffer": ({f"BUFFER_QUEUE/{NIC}|3": None}, "SON001"),
    "the group has the lossy profile": (
        {f"BUFFER_PG/{NIC}|3/profile": "ingress_lossy_profile"},
        "SON003",
    ),
    "the queue has the lossy profile": (
        {f"BUFFER_QUEUE/{NIC}|3/profile": "q_lossy_profile"},
        "SON005",
    ),
    "the class enters the lossy group": ({"TC_TO_PRIORITY_GROUP_MAP/AZURE/3": "0"}, "SON003"),
    "no ECN": ({f"QUEUE/{NIC}|3/wred_profile": None}, "SON004"),
    "a WRED profile that does not exist": ({f"QUEUE/{NIC}|3/wred_profile": "NONE"}, "SON029"),
    "a scheduler that does not exist": ({f"QUEUE/{NIC}|3/scheduler": "NONE"}, "SON029"),
    "a buffer profile that does not exist": ({f"BUFFER_PG/{NIC}|3/profile": "NONE"}, "SON007"),
    "a pool that does not exist": ({f"BUFFER_PROFILE/{GROUP}/pool": "NONE"}, "SON029"),
    "a map that does not exist": ({f"{MAPS[0]}/dscp_to_tc_map": "NONE"}, "SON018"),
    "a port puts RoCE into a lossy class": (
        {
            f"{MAPS[0]}/dscp_to_tc_map": "OTHER",
            "DSCP_TO_TC_MAP/OTHER": {"24": "3", "26": "0", "48": "6"},
        },
        "AUD017",
    ),
    "the egress profile may drop": (
        {"BUFFER_PROFILE/egress_lossless_profile/dynamic_th": "-8"},
        "SON005",
    ),
    "two rows for one queue": (
        {f"BUFFER_QUEUE/{NIC}|3-4": {"profile": "q_lossy_profile"}},
        "SON006",
    ),
    "two rows for one group": (
        {f"BUFFER_PG/{NIC}|3-4": {"profile": "ingress_lossy_profile"}},
        "SON006",
    ),
    "no headroom": ({f"BUFFER_PROFILE/{GROUP}/xoff": None}, "SON007"),
    "headroom of nothing": ({f"BUFFER_PROFILE/{GROUP}/xoff": "0"}, "SON007"),
    "headroom below the table": (
        {f"BUFFER_PROFILE/{GROUP}/xoff": "9216", f"BUFFER_PROFILE/{GROUP}/size": "28672"},
        "SON028",
    ),
    "queue 99": ({f"QUEUE/{NIC}|99": {"scheduler": "scheduler.0"}}, "SON008"),
    "group 9": ({f"BUFFER_PG/{NIC}|9": {"profile": "ingress_lossy_profile"}}, "SON008"),
    "two thresholds": ({f"BUFFER_PROFILE/{GROUP}/static_th": "9216"}, "SON009"),
    "no threshold": ({f"BUFFER_PROFILE/{GROUP}/dynamic_th": None}, "SON009"),
    "WRED drops": ({f"WRED_PROFILE/{WRED}/ecn": "ecn_none"}, "SON010"),
    "WRED drops yellow": ({f"WRED_PROFILE/{WRED}/ecn": "ecn_red"}, "SON010"),
    "the watchdog does not restore": ({f"PFC_WD/{NIC}/restoration_time": None}, "SON011"),
    "the watchdog polls too slowly": ({"PFC_WD/GLOBAL/POLL_INTERVAL": "5000"}, "SON016"),
    "the watchdog detects too late": ({f"PFC_WD/{NIC}/detection_time": "90000"}, "SON016"),
    "the watchdog has nothing to watch": ({f"{MAPS[0]}/pfcwd_sw_enable": None}, "SON002"),
    "the watchdog watches another priority": ({f"{MAPS[0]}/pfcwd_sw_enable": "4"}, "SON002"),
    "no watchdog row": ({f"PFC_WD/{NIC}": None}, "SON023"),
    "a neighbour out of reach": (
        {"BGP_NEIGHBOR/10.9.9.9": {"asn": "65100", "name": "x", "local_addr": "10.9.9.8"}},
        "SON012",
    ),
    "members of a VLAN differ in MTU": ({f"PORT/{NIC}/mtu": "4500"}, "SON013"),
    "the VLAN is larger than its members": ({"VLAN/Vlan101/mtu": "9216"}, "SON013"),
    "an uplink is smaller than the VLAN": ({f"PORT/{UPLINK}/mtu": "4500"}, "SON013"),
    "an MTU that RoCE does not fit": (
        {**{f"PORT/{port}/mtu": "1500" for port in EVERY_PORT}, "VLAN/Vlan101/mtu": "1500"},
        "AUD009",
    ),
    "another name of the WRED profile": (
        {
            "WRED_PROFILE/ECN": {
                "ecn": "ecn_all",
                "wred_green_enable": "true",
                "green_min_threshold": "150000",
                "green_max_threshold": "1500000",
                "green_drop_probability": "100",
            },
            **{f"QUEUE/{port}|3/wred_profile": "ECN" for port in EVERY_PORT},
        },
        "SON015",
    ),
    "a DSCP without a class": ({"DSCP_TO_TC_MAP/AZURE/40": None}, "SON017"),
    "no map of DSCPs on a port": (
        {f"{MAPS[0]}/dscp_to_tc_map": None, "PORT_QOS_MAP/global": None},
        "SON018",
    ),
    "no map of queues on a port": ({f"{MAPS[0]}/tc_to_queue_map": None}, "SON018"),
    "no map of groups on a port": ({f"{MAPS[0]}/tc_to_pg_map": None}, "SON018"),
    "asymmetric PFC": ({f"PORT/{NIC}/pfc_asym": "on"}, "SON019"),
    "the lossless queue is strict": ({"SCHEDULER/scheduler.1/type": "STRICT"}, "SON022"),
    "the lossless queue has no scheduler": ({f"QUEUE/{NIC}|3/scheduler": None}, "SON036"),
    "two ports share lanes": ({"PORT/Ethernet8/lanes": "0,1,2,3,4,5,6,7"}, "SON030"),
    "two ports share an alias": ({"PORT/Ethernet8/alias": "etp1"}, "SON030"),
    "a speed that the model has not": ({f"PORT/{NIC}/speed": "777000"}, "SON031"),
    "no FEC at 400G": ({f"PORT/{NIC}/fec": "none"}, "SON031"),
    "a pool that is too small": ({"BUFFER_POOL/ingress_lossless_pool/size": "40000"}, "SON032"),
    "no list of ingress profiles": (
        {f"BUFFER_PORT_INGRESS_PROFILE_LIST/{NIC}": None},
        "SON033",
    ),
    "no list of egress profiles": ({f"BUFFER_PORT_EGRESS_PROFILE_LIST/{NIC}": None}, "SON033"),
    "every DSCP is lossless": (
        {"DSCP_TO_TC_MAP/AZURE": {str(dscp): "3" for dscp in range(64)}},
        "SON034",
    ),
    "Kmin above Kmax": ({f"WRED_PROFILE/{WRED}/green_min_threshold": "9000000"}, "SON035"),
    "no Kmax": ({f"WRED_PROFILE/{WRED}/green_max_threshold": None}, "SON035"),
    "a port is routed and in a VLAN": ({f"INTERFACE/{NIC}": {}}, "SON037"),
    "two ports in one subnet": ({"INTERFACE/Ethernet136|10.254.0.1/31": {}}, "SON038"),
    "a cable longer than the table": ({f"CABLE_LENGTH/AZURE/{NIC}": "9000m"}, "SON014"),
    "long BGP timers": ({"BGP_NEIGHBOR/10.254.0.0/holdtime": "180"}, "AUD012"),
    "BGP timers by their default": ({"BGP_NEIGHBOR/10.254.0.0/holdtime": None}, "AUD012"),
    "a map that nobody uses": (
        {"DSCP_TO_TC_MAP/OLD": {str(dscp): "0" for dscp in range(64)}},
        "AUD013",
    ),
}


def leaf(folder: Path, changes: dict[str, Any]) -> Path:
    """Return the file of a leaf of the demo with values set or removed."""
    _, texts = example("demo")
    tables = json.loads(texts["su1-rail0"]["config_db"])
    tables["DEVICE_METADATA"]["localhost"]["mac"] = "52:54:00:00:00:01"
    for path, value in changes.items():
        table, _, rest = path.partition("/")
        rows = tables.setdefault(table, {})
        row = next((key for key in sorted(rows, key=len, reverse=True) if rest == key), None)
        row = row or next((key for key in rows if rest.startswith(f"{key}/")), rest)
        field = rest[len(row) + 1 :]
        target, key = (rows[row], field) if field else (rows, row)
        if value is None:
            del target[key]
        else:
            target[key] = value
    file = folder / "config_db.json"
    file.write_text(json.dumps(tables, indent=4), encoding="utf-8")
    return file


def rules(file: Path) -> set[str]:
    return {finding.rule for finding in audit([file], ignore=["SON040"]).outcome.findings}


def test_the_clean_twin(tmp_path: Path) -> None:
    assert rules(leaf(tmp_path, {})) == set()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path: Path, name: str) -> None:
    changes, rule = FAULTS[name]
    assert rule in rules(leaf(tmp_path, changes))


def test_the_mtu_of_a_gateway(tmp_path: Path) -> None:
    assert "AUD009" in rules(leaf(tmp_path, {"VLAN/Vlan101/mtu": "1500"}))
    assert "AUD009" not in rules(leaf(tmp_path, {"VLAN/Vlan101/mtu": "9100"}))


def test_queues_of_another_line_card(tmp_path: Path) -> None:
    file = leaf(tmp_path, {})
    tables = json.loads(file.read_text(encoding="utf-8"))
    metadata = tables["DEVICE_METADATA"]["localhost"]
    metadata |= {"switch_type": "voq", "asic_name": "Asic0"}
    for table in ("QUEUE", "BUFFER_QUEUE"):
        host = metadata["hostname"]
        tables[table] = {f"{host}|asic0|{key}": row for key, row in tables[table].items()}
    file.write_text(json.dumps(tables), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        audit([file])
    (finding,) = raised.value.findings
    assert f"{host}|asic0, DEVICE_METADATA is of {host}|Asic0" in finding.message
    metadata["asic_name"] = "asic0"
    file.write_text(json.dumps(tables), encoding="utf-8")
    assert not {"SON001", "SON004"} & rules(file)


def test_like_findings_of_several_files_are_one_and_name_no_inventory(tmp_path: Path) -> None:
    for name in ("s1", "s2", "s3"):
        tables = {
            "DEVICE_METADATA": {"localhost": {"hostname": name, "hwsku": "ACS-MSN2700"}},
            "PORT": {"Ethernet0": {"lanes": "0", "speed": "100000", "mtu": "9100"}},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(tables), encoding="utf-8")
    short, full = run("audit", str(tmp_path)).out, run("audit", str(tmp_path), "--full").out
    assert (short.count("[SON046]"), full.count("[SON046]")) == (1, 3)
    [line] = [line for line in short.splitlines() if "[SON046]" in line]
    assert line.endswith("; export the whole config_db.json of the switch [SON046]")
    assert f"    2 more like it:\n      {tmp_path}/s2.json:1:22\n" in short


def test_files_of_render_have_no_error(tmp_path: Path) -> None:
    """`apply` adds the MAC address; kernel parameters beside a configuration are of the switch."""
    artefacts = Project(INVENTORY / "demo").switch_artefacts
    for item in (item for mine in artefacts.values() for item in mine):
        (tmp_path / item.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / item.path).write_bytes(item.content)
    audited = audit([tmp_path], ignore=["SON040"])
    assert [(one.rule, one.severity.name) for one in audited.outcome.findings] == [
        ("SON046", "INFO")
    ] * 4
    assert (audited.switches, audited.hosts) == (6, 0)
    assert set(audited.systems.values()) == {"eos", "sonic"}
