"""What the book says of changes of tables: owner, shared fields, references and risk."""

from __future__ import annotations

from fabric.change.model import Risk
from fabric.systems.sonic.ownership import (
    MERGED_TABLES,
    OWNED_TABLES,
    REFERENCES,
    SHARED,
    is_live,
    risk,
)
from tests.cases import each

#: What its change does, and whether it is taken in place.
CELLS = {
    ("PORT", "description"): (Risk.HARMLESS, True),
    ("PORT", "lanes"): (Risk.RESTART, False),
    ("PORT", "fec"): (Risk.PORT_FLAP, False),
    ("PORT", "mtu"): (Risk.BRIEF_LOSS, False),
    ("PORT", "no_such_field"): (Risk.BRIEF_LOSS, False),
    ("DEVICE_METADATA", "hwsku"): (Risk.RESTART, False),
    ("DEVICE_METADATA", "no_such_field"): (Risk.HARMLESS, False),
    ("PORT_QOS_MAP", "pfc_enable"): (Risk.BRIEF_LOSS, True),
    ("PORT_QOS_MAP", "tc_to_pg_map"): (Risk.PORT_FLAP, False),
    ("DSCP_TO_TC_MAP", "3"): (Risk.BRIEF_LOSS, True),
    ("CRM", "polling_interval"): (Risk.HARMLESS, True),
    ("PFC_WD", "action"): (Risk.HARMLESS, False),
    ("NO_SUCH_TABLE", "x"): (Risk.BRIEF_LOSS, False),
}


@each("cell", CELLS)
def test_a_change(cell: tuple[str, str]) -> None:
    table, name = cell
    place = (table, "row", name)
    assert (risk(place), is_live(place, "1", "2")) == CELLS[cell]
    assert not is_live(place, None, "2")


def test_tables_of_ours() -> None:
    assert MERGED_TABLES == ("DEVICE_METADATA", "BREAKOUT_CFG")
    assert not {*OWNED_TABLES} & {*MERGED_TABLES, "MGMT_INTERFACE", "FEATURE", "ACL_TABLE"}
    assert {*SHARED} <= {*OWNED_TABLES}
    assert SHARED["VLAN"] == {"vlanid", "mtu", "description"}
    assert {*REFERENCES.values()} <= {*OWNED_TABLES}
    assert REFERENCES["profile"] == "BUFFER_PROFILE"
