"""VRP8: headroom of a queue, where the cable of a port needs more than the default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import lossless_readers
from fabric.systems.vrp8.headroom import MOST_HEADROOMS
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.render.designs import text_of, variant
from tests.render.vrp8_designs import CHANGES, FAMILY_A, FAMILY_B

KIB = 1024
LINE = re.compile(r"^ dcb pfc buffer (\d) hdrm (\d+) kbytes$", re.MULTILINE)


@pytest.mark.parametrize(
    ("family", "cable_m", "kbytes"),
    {
        "the default is enough": (FAMILY_B, 1_700, None),
        "more than the default": (FAMILY_B, 2_000, 287),
        "a family that sets none": (FAMILY_A, 2_000, None),
    }.values(),
    ids=("the default is enough", "more than the default", "a family that sets none"),
)
def test_headroom_of_uplinks(tmp_path: Path, family: str, cable_m: int, kbytes: int | None) -> None:
    """Rendered where it is needed, and read back from the file."""
    changes = {old: new.replace(FAMILY_A, family) for old, new in CHANGES["a100-pcie"].items()}
    changes |= {"uplink_m: 30": f"uplink_m: {cable_m}"}
    leaf = variant(tmp_path / "i", "a100-pcie", changes)["rack1-leaf"]
    text = text_of(leaf)
    uplinks = [port.name for port in leaf.ports if port.kind == "uplink"]
    assert LINE.findall(text) == [("3", str(kbytes))] * len(uplinks if kbytes else [])
    read = lossless_readers["vrp8"].read(text)
    assert read.leftovers == []
    room = read.ports[uplinks[0]].headroom_bytes
    usual = {3: 256 * KIB} if family == FAMILY_B else {}
    assert {queue: value.value for queue, value in room.items()} == (
        {3: kbytes * KIB} if kbytes else usual
    )


def test_a_switch_has_so_many_values(tmp_path: Path) -> None:
    """One for each cable of another length."""
    ports = "\n".join(
        f"      100GE1/0/{port}: {{cable_m: {2_000 + 20 * port}}}" for port in range(1, 33)
    )
    devices = f"devices:\n  - names: su1-rail0\n    ports:\n{ports}\n"
    variant(tmp_path / "i", "rail-512", CHANGES["rail-512"], devices)
    wrong = [
        one
        for one in check(Project(tmp_path / "i")).findings
        if "values of headroom" in one.message
    ]
    assert [(one.rule, one.device) for one in wrong] == [("VRP007", "su1-rail0")]
    assert f"need 32 values of headroom, but the switch has {MOST_HEADROOMS}" in wrong[0].message
