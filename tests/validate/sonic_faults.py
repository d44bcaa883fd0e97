"""Faults of a SONiC configuration, each planted alone into a leaf that is right.

A fault changes the tables in place. Ethernet0 and Ethernet8 are host ports, Ethernet256 an uplink.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Tables = dict[str, dict[str, dict[str, Any]]]
Fault = Callable[[Tables], object]

HOST, UPLINK, VLAN = "Ethernet0", "Ethernet256", "Vlan101"
PROFILE, FAR_PROFILE = "pg_lossless_400000_5m_profile", "pg_lossless_400000_40m_profile"


def put(table: str, row: str, field: str, value: Any) -> Fault:
    """Set a field; row ``*`` is every row but global ones, None removes the field."""

    def change(tables: Tables) -> None:
        rows = tables[table]
        for name in [name for name in rows if name.lower() != "global"] if row == "*" else [row]:
            if value is None:
                rows[name].pop(field, None)
            else:
                rows.setdefault(name, {})[field] = value

    return change


def without(table: str, row: str | None = None) -> Fault:
    """Remove a table, or a row of it."""
    return lambda tables: tables.pop(table) if row is None else tables[table].pop(row)


def add(table: str, row: str, **fields: Any) -> Fault:
    """Add a row."""
    return lambda tables: tables.setdefault(table, {}).__setitem__(row, fields)


def emptied(tables: Tables) -> None:
    """Leave nothing."""
    tables.clear()


def both(*faults: Fault) -> Fault:
    """Plant faults that are one mistake together."""

    def change(tables: Tables) -> None:
        for fault in faults:
            fault(tables)

    return change


def maps(name: str, **pairs: str) -> Fault:
    """Change entries of a map; ``tc3="0"`` sets the entry of 3."""
    return both(*(put(name, "AZURE", key.lstrip("tcd"), value) for key, value in pairs.items()))


#: What is wrong -> (rule that says so, how it is planted).
FAULTS: dict[str, tuple[str, Fault]] = {
    "nothing configured": ("SON027", emptied),
    "no port is lossless": ("SON027", put("PORT_QOS_MAP", "*", "pfc_enable", None)),
    "pfc_enable empty everywhere": ("SON027", put("PORT_QOS_MAP", "*", "pfc_enable", "")),
    "no mac": ("SON046", put("DEVICE_METADATA", "localhost", "mac", None)),
    "probability above 100": (
        "SON035",
        put("WRED_PROFILE", "AZURE_LOSSLESS", "green_drop_probability", "150"),
    ),
    "a static threshold in a dynamic pool": (
        "SON032",
        both(
            put("BUFFER_PROFILE", PROFILE, "static_th", "1000000"),
            put("BUFFER_PROFILE", PROFILE, "dynamic_th", None),
        ),
    ),
    "no PORT_QOS_MAP": ("SON027", without("PORT_QOS_MAP")),
    "no PORT": ("SON029", without("PORT")),
    "no PFC_WD": ("SON023", without("PFC_WD")),
    "no BUFFER_PG": ("SON001", without("BUFFER_PG")),
    "no BUFFER_QUEUE": ("SON001", without("BUFFER_QUEUE")),
    "no BUFFER_PROFILE": ("SON007", without("BUFFER_PROFILE")),
    "no BUFFER_POOL": ("SON029", without("BUFFER_POOL")),
    "no QUEUE": ("SON004", without("QUEUE")),
    "no SCHEDULER": ("SON029", without("SCHEDULER")),
    "no WRED_PROFILE": ("SON029", without("WRED_PROFILE")),
    "no DSCP_TO_TC_MAP": ("SON018", without("DSCP_TO_TC_MAP")),
    "no TC_TO_QUEUE_MAP": ("SON018", without("TC_TO_QUEUE_MAP")),
    "no TC_TO_PRIORITY_GROUP_MAP": ("SON018", without("TC_TO_PRIORITY_GROUP_MAP")),
    "no MAP_PFC_PRIORITY_TO_QUEUE": ("SON018", without("MAP_PFC_PRIORITY_TO_QUEUE")),
    "no PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": (
        "SON029",
        without("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
    ),
    "no CABLE_LENGTH": ("SON014", without("CABLE_LENGTH")),
    "no ingress lists": ("SON033", without("BUFFER_PORT_INGRESS_PROFILE_LIST")),
    "no egress lists": ("SON033", without("BUFFER_PORT_EGRESS_PROFILE_LIST")),
    # The lossless class of a port
    "one port without PFC": ("SON020", put("PORT_QOS_MAP", HOST, "pfc_enable", None)),
    "another priority on one port": ("SON021", put("PORT_QOS_MAP", HOST, "pfc_enable", "4")),
    "a second priority on one port": ("SON021", put("PORT_QOS_MAP", HOST, "pfc_enable", "3,4")),
    "PFC for a class that is not lossless": (
        "SON034",
        both(
            put("PORT_QOS_MAP", "*", "pfc_enable", "4"),
            put("PORT_QOS_MAP", "*", "pfcwd_sw_enable", "4"),
        ),
    ),
    "a port without DSCP map": (
        "SON018",
        both(
            put("PORT_QOS_MAP", HOST, "dscp_to_tc_map", None),
            without("PORT_QOS_MAP", "global"),
        ),
    ),
    "a port without queue map": ("SON018", put("PORT_QOS_MAP", HOST, "tc_to_queue_map", None)),
    "asymmetric PFC": ("SON019", put("PORT", HOST, "pfc_asym", "on")),
    # Maps
    "RoCE goes to class 0": ("SON034", maps("DSCP_TO_TC_MAP", d26="0")),
    "unmarked packets are lossless": ("SON034", maps("DSCP_TO_TC_MAP", d0="3")),
    "control packets are lossless": ("SON034", maps("DSCP_TO_TC_MAP", d48="3")),
    "a DSCP is missing": ("SON017", put("DSCP_TO_TC_MAP", "AZURE", "63", None)),
    "the class goes to another queue": ("SON001", maps("TC_TO_QUEUE_MAP", t3="4")),
    "a second class shares the queue": ("SON003", maps("TC_TO_QUEUE_MAP", t4="3")),
    "the class enters group 0": ("SON003", maps("TC_TO_PRIORITY_GROUP_MAP", t3="0")),
    "a pause stops another queue": ("SON003", maps("MAP_PFC_PRIORITY_TO_QUEUE", t3="4")),
    "a pause speaks for another group": (
        "SON003",
        maps("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", t3="2"),
    ),
    # Headroom and buffers
    "headroom of 1000 bytes": ("SON028", put("BUFFER_PROFILE", PROFILE, "xoff", "1000")),
    "headroom a byte short": ("SON028", put("BUFFER_PROFILE", FAR_PROFILE, "xoff", "283647")),
    "headroom of a shorter cable": ("SON028", put("BUFFER_PG", f"{UPLINK}|3", "profile", PROFILE)),
    "no headroom": ("SON007", put("BUFFER_PROFILE", PROFILE, "xoff", None)),
    "reserved size below xon": ("SON028", put("BUFFER_PROFILE", PROFILE, "size", "19455")),
    "xon of nothing": ("SON028", put("BUFFER_PROFILE", PROFILE, "xon", "0")),
    "lossless group with a lossy profile": (
        "SON003",
        put("BUFFER_PG", f"{HOST}|3", "profile", "ingress_lossy_profile"),
    ),
    "no lossless group on a port": ("SON001", without("BUFFER_PG", f"{HOST}|3")),
    "group profile that does not exist": (
        "SON007",
        put("BUFFER_PG", f"{HOST}|3", "profile", "pg_lossless_1_1m_profile"),
    ),
    "profile of no pool": ("SON029", put("BUFFER_PROFILE", PROFILE, "pool", "elsewhere")),
    "profile without a pool": ("SON032", put("BUFFER_PROFILE", PROFILE, "pool", None)),
    "lossless profile in the lossy pool": (
        "SON003",
        put("BUFFER_PROFILE", PROFILE, "pool", "ingress_lossy_pool"),
    ),
    "lossless profile in an egress pool": (
        "SON032",
        put("BUFFER_PROFILE", PROFILE, "pool", "egress_lossless_pool"),
    ),
    "pool smaller than one headroom": (
        "SON032",
        put("BUFFER_POOL", "ingress_lossless_pool", "size", "200000"),
    ),
    "pool without a size": ("SON032", put("BUFFER_POOL", "ingress_lossless_pool", "size", None)),
    "pool larger than the chip": (
        "SON044",
        put("BUFFER_POOL", "ingress_lossless_pool", "size", "308000000"),
    ),
    "pool of the dynamic model larger than the chip": (
        "SON044",
        both(
            put("DEVICE_METADATA", "localhost", "buffer_model", "dynamic"),
            put("BUFFER_POOL", "ingress_lossless_pool", "size", "308000000"),
        ),
    ),
    "more than the memory for ingress pools": (
        "SON032",
        both(
            put("DEVICE_METADATA", "localhost", "buffer_model", "dynamic"),
            put("BUFFER_POOL", "ingress_lossless_pool", "percentage", "101"),
        ),
    ),
    "a watchdog that only writes a log": ("SON016", put("PFC_WD", HOST, "action", "alert")),
    "egress pool larger than the chip": (
        "SON044",
        put("BUFFER_POOL", "egress_lossless_pool", "size", "308000000"),
    ),
    "pool without direction": ("SON032", put("BUFFER_POOL", "ingress_lossless_pool", "type", None)),
    "static pool with dynamic profiles": (
        "SON032",
        put("BUFFER_POOL", "ingress_lossless_pool", "mode", "static"),
    ),
    "threshold out of range": ("SON009", put("BUFFER_PROFILE", PROFILE, "dynamic_th", "9")),
    "profile without threshold": ("SON009", put("BUFFER_PROFILE", PROFILE, "dynamic_th", None)),
    "lossless queue that drops": (
        "SON005",
        put("BUFFER_QUEUE", f"{HOST}|3", "profile", "q_lossy_profile"),
    ),
    "two rows for a queue": ("SON006", add("BUFFER_QUEUE", f"{HOST}|3-4", profile="x")),
    "queue 10": ("SON008", add("QUEUE", f"{HOST}|10", scheduler="scheduler.0")),
    "lists swapped": (
        "SON033",
        both(
            put(
                "BUFFER_PORT_INGRESS_PROFILE_LIST",
                HOST,
                "profile_list",
                "egress_lossless_profile,egress_lossy_profile",
            ),
            put(
                "BUFFER_PORT_EGRESS_PROFILE_LIST",
                HOST,
                "profile_list",
                "ingress_lossless_profile,ingress_lossy_profile",
            ),
        ),
    ),
    "one port without ingress list": ("SON033", without("BUFFER_PORT_INGRESS_PROFILE_LIST", HOST)),
    "list without a lossless profile": (
        "SON033",
        put("BUFFER_PORT_INGRESS_PROFILE_LIST", HOST, "profile_list", "ingress_lossy_profile"),
    ),
    "list of a profile that does not exist": (
        "SON029",
        put("BUFFER_PORT_EGRESS_PROFILE_LIST", HOST, "profile_list", "egress_lossless_profil"),
    ),
    "cable length unknown": ("SON014", put("CABLE_LENGTH", "AZURE", HOST, "30m")),
    "cable of no length": ("SON014", put("CABLE_LENGTH", "AZURE", HOST, "0m")),
    "a port without cable length": ("SON014", put("CABLE_LENGTH", "AZURE", HOST, None)),
    # ECN and scheduling
    "ECN off": ("SON010", put("WRED_PROFILE", "AZURE_LOSSLESS", "ecn", "ecn_none")),
    "green packets are not marked": (
        "SON035",
        put("WRED_PROFILE", "AZURE_LOSSLESS", "wred_green_enable", "false"),
    ),
    "marking from above the end": (
        "SON035",
        put("WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", "1500001"),
    ),
    "marking with probability 0": (
        "SON035",
        put("WRED_PROFILE", "AZURE_LOSSLESS", "green_drop_probability", "0"),
    ),
    "marking without thresholds": (
        "SON035",
        both(
            put("WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", None),
            put("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", None),
        ),
    ),
    "a port without marking": ("SON004", put("QUEUE", f"{HOST}|3", "wred_profile", None)),
    "strict lossless queue": ("SON022", put("SCHEDULER", "scheduler.1", "type", "STRICT")),
    "scheduler that does not exist": (
        "SON029",
        put("QUEUE", f"{HOST}|3", "scheduler", "scheduler.9"),
    ),
    "lossless queue without weight": ("SON036", put("SCHEDULER", "scheduler.1", "weight", "0")),
    "lossless queue without scheduler": ("SON036", put("QUEUE", f"{HOST}|3", "scheduler", None)),
    "own headroom beside computed buffers": (
        "SON028",
        both(
            put("DEVICE_METADATA", "localhost", "buffer_model", "dynamic"),
            put("BUFFER_PROFILE", PROFILE, "xoff", "9000"),
        ),
    ),
    # Watchdog
    "a port without watchdog": ("SON023", without("PFC_WD", HOST)),
    "watchdog without a mask": ("SON002", put("PORT_QOS_MAP", HOST, "pfcwd_sw_enable", None)),
    "nothing is watched": (
        "SON023",
        both(without("PFC_WD"), put("PORT_QOS_MAP", "*", "pfcwd_sw_enable", None)),
    ),
    "watchdog of another priority": ("SON002", put("PORT_QOS_MAP", HOST, "pfcwd_sw_enable", "4")),
    "a watchdog that drops everything": (
        "SON041",
        put("PFC_WD", "GLOBAL", "BIG_RED_SWITCH", "enable"),
    ),
    "a watchdog whose counters are not polled": (
        "SON043",
        add("FLEX_COUNTER_TABLE", "PFCWD", FLEX_COUNTER_STATUS="disable"),
    ),
    "watchdog without poll": ("SON016", without("PFC_WD", "GLOBAL")),
    "watchdog faster than its poll": ("SON016", put("PFC_WD", HOST, "detection_time", "100")),
    "watchdog out of range": ("SON016", put("PFC_WD", HOST, "detection_time", "6000")),
    "watchdog without restoration": ("SON011", put("PFC_WD", HOST, "restoration_time", None)),
    "watchdog without detection": ("SON011", put("PFC_WD", HOST, "detection_time", None)),
    "watchdog with an unknown action": ("SON016", put("PFC_WD", HOST, "action", "shout")),
    # Ports
    "lanes twice": ("SON030", put("PORT", HOST, "lanes", "8,9,10,11,12,13,14,15")),
    "lanes that no port has": ("SON030", put("PORT", HOST, "lanes", "900,901,902,903")),
    "alias twice": ("SON030", put("PORT", HOST, "alias", "etp2")),
    "no FEC at 400G": ("SON031", put("PORT", HOST, "fec", "none")),
    "FEC left out at 400G": ("SON031", put("PORT", HOST, "fec", None)),
    "a speed that the model lacks": ("SON031", put("PORT", HOST, "speed", "300000")),
    "a port without speed": ("SON031", put("PORT", HOST, "speed", None)),
    "small frames on a host port": ("SON013", put("PORT", HOST, "mtu", "1500")),
    "small frames on an uplink": ("SON013", put("PORT", UPLINK, "mtu", "1500")),
    # Network
    "member of no VLAN": ("SON029", add("VLAN_MEMBER", f"Vlan7|{HOST}", tagging_mode="tagged")),
    "member that is no port": (
        "SON029",
        add("VLAN_MEMBER", f"{VLAN}|Ethernet7", tagging_mode="untagged"),
    ),
    "gateway of no VLAN": ("SON029", add("VLAN_INTERFACE", "Vlan7|10.9.0.1/24")),
    "address on a member": ("SON037", add("INTERFACE", f"{HOST}|10.9.0.1/31")),
    "a port of a PortChannel with an address": (
        "SON037",
        both(
            add("PORTCHANNEL", "PortChannel1", admin_status="up"),
            add("PORTCHANNEL_MEMBER", f"PortChannel1|{UPLINK}"),
        ),
    ),
    "overlapping subnets": ("SON038", add("INTERFACE", f"{UPLINK}|10.64.0.8/30")),
    "neighbour elsewhere": ("SON012", add("BGP_NEIGHBOR", "192.0.2.1", asn="1", name="x")),
    "local address elsewhere": (
        "SON012",
        put("BGP_NEIGHBOR", "10.254.0.0", "local_addr", "192.0.2.1"),
    ),
    "watchdog of no port": (
        "SON029",
        add("PFC_WD", "Ethernet7", action="drop", detection_time="400", restoration_time="400"),
    ),
    "maps of no port": (
        "SON029",
        add("PORT_QOS_MAP", "Ethernet7", dscp_to_tc_map="AZURE"),
    ),
}


@functools.cache
def leaf_text() -> str:
    """Return the CONFIG_DB of a leaf of the example rail-512, with the MAC of the switch."""
    import json

    from fabric.render.registry import render_device
    from fabric.workflow.project import Project
    from tests.cli.runs import ROOT

    project = Project(ROOT / "inventory" / "rail-512")
    tables = json.loads(render_device(project.devices["su1-rail0"])[0].text)
    tables["DEVICE_METADATA"]["localhost"]["mac"] = "52:54:00:00:00:01"
    return json.dumps(tables)
