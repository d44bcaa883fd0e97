"""What CONFIG_DB of SONiC may hold, as data: tables, keys, fields, ranges and references.

Known: the YANG models of sonic-net/sonic-buildimage (src/sonic-yang-models/yang-models, branch
202405), reduced to the tables that a RoCE leaf and spine use. A table or field that is missing
here is refused, as the field of an unknown name is by the real models; so this is stricter than
a switch for tables that have a model but no place here.

``config_db.txt`` holds the rows: a table with the types of its key, and below it a type with the
names of the fields that have it; ``*`` stands for fields of any name, with the types of name and
value. A type is written ``kind[:argument]``: ``int:LOW..HIGH``, ``re:PATTERN``, ``enum:A|B``,
``bool``, ``str``, ``ip``, ``ref:TABLE[|TABLE]`` (a row of one of the tables), ``refs:TABLE`` (comma
list) and ``list:KIND`` (JSON array); ``@name`` is one of ``_NAMED``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_NAMED = {
    "u64": "int:0..18446744073709551615",
    "u32": "int:0..4294967295",
    "u16": "int:0..65535",
    "priorities": "re:[0-7](,[0-7])*",
    "vlan": "re:Vlan(409[0-5]|40[0-8][0-9]|[1-3][0-9]{3}|[1-9][0-9]{2}|[1-9][0-9]|[2-9])",
    "prefix": "re:[0-9a-fA-F.:]+/[0-9]{1,3}",
    "af": "enum:ipv4_unicast|ipv6_unicast|l2vpn_evpn",
    "hash": (
        "enum:IN_PORT|DST_MAC|SRC_MAC|ETHERTYPE|VLAN_ID|IP_PROTOCOL|DST_IP|SRC_IP|L4_DST_PORT|"
        "L4_SRC_PORT|INNER_DST_MAC|INNER_SRC_MAC|INNER_ETHERTYPE|INNER_IP_PROTOCOL|INNER_DST_IP|"
        "INNER_SRC_IP|INNER_L4_DST_PORT|INNER_L4_SRC_PORT"
    ),
    "algorithm": "enum:CRC|XOR|RANDOM|CRC_32LO|CRC_32HI|CRC_CCITT|CRC_XOR",
    "device": (
        "enum:ToRRouter|LeafRouter|SpineChassisFrontendRouter|ChassisBackendRouter|ASIC|MgmtToRRouter|"
        "SpineRouter|BackEndToRRouter|BackEndLeafRouter|EPMS|MgmtTsToR|BmcMgmtToRRouter|SonicHost|"
        "SmartSwitchDPU|not-provisioned"
    ),
    "ecn": "enum:ecn_none|ecn_green|ecn_yellow|ecn_red|ecn_green_yellow|ecn_green_red|"
    "ecn_yellow_red|ecn_all",
}


@dataclass(slots=True)
class Row:
    """One kind of row of a table."""

    key: tuple[str, ...]
    fields: dict[str, str] = field(default_factory=dict)
    any_field: tuple[str, str] | None = None  # a map: types of field name and value


def _tables(text: str) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    row = Row(())
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        first, *words = re.sub(r"@(\w+)", lambda name: _NAMED[name[1]], line).split()
        if not line.startswith(" "):
            row = Row(tuple(words))
            tables.setdefault(first, []).append(row)
        elif first == "*":
            row.any_field = (words[0], words[1])
        else:
            row.fields |= dict.fromkeys(words, first)
    return tables


TABLES = _tables(Path(__file__).with_name("config_db.txt").read_text(encoding="utf-8"))
