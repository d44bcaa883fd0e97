"""Cables in wrong ports, found by real LLDP and our own parser and judgement."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.lab.real import RealLab
from fabric.observe.snapshot import Snapshot
from fabric.topology.cabling import CableVerdict
from fabric.workflow import cabling as verb
from fabric.workflow.observe import Seen
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import blueprint
from tests.reallab.conftest import PATIENCE_S, require_parts
from tests.reallab.plans import inventory_of

pytestmark = pytest.mark.lab


def judged(project: Project, lab: RealLab, monkeypatch: pytest.MonkeyPatch) -> verb.Cabling:
    """What ``rocefab cabling`` says of what every lldpd hears."""
    seen = [Seen(name, "", Snapshot(name, lldp=lab.lldp(name))) for name in lab.blueprint.names]
    monkeypatch.setattr(verb, "observe", lambda *_: seen)
    return verb.cabling(project, None, None, lambda *_: None)


#: Two NICs of a host.
NICS = ((("gpu001", "eth1"), ("gpu001", "eth2")),)


@pytest.mark.parametrize(
    ("plan", "swapped"),
    [
        ("demo", ()),
        ("demo", NICS),
        ("demo", ((("su1-rail0", "Ethernet128"), ("su2-rail1", "Ethernet136")),)),
        ("one prefix for a leaf", NICS),
        # Sessions over these ports come up all the same.
        (
            "IPv6 alone, by SLAAC",
            ((("su1-rail0", "Ethernet33/1"), ("su2-rail1", "Ethernet34/1")),),
        ),
    ],
)
def test_swapped_cables_are_found(
    plan: str,
    swapped: tuple[tuple[tuple[str, str], tuple[str, str]], ...],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """None, two NICs of a host, two uplinks: the wrong ends are named, and no others."""
    require_parts()
    project = Project(inventory_of(plan, tmp_path))
    with RealLab(replace(blueprint(project), swapped=swapped)) as lab:
        until_s = time.monotonic() + PATIENCE_S
        while not all(lab.lldp(name).keys() == lab.ports(name) for name in lab.blueprint.names):
            assert time.monotonic() < until_s, "a port hears nobody"
            time.sleep(1)
        found = judged(project, lab, monkeypatch)
    moved = {end for pair in swapped for end in pair}
    wrong = {frozenset((item.near, item.far)) for item in found.wrong}
    assert wrong == {frozenset(cable) for cable in blueprint(project).cables if moved & set(cable)}
    assert {item.verdict for item in found.wrong} <= {
        CableVerdict.SWAPPED,
        CableVerdict.CROSSED_RAIL,
    }
    assert not found.unread
