"""Forms of a CONFIG_DB: of switches with line cards, of older releases, and of other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
_ASIC = re.compile(r"asic\d+")
#: Tables with a row for the queues of every line card where the switch has virtual output queues
#: (sonic-net/sonic-buildimage, src/sonic-config-engine/tests/sample_output/py3/
#: {qos,buffer}-nokia-ixr7250e-36x400g.json).
SYSTEM_PORTS = frozenset(("QUEUE", "BUFFER_QUEUE"))
_SYSTEM_PORT_PARTS = 4
#: Tables with one row for many ports in older releases (sonic-net/sonic-buildimage,
#: src/sonic-yang-models/doc/Configuration.md).
PORT_LISTS = frozenset(("PORT_QOS_MAP",))


def local_rows(table: str, rows: Mapping[str, T], metadata: Mapping[str, Any]) -> dict[str, T]:
    """Return the rows of this line card, with the keys that a switch without line cards has.

    A key ``host|asic|port|queue`` of a VOQ switch becomes ``port|queue``.
    """
    if metadata.get("switch_type") != "voq" or table not in SYSTEM_PORTS:
        return dict(rows)
    here = metadata.get("hostname")
    own: dict[str, T] = {}
    for key, row in rows.items():
        parts = key.split("|")
        if len(parts) != _SYSTEM_PORT_PARTS:
            own[key] = row
        elif parts[0] == here and parts[1] == metadata.get("asic_name", parts[1]):
            own["|".join(parts[2:])] = row
    return own


def foreign_form(tables: object) -> str:
    """Return why JSON is no set of tables of CONFIG_DB; empty where it is one."""
    if not isinstance(tables, dict) or not all(isinstance(rows, dict) for rows in tables.values()):
        return "not a set of tables"
    if tables and all("|" in key for key in tables):
        return "its keys are those of sonic-db-dump, such as PORT|Ethernet0, not names of tables"
    if tables and all(":" in key for key in tables):
        return "its keys are those of YANG modules, such as sonic-port:sonic-port"
    if any(_ASIC.fullmatch(key) for key in tables):
        return "it has tables of several ASICs, such as asic0; check config_db0.json and the others"
    return _foreign_card(tables)


def _foreign_card(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return that no queue of a VOQ switch is one of its own; empty where one is."""
    metadata = tables.get("DEVICE_METADATA", {}).get("localhost")
    if not isinstance(metadata, dict) or metadata.get("switch_type") != "voq":
        return ""
    for table in sorted(SYSTEM_PORTS):
        rows = tables.get(table, {})
        if rows and not local_rows(table, rows, metadata):
            other = "|".join(next(iter(rows)).split("|")[:2])
            own = "|".join(str(metadata.get(name, "?")) for name in ("hostname", "asic_name"))
            return f"its rows of {table} are of {other}, DEVICE_METADATA is of {own}"
    return ""
