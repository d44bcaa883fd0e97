"""States between waves are proved where a switch that changes says something else of ways."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fabric.core.steps import watched
from fabric.prove.engine import Engine
from fabric.workflow.mixed import hazards
from fabric.workflow.project import Project
from fabric.workflow.sides import planned_side
from tests.cases import each
from tests.change.labs import NXOS, write_inventory

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.prove.engine import Proof
    from fabric.workflow.sides import Side

#: What a switch has that is in no file of ours; it moves all other lines.
_OWN = "interface mgmt0\n  vrf member management\n  ip address 192.0.2.2/24\nvlan 1\n"
_FABRIC = NXOS.replace("hosts: gpu1", "hosts: 'gpu[1-2]'")
#: What is edited in the inventory, and how many proofs that needs: of what runs, of both ends, and
#: of the state after the wave of each switch whose ways change.
CASES = {
    "nothing": ({}, 0),
    "a threshold of ECN": ({"kmin_bytes: 150000": "kmin_bytes: 250000"}, 0),
    "the AS number of the spine": ({"arp:": "bgp: {spine_asn: 65300}\narp:"}, 5),
    "a VLAN": ({"hosts: 10.64.0.0/16": "hosts: 10.64.0.0/16, vlan_first: 300"}, 4),
}


def _running(side: Side) -> Side:
    return replace(side, texts={name: f"{_OWN}{text}" for name, text in side.texts.items()})


@each("name", CASES)
def test_what_changes_no_way_of_packets_is_not_proved_again(tmp_path: Path, name: str) -> None:
    edits, number = CASES[name]
    text = _FABRIC
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    running, planned = (
        Project(write_inventory(tmp_path / f"{name} {side}", own))
        for side, own in (("running", _FABRIC), ("planned", text))
    )
    before, after = _running(planned_side(running)), planned_side(planned)
    waves = [[device] for device in planned.devices]
    proofs: list[Engine] = []
    steps: list[tuple[str, int, int]] = []
    prove = Engine.prove

    def counted(engine: Engine) -> Proof:
        proofs.append(engine)
        return prove(engine)

    with pytest.MonkeyPatch.context() as patch, watched(lambda *step: steps.append(step)):
        patch.setattr(Engine, "prove", counted)
        hazards(planned, waves, before, after, in_waves=False)
    assert len(proofs) == number
    told = [step for step in steps if step[0] == "states between waves"]
    assert told == [("states between waves", done, 2) for done in range(3 if number else 0)]
