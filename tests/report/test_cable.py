"""show cable: the table of one cable, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.report.lossless import cable
from fabric.workflow.project import Project

DEMO = Path(__file__).parents[2] / "inventory" / "demo"


def test_both_ends_side_by_side():
    table = cable(Project(DEMO), "gpu003", "eth2")
    rows = {row[0]: dict(zip(table.headers, row, strict=True)) for row in table.rows}
    assert rows["peer"]["switch"] == "su2-rail1 Ethernet0"
    assert rows["vlan"]["switch"] == "access 102"
    assert rows["traffic class byte"]["host"] == "104"
    assert {row["verdict"] for row in rows.values()} == {"ok", "note"}


@pytest.mark.parametrize(
    ("host", "interface", "message"),
    [
        ("gpu009", "eth1", "host 'gpu009'"),
        ("gpu001", "eth0", "gpu001 has no fabric NIC 'eth0'"),
        ("su1-rail0", "Ethernet0", "host 'su1-rail0'"),
    ],
)
def test_what_is_not_there_is_named(host, interface, message):
    with pytest.raises(InputError) as caught:
        cable(Project(DEMO), host, interface)
    assert message in str(caught.value.findings[0])
