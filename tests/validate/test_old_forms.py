"""A CONFIG_DB in the form of older releases: lists of ports as keys, names in brackets.

sonic-net/sonic-buildimage, src/sonic-yang-models/doc/Configuration.md (PORT_QOS_MAP, QUEUE).
"""

from __future__ import annotations

import json
from typing import Any

from fabric.core.findings import Severity
from fabric.workflow.audit import audit
from tests.validate.worlds import sample

#: Fields that older releases write as ``[TABLE|name]``.
NAMES = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    "scheduler": "SCHEDULER",
    "wred_profile": "WRED_PROFILE",
    "profile": "BUFFER_PROFILE",
    "pool": "BUFFER_POOL",
}


def _old(tables: dict[str, Any]) -> dict[str, Any]:
    """Return tables in the form of older releases."""
    for rows in tables.values():
        for row in rows.values():
            for field in NAMES.keys() & row.keys():
                row[field] = f"[{NAMES[field]}|{row[field]}]"
            row.pop("pfcwd_sw_enable", None)
    rows = tables["PORT_QOS_MAP"]
    ports = [port for port in rows if port.startswith("Ethernet")]
    first = rows[ports[0]]
    alike = [port for port in ports if rows[port] == first]
    tables["PORT_QOS_MAP"] = {port: row for port, row in rows.items() if port not in alike}
    tables["PORT_QOS_MAP"][",".join(alike)] = first
    return tables


def test_an_older_form_has_no_fault(tmp_path) -> None:
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(_old(sample())))
    found = audit([file]).outcome.at_least(Severity.WARNING)
    assert [(item.rule, item.message) for item in found] == []
